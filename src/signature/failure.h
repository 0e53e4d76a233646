// The errors of constructions and calls: all cold, all naming operator, argument, expected and got.
#pragma once

#include <opyard/error.h>

#include <string>

#include "signature/machine.h"
#include "signature/program.h"

namespace opyard {

/// Builds errors of one operator.
class Failure {
 public:
  explicit Failure(const Signature::Program& program) : program_(program) {}

  [[noreturn]] void type(const std::string& summary, ErrorFacts facts) const;
  [[noreturn]] void value(const std::string& summary, ErrorFacts facts) const;

  /// A rule that does not hold; `values` are those of its names.
  [[noreturn]] void rule(std::int32_t number, const std::string& values) const;

  /// A rule without a value, for the reason that the failure gives.
  [[noreturn]] void rule_evaluation(std::int32_t number, const EvaluationFailure& failure) const;

  /// An expression without a value (division by zero, sizes that do not broadcast).
  [[noreturn]] void evaluation(const std::string& what, const Text& text, const EvaluationFailure& failure) const;

  std::string at(const Text& text) const { return program_.declared_at(text); }
  std::string at(Mark mark) const { return declared_at(program_.schema->file, mark); }

 private:
  const Signature::Program& program_;
};

}  // namespace opyard
