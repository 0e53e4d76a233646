// A workload row at its point: everything that the row and the declaration settle, as constants of the folder.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "manifest/generators.h"
#include "manifest/workload.h"
#include "signature/plan_builder.h"

namespace opyard {

/// What a row must give at the point of its parameters and optional tensors.
struct RowFit {
  std::vector<std::string> idle;     // indices that it gives although they do not matter
  std::vector<std::string> missing;  // indices that matter and that nothing settles
  std::vector<std::string> dtypes;   // the DType indices that matter
};

/// Throws ManifestError for a row that does not fit its entry.
class SettledRow : protected PlanBuilder {
 public:
  SettledRow(const Signature& signature, const WorkloadRow& row, const DtypeCase& dtypes);

  /// Takes what matters of the row and says what is left over and what is missing. The row is not checked further.
  RowFit fit();

 protected:
  /// Takes the row as it stands, refusing what it gives too much.
  Construction settle_row();

  [[noreturn]] void refuse(const std::string& message, const std::string& got = "") const;
  Expression constant_of(const std::string& name) const;

  /// The arguments of a generator's or predicate's call; nothing while one of them is not settled.
  std::optional<Arguments> arguments_of(const Text& text) const;

  const Signature& signature_;
  const WorkloadRow& row_;
  const DtypeCase& dtypes_;
  std::string id_;  // label and dtypes, joined by dashes
  std::map<std::string, Contents> contents_;

 private:
  Construction begin();
  Construction construct();
  std::uint64_t point_number(const Construction& construction) const;
  void mark_relevant(const Expression& expression);
  void mark_relevant_text(const Text& text);
  void find_relevant();
  void take_params(const Construction& construction);
  void take_layout(const std::string& name, const std::string& adt_name, const Sequence& parts);
  void take_index(const std::string& name, const Value& value);
  void take_dtypes();
  void settle();
  bool make_contents(std::size_t i);
  void bind_shape(std::size_t i, const std::vector<std::int64_t>& sizes);

  Code code_;  // nothing is compiled here
  std::set<std::string> relevant_;
  std::map<std::string, Sequence> layouts_;
  std::string dtype_params_;
};

/// What a row must give.
RowFit fit_row(const Signature& signature, const WorkloadRow& row, const DtypeCase& dtypes);

}  // namespace opyard
