// The faults of a manifest, gathered so that one run reports all of them.
#pragma once

#include <opyard/error.h>

#include <set>
#include <string>
#include <vector>

namespace opyard {

/// Thrown by a check that reads a name whose own declaration is at fault: that fault has been gathered already.
struct ReadsFaultyName {};

class Faults {
 public:
  /// Runs one check; what it throws is kept. Returns whether it threw nothing.
  template <class Check>
  bool gather(const Check& check) {
    try {
      check();
      return true;
    } catch (const ManifestError& fault) {
      add(fault);
    } catch (const ReadsFaultyName&) {
      // Its declaration has said why.
    }
    return false;
  }

  void add(const ManifestError& fault);  // the same one is kept once
  void add_all(const Faults& others);

  /// Later checks that read the name are left out.
  void mark_faulty(const std::string& name) { names_.insert(name); }
  bool is_faulty(const std::string& name) const { return names_.count(name) > 0; }

  bool empty() const { return faults_.empty(); }
  bool full() const;  // no more are kept; the last one says so
  std::size_t size() const { return faults_.size(); }
  const std::vector<ManifestError>& all() const { return faults_; }
  void throw_first() const;  // nothing when there is none

 private:
  std::vector<ManifestError> faults_;
  std::set<std::string> texts_;  // of those kept
  std::set<std::string> names_;
};

/// What an error says before its facts.
std::string summary_of(const ManifestError& fault);

/// A fault in one line that starts with file:line:column.
std::string to_line(const ManifestError& fault);

/// All faults as lines, in the order of files, lines and columns.
std::vector<std::string> to_lines(const Faults& faults);

}  // namespace opyard
