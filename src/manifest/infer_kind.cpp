// Kind inference, a method for each kind of expression.
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "error/nearest_name.h"
#include "manifest/kind_calls.h"

namespace opyard {
namespace {

using Op = Expression::Op;
using Tag = Kind::Tag;
using Comparison = Expression::Comparison;

class Inference {
 public:
  Inference(const KindScope& scope, const Text& text, const Place& place)
      : scope_(scope), names_(scope.names), text_(text), place_(place) {}

  Kind infer(const Expression& e) {
    const Expression* const outer = std::exchange(at_, &e);
    Kind kind = infer_here(e);
    at_ = outer;
    return kind;
  }

 private:
  using Names = std::map<std::string, Kind>;

  Kind infer_here(const Expression& e) {
    switch (e.op) {
      case Op::kInt:
        return int_kind();
      case Op::kFloat:
        return value_kind();
      case Op::kBool:
        return bool_kind();
      case Op::kNone:
        return {.tag = Tag::kNone};
      case Op::kString:
        return str_kind({e.text});
      case Op::kName:
        return name(e);
      case Op::kAttribute:
        return attribute(e);
      case Op::kIndex:
        require(infer(e.kids[1]), Tag::kInt, "an index");
        return item_of(infer(e.kids[0]));
      case Op::kSlice:
        return sequence(infer(e.kids[0]), "a slice");
      case Op::kTuple:
        return tuple(e);
      case Op::kNot:
        require(infer(e.kids[0]), Tag::kBool, "the operand of not");
        return bool_kind();
      case Op::kAnd:
      case Op::kOr:
        return logic(e);
      case Op::kCompare:
        return compare(e);
      case Op::kConditional:
        return conditional(e);
      case Op::kCall:
        return call(e);
      case Op::kNegate:
        return arithmetic(infer(e.kids[0]), int_kind());
      case Op::kAdd:
      case Op::kSubtract:
      case Op::kMultiply:
      case Op::kFloorDivide:
      case Op::kModulo:
        return arithmetic(infer(e.kids[0]), infer(e.kids[1]));
      default:
        fail("this cannot stand in an expression");
    }
  }

  [[noreturn]] void fail(const std::string& message, const std::string& expected = "",
                         const std::string& got = "") const {
    fail_manifest(place_, text_.at(at_->offset), message + ", in: " + text_.text, expected, got);
  }

  void require(const Kind& kind, Tag tag, const char* what) const {
    if (!kind.is(tag)) {
      fail(std::string(what) + " has the wrong kind", tag == Tag::kBool ? "Bool" : "Int", to_text(kind));
    }
  }

  Kind sequence(const Kind& kind, const char* what) const {
    if (!kind.is(Tag::kSeq)) {
      fail(std::string(what) + " needs a sequence", "Seq", to_text(kind));
    }
    return kind;
  }

  Kind item_of(const Kind& kind) const {
    const Kind all = sequence(kind, "an index");
    return all.parts.empty() ? int_kind() : all.parts[0];
  }

  Kind name(const Expression& e) const {
    const auto found = names_.find(e.text);
    if (found != names_.end()) {
      return found->second;
    }
    refuse_faulty(e.text);
    if (scope_.tensors.count(e.text) > 0) {
      fail("a tensor is no value: '" + e.text + "'");
    }
    std::vector<std::string> known;
    for (const auto& [name, kind] : names_) {
      known.push_back(name);
    }
    fail("'" + e.text + "' is not declared, or has no value here", "a declared name" + nearest_name(e.text, known),
         e.text);
  }

  void refuse_faulty(const std::string& name) const {
    if (scope_.faults != nullptr && scope_.faults->is_faulty(name)) {
      throw ReadsFaultyName{};
    }
  }

  Kind attribute(const Expression& e) {
    const Kind object = infer(e.kids[0]);
    if (e.text == "value" && object.is(Tag::kMaybe)) {
      return object.parts[0];
    }
    if (object.is(Tag::kAdt)) {
      return field(object, e.text);
    }
    fail("'." + e.text + "' needs a parameter that may be None, or an algebraic data type", "", to_text(object));
  }

  Kind field(const Kind& object, const std::string& wanted) const {
    std::set<std::string> constructors;
    std::optional<Kind> kind;
    for (const AdtDecl& adt : *scope_.adts) {
      for (const AdtDecl::Constructor& constructor : adt.constructors) {
        if (object.members.count(adt.name) == 0) {
          continue;
        }
        constructors.insert(constructor.name);
        for (const IndexDecl& candidate : constructor.fields) {
          if (candidate.name == wanted) {
            kind = candidate.kind.text == "Dim" || candidate.kind.text == "int"
                       ? int_kind()
                       : kind_of(parse_param_type(candidate.kind, {}, place_));
          }
        }
      }
    }
    if (wanted == "kind") {
      return str_kind(constructors);
    }
    if (!kind) {
      fail("no constructor of " + to_text(object) + " has a field '" + wanted + "'", "", wanted);
    }
    return *kind;
  }

  Kind tuple(const Expression& e) {
    std::optional<Kind> item;
    for (const Expression& kid : e.kids) {
      const Kind kind = infer(kid);
      if (!item) {
        item = kind;
      } else if (item->is(Tag::kStr) && kind.is(Tag::kStr)) {
        item->members.insert(kind.members.begin(), kind.members.end());
      } else if (*item != kind) {
        item = join(*item, kind);
      }
    }
    return item ? seq_kind(*item) : Kind{.tag = Tag::kSeq};
  }

  Kind arithmetic(const Kind& a, const Kind& b) const {
    if (!is_number(a) || !is_number(b)) {
      fail("arithmetic needs numbers", "Int or Value", to_text(is_number(a) ? b : a));
    }
    return a.is(Tag::kInt) && b.is(Tag::kInt) ? int_kind() : value_kind();
  }

  /// What a test says of names where it is true, or where it is false.
  void narrow(const Expression& test, bool truth) {
    if (test.is(Op::kNot)) {
      narrow(test.kids[0], !truth);
    } else if (test.is(truth ? Op::kAnd : Op::kOr)) {
      narrow(test.kids[0], truth);
      narrow(test.kids[1], truth);
    } else if (test.is(Op::kCompare) && test.comparisons.size() == 1 && test.kids[0].is(Op::kName)) {
      narrow_words(test, truth);
    }
  }

  void narrow_words(const Expression& test, bool truth) {
    const auto found = names_.find(test.kids[0].text);
    const Comparison comparison = test.comparisons[0];
    const bool positive = comparison == Comparison::kEqual || comparison == Comparison::kIn;
    const bool negative = comparison == Comparison::kNotEqual || comparison == Comparison::kNotIn;
    std::set<std::string> words;
    const Expression& right = test.kids[1];
    for (const Expression& word : right.is(Op::kTuple) ? right.kids : std::vector<Expression>{right}) {
      if (!word.is(Op::kString)) {
        return;
      }
      words.insert(word.text);
    }
    if (found == names_.end() || !found->second.is(Tag::kUnion) || (!positive && !negative)) {
      return;
    }
    std::vector<Kind> parts;
    for (Kind part : found->second.parts) {
      if (part.is(Tag::kStr)) {
        std::erase_if(part.members,
                      [&](const std::string& member) { return (words.count(member) > 0) != (positive == truth); });
        if (part.members.empty()) {
          continue;
        }
      } else if (positive == truth) {
        continue;
      }
      parts.push_back(std::move(part));
    }
    found->second = parts.size() == 1 ? parts[0] : Kind{.tag = Tag::kUnion, .parts = parts};
  }

  Kind narrowed(const Expression& test, bool truth, const Expression& e) {
    const Names kept = names_;
    narrow(test, truth);
    Kind kind = infer(e);
    names_ = kept;
    return kind;
  }

  Kind logic(const Expression& e) {
    require(infer(e.kids[0]), Tag::kBool, "an operand of and, or");
    require(narrowed(e.kids[0], e.is(Op::kAnd), e.kids[1]), Tag::kBool, "an operand of and, or");
    return bool_kind();
  }

  Kind conditional(const Expression& e) {
    require(infer(e.kids[0]), Tag::kBool, "a condition");
    return join(narrowed(e.kids[0], true, e.kids[1]), narrowed(e.kids[0], false, e.kids[2]));
  }

  Kind join(const Kind& a, const Kind& b) const {
    if (a == b) {
      return a;
    }
    if (a.is(Tag::kNone) || b.is(Tag::kNone)) {
      const Kind& other = a.is(Tag::kNone) ? b : a;
      return other.is(Tag::kMaybe) ? other : Kind{.tag = Tag::kMaybe, .parts = {other}};
    }
    if (a.tag == b.tag && (a.is(Tag::kStr) || a.is(Tag::kDtype))) {
      Kind both = a;
      both.members.insert(b.members.begin(), b.members.end());
      return a.members.empty() || b.members.empty() ? Kind{.tag = a.tag} : both;
    }
    if (a.is(Tag::kMaybe) || b.is(Tag::kMaybe)) {
      const Kind& maybe = a.is(Tag::kMaybe) ? a : b;
      const Kind& other = a.is(Tag::kMaybe) ? b : a;
      return {.tag = Tag::kMaybe, .parts = {join(maybe.parts[0], other.is(Tag::kMaybe) ? other.parts[0] : other)}};
    }
    if (a.is(Tag::kSeq) && b.is(Tag::kSeq)) {
      return a.parts.empty() ? b : b.parts.empty() ? a : seq_kind(join(a.parts[0], b.parts[0]));
    }
    fail("the two arms have different kinds", to_text(a), to_text(b));
  }

  Kind compare(const Expression& e) {
    Kind left = infer(e.kids[0]);
    for (std::size_t i = 0; i < e.comparisons.size(); ++i) {
      Kind right = infer(e.kids[i + 1]);
      compare_pair(left, e.comparisons[i], right);
      left = std::move(right);
    }
    return bool_kind();
  }

  void compare_pair(const Kind& a, Comparison comparison, const Kind& b) const {
    if (a.is(Tag::kNone) || b.is(Tag::kNone)) {
      fail("nothing is compared with None", "present(…)");
    }
    switch (comparison) {
      case Comparison::kEqual:
      case Comparison::kNotEqual:
        if (!overlap(a, b)) {
          fail("values that are never equal are compared", to_text(a), to_text(b));
        }
        return;
      case Comparison::kIn:
      case Comparison::kNotIn:
        sequence(b, "in");
        if (!b.parts.empty() && !overlap(a, b.parts[0])) {
          fail("the sequence never holds the value", to_text(a), to_text(b));
        }
        return;
      default:
        break;
    }
    const bool sequences = a.is(Tag::kSeq) && b.is(Tag::kSeq);
    if (!sequences && !(is_number(a) && is_number(b))) {
      fail("values without an order are compared", "Int or Value", to_text(is_number(a) ? b : a));
    }
  }

  Kind call(const Expression& e);
  Kind present(const Expression& e) const;

  const KindScope& scope_;
  Names names_;
  const Text& text_;
  const Place& place_;
  const Expression* at_ = nullptr;  // what is being inferred
};

Kind Inference::present(const Expression& e) const {
  const bool named = e.kids.size() == 1 && e.keywords.empty() && e.kids[0].is(Op::kName);
  const std::string name = named ? e.kids[0].text : "";
  const auto found = names_.find(name);
  const bool maybe = found != names_.end() && found->second.is(Tag::kMaybe);
  if (!named || (!maybe && scope_.tensors.count(name) == 0)) {
    refuse_faulty(name);
    std::vector<std::string> known(scope_.tensors.begin(), scope_.tensors.end());
    fail("present(…) takes the name of a tensor, of a parameter that may be None, or out",
         "such a name" + nearest_name(name, known), name);
  }
  return bool_kind();
}

Kind Inference::call(const Expression& e) {
  if (e.text == "present") {
    return present(e);
  }
  const CallKind* row = find_call(e.text);
  if (row == nullptr) {
    fail("the language has no function '" + e.text + "'", "a function" + nearest_name(e.text, call_names()), e.text);
  }
  const std::string letters = std::string(row->required) + row->optional;
  const std::size_t least = row->repeats ? 0 : std::string(row->required).size();
  if (e.kids.size() < least || (!row->repeats && e.kids.size() > letters.size())) {
    fail(e.text + " takes another number of arguments", std::to_string(least), std::to_string(e.kids.size()));
  }
  Kind first;
  for (std::size_t i = 0; i < e.kids.size(); ++i) {
    Kind kind;
    if (e.kids[i].is(Op::kComprehension)) {
      const Names kept = names_;
      names_[e.kids[i].text] = item_of(infer(e.kids[i].kids[1]));
      kind = seq_kind(infer(e.kids[i].kids[0]));
      names_ = kept;
    } else {
      kind = infer(e.kids[i]);
    }
    if (!fits(letters[row->repeats ? 0 : i], kind)) {
      fail("argument " + std::to_string(i + 1) + " of " + e.text + " has the wrong kind", "", to_text(kind));
    }
    first = i == 0 ? kind : first;
  }
  return row->result(first);
}

}  // namespace

Kind infer_kind(const Expression& expression, const KindScope& scope, const Text& text, const Place& place) {
  return Inference(scope, text, place).infer(expression);
}

}  // namespace opyard
