// Turns a program's declarations at one point into a plan.
#pragma once

#include <functional>
#include <set>

#include "signature/fold.h"

namespace opyard {

/// What both kinds of plan share: folding, the known names, lets and rules.
class PlanBuilder {
 protected:
  PlanBuilder(const Signature::Program& program, Code& code);

  void fold_constants();  // lets that are closed, presence that follows from conditions
  bool known(const Expression& expression) const;
  bool is_dim(const Expression& expression) const;  // provably an integer >= 0, or a sequence of them
  std::set<std::string> unknown_names(const Expression& expression) const;
  std::int32_t compile(const Expression& expression, const Text& text, const std::string& what);
  [[noreturn]] void fail(const Text& text, const std::string& what, const std::string& message,
                         const std::string& got = "") const;

  const Signature::Program& program_;
  Point point_;
  Folder folder_;
  CodeBuilder builder_;
  std::set<std::string> known_;
  std::vector<Expression> lets_;  // folded
};

ConstructionPlan build_construction_plan(const Signature::Program& program, std::uint64_t point);
CheckPlan build_call_plan(const Signature::Program& program, std::uint64_t point);

/// The inverse of the mixed-radix number that `check` computes.
Point decode_point(const Signature::Program& program, std::uint64_t point, bool with_inputs);

}  // namespace opyard
