// Declarations at one point: discriminants replaced by their values, closed parts evaluated, arms picked.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "signature/program.h"

namespace opyard {

class Folder {
 public:
  Folder(const Signature::Program& program, const Point& point) : program_(program), point_(point) {}

  Expression fold(const Expression& expression) const;

  /// A shape as kShape, its families replaced by the case that matches. Throws ManifestError unless exactly one does.
  Expression fold_shape(const Declared& shape) const;

  /// The truth of a condition, nothing while it cannot be decided.
  std::optional<bool> decide(const Declared& condition) const;

  /// Later folds see a let as this constant.
  void set_constant(const std::string& name, Expression value) { constants_[name] = std::move(value); }

 private:
  Expression fold_name(const Expression& expression) const;
  Expression fold_attribute(const Expression& expression) const;
  std::optional<Expression> fold_present(const Expression& call) const;
  std::optional<Expression> fold_capacity(const Expression& call) const;
  Expression fold_logic(Expression expression) const;
  Expression evaluate(Expression expression) const;
  Expression fold_family(const Expression& application, const Declared& shape, int depth) const;
  bool matches(const Node& pattern, const Expression& matched) const;
  const Discriminant::Shape* adt_shape(const Expression& object) const;
  const Discriminant* discriminant(const std::string& param, std::uint64_t& choice) const;

  const Signature::Program& program_;
  const Point& point_;
  std::map<std::string, Expression> constants_;
};

}  // namespace opyard
