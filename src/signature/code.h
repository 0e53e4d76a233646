// Expressions as flat code over slots: what the machine evaluates.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "manifest/expression.h"
#include "signature/primitives.h"
#include "signature/val.h"

namespace opyard {

/// Numbers for the strings that a declaration names, so that they compare as integers.
class StringTable {
 public:
  std::int32_t intern(const std::string& text);
  std::int32_t find(const std::string& text) const;  // -1 when absent
  const std::string& text(std::int32_t id) const { return texts_[id]; }
  c10::ScalarType dtype(std::int32_t id) const { return dtypes_[id]; }  // of a dtype's name, else Undefined

 private:
  std::vector<std::string> texts_;
  std::vector<c10::ScalarType> dtypes_;
  std::unordered_map<std::string, std::int32_t> ids_;
};

struct CodeNode {
  Expression::Op op = Expression::Op::kNone;
  Expression::Comparison comparison = Expression::Comparison::kEqual;  // kCompare has two operands here
  Primitive primitive = Primitive::kNone;                              // kCall
  std::int32_t slot = -1;  // kName; kComprehension: of its bound name; kString: number
  std::int32_t first_kid = 0;
  std::int32_t kid_count = 0;
  std::int64_t integer = 0;
  double number = 0;
};

struct Code {
  std::vector<CodeNode> nodes;
  std::vector<std::int32_t> kids;
};

/// Adds expressions to a Code. Names resolve by `slot_of`, which gives -1 for one that has no value.
class CodeBuilder {
 public:
  CodeBuilder(Code& code, const StringTable& strings, std::function<std::int32_t(const std::string&)> slot_of,
              std::int32_t first_free_slot)
      : code_(code), strings_(strings), slot_of_(std::move(slot_of)), next_slot_(first_free_slot) {}

  /// The node's number; -1 when a name has no value or a callee is unknown.
  std::int32_t add(const Expression& expression);

  std::int32_t new_slot() { return next_slot_++; }
  std::int32_t slot_count() const { return next_slot_; }

 private:
  std::int32_t add_node(CodeNode node, const std::vector<std::int32_t>& kids);
  std::int32_t add_comparison(const Expression& expression);
  std::int32_t add_comprehension(const Expression& expression);
  std::int32_t add_call(const Expression& expression);

  Code& code_;
  const StringTable& strings_;
  std::function<std::int32_t(const std::string&)> slot_of_;
  std::int32_t next_slot_;
  std::vector<std::pair<std::string, std::int32_t>> bound_;  // names of the comprehensions around
};

}  // namespace opyard
