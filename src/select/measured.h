// Choices between implementations that were measured on this machine; they stay fixed for the process.
#pragma once

#include <opyard/implementation.h>

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace opyard {

/// Looked up on a miss only. A choice holds for a whole class of calls: the operator, each input's dtype and
/// contiguity, the parameters, every solved dim but the first exactly, and the first one (the number of rows) within a
/// band.
class MeasuredChoices {
 public:
  static MeasuredChoices& process();

  /// The implementation key measured to be ahead for calls like this one.
  std::optional<std::string> find(const CallSpec& call) const;

  /// Fixes a choice; the first one stays.
  void fix(const CallSpec& call, std::string key);

  /// The text of a class: the same for calls that share a choice.
  static std::string class_of(const CallSpec& call);

  /// The band of a number of rows: calls in one band share a choice. 1 | 2-4 | 5-16 | 17 and more.
  static int band(std::int64_t rows);

 private:
  // By operator, then by class: calls of an operator that nobody measured pay for no text. Guarded by
  // LockRank::kRegistry.
  std::map<std::string, std::map<std::string, std::string>> choices_;
  std::atomic<bool> any_{false};
};

}  // namespace opyard
