#include "signature/code.h"

#include <opyard/value.h>

namespace opyard {

using Op = Expression::Op;

std::int32_t StringTable::intern(const std::string& text) {
  const auto [found, is_new] = ids_.emplace(text, static_cast<std::int32_t>(texts_.size()));
  if (is_new) {
    texts_.push_back(text);
    dtypes_.push_back(dtype_by_name(text));
  }
  return found->second;
}

std::int32_t StringTable::find(const std::string& text) const {
  const auto found = ids_.find(text);
  return found == ids_.end() ? -1 : found->second;
}

std::int32_t CodeBuilder::add_node(CodeNode node, const std::vector<std::int32_t>& kids) {
  for (const std::int32_t kid : kids) {
    if (kid < 0) {
      return -1;
    }
  }
  node.first_kid = static_cast<std::int32_t>(code_.kids.size());
  node.kid_count = static_cast<std::int32_t>(kids.size());
  code_.kids.insert(code_.kids.end(), kids.begin(), kids.end());
  code_.nodes.push_back(node);
  return static_cast<std::int32_t>(code_.nodes.size()) - 1;
}

std::int32_t CodeBuilder::add(const Expression& expression) {
  CodeNode node{.op = expression.op, .integer = expression.integer, .number = expression.number};
  switch (expression.op) {
    case Op::kName: {
      for (auto bound = bound_.rbegin(); bound != bound_.rend(); ++bound) {
        if (bound->first == expression.text) {
          node.slot = bound->second;
          return add_node(node, {});
        }
      }
      node.slot = slot_of_(expression.text);
      return node.slot < 0 ? -1 : add_node(node, {});
    }
    case Op::kString:
      node.slot = strings_.find(expression.text);
      return add_node(node, {});
    case Op::kCompare:
      return add_comparison(expression);
    case Op::kComprehension:
      return add_comprehension(expression);
    case Op::kCall:
      return add_call(expression);
    case Op::kAttribute:
    case Op::kFamily:
    case Op::kStar:
    case Op::kShape:
      return -1;
    default:
      break;
  }
  std::vector<std::int32_t> kids;
  for (const Expression& kid : expression.kids) {
    kids.push_back(add(kid));
  }
  return add_node(node, kids);
}

/// A chain becomes a conjunction of pairs: its operands are pure, so evaluating one twice is only work.
std::int32_t CodeBuilder::add_comparison(const Expression& expression) {
  std::int32_t result = -1;
  for (std::size_t i = 0; i < expression.comparisons.size(); ++i) {
    const std::vector<std::int32_t> kids{add(expression.kids[i]), add(expression.kids[i + 1])};
    const std::int32_t pair = add_node({.op = Op::kCompare, .comparison = expression.comparisons[i]}, kids);
    result = i == 0 ? pair : add_node({.op = Op::kAnd}, {result, pair});
  }
  return result;
}

std::int32_t CodeBuilder::add_comprehension(const Expression& expression) {
  const std::int32_t source = add(expression.kids[1]);
  bound_.emplace_back(expression.text, new_slot());
  const std::int32_t item = add(expression.kids[0]);
  const std::int32_t slot = bound_.back().second;
  bound_.pop_back();
  return add_node({.op = Op::kComprehension, .slot = slot}, {item, source});
}

std::int32_t CodeBuilder::add_call(const Expression& expression) {
  const PrimitiveRow* row = find_primitive(expression.text);
  if (row == nullptr) {
    return -1;
  }
  std::vector<std::int32_t> kids;
  for (const Expression& kid : expression.kids) {
    kids.push_back(add(kid));
  }
  return add_node({.op = Op::kCall, .primitive = row->primitive}, kids);
}

}  // namespace opyard
