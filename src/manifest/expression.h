// The manifest's expression language (Python's syntax, cut down) as a syntax tree.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "manifest/node.h"

namespace opyard {

/// The text of an expression, shape or kind, and where it stands.
struct Text {
  std::string text;
  Mark mark;
  std::int8_t lead = -1;  // as Node's
  bool empty() const { return text.empty(); }

  /// Where a byte of the text stands in the file; the mark where the file writes the text in another way: folded, with
  /// escapes or over several lines.
  Mark at(std::int32_t offset) const { return lead < 0 ? mark : Mark{mark.line, mark.column + lead + offset}; }
};

struct Expression {
  enum class Op : std::uint8_t {
    kInt,
    kFloat,
    kString,
    kBool,
    kNone,
    kName,
    kAttribute,      // text: attribute; kids: object
    kIndex,          // kids: sequence, index
    kSlice,          // kids: sequence, start, stop, step; kNone where left out
    kCall,           // text: callee, perhaps dotted; kids: arguments, the last keywords.size() of them named
    kComprehension,  // text: bound name; kids: item, source
    kTuple,
    kStar,    // inside a shape: splices kids[0]
    kShape,   // [a, *b, c]
    kFamily,  // text: family; kids: arguments
    kNegate,
    kNot,
    kAnd,
    kOr,
    kAdd,
    kSubtract,
    kMultiply,
    kFloorDivide,
    kModulo,
    kCompare,      // kids: operands; comparisons: one less
    kConditional,  // kids: test, then, otherwise
  };
  enum class Comparison : std::uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kIn, kNotIn };

  Op op = Op::kNone;
  std::int32_t offset = 0;   // in the source text
  std::int64_t integer = 0;  // kInt; kBool as 0 or 1
  double number = 0;
  std::string text;
  std::vector<Expression> kids;
  std::vector<Comparison> comparisons;
  std::vector<std::string> keywords;

  bool is(Op wanted) const { return op == wanted; }
  bool is_name(const std::string& name) const { return op == Op::kName && text == name; }
};

/// Where a text belongs, for errors: `manifest/norm.yaml`, `RMSNormFwdOp`, `shape_rules[0]`.
struct Place {
  std::string file;
  std::string op;
  std::string what;
};

/// Throws ManifestError naming the place when the text is outside the language.
Expression parse_expression(const Text& source, const Place& place);

/// `[e, *s, …]` or `Family[argument, …]`.
Expression parse_shape(const Text& source, const Place& place);

/// Calls `visit(name)` for each free name: parameters, indices, lets; tensors inside `present(…)` too.
void for_each_name(const Expression& expression, const std::function<void(const std::string&)>& visit);

/// `file:line`, as errors give a declaration's place.
std::string declared_at(const std::string& file, Mark mark);

/// A ManifestError whose text starts with file:line:column.
[[noreturn]] void fail_manifest(const Place& place, Mark mark, const std::string& message, std::string expected = "",
                                std::string got = "", std::string advice = "");

}  // namespace opyard
