// Static kinds of expressions: what an entry's texts must agree on before any value is known.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "manifest/expression.h"
#include "manifest/faults.h"
#include "manifest/param_type.h"
#include "manifest/schema.h"

namespace opyard {

struct Kind {
  enum class Tag : std::uint8_t { kInt, kBool, kStr, kDtype, kSeq, kAdt, kNone, kValue, kMaybe, kUnion };

  Tag tag = Tag::kInt;
  std::set<std::string> members;  // kStr: of an enum, empty for any string; kDtype: the set; kAdt: its name
  std::vector<Kind> parts;        // kSeq: item; kMaybe: payload; kUnion: its parts

  bool is(Tag wanted) const { return tag == wanted; }
  bool operator==(const Kind& other) const = default;
};

Kind int_kind();
Kind bool_kind();
Kind value_kind();
Kind seq_kind(Kind item);
Kind str_kind(std::set<std::string> members);
Kind dtype_kind(std::set<std::string> members);

inline bool is_number(const Kind& kind) { return kind.is(Kind::Tag::kInt) || kind.is(Kind::Tag::kValue); }

/// `Int`, `Seq[Int]`, `'a' | 'b'`, for errors.
std::string to_text(const Kind& kind);

Kind kind_of(const ParamType& type);

/// Kinds of names where an expression stands. Names that are declared but have no value there are `tensors`.
struct KindScope {
  std::map<std::string, Kind> names;
  std::set<std::string> tensors;  // only inside present(…)
  const std::vector<AdtDecl>* adts = nullptr;
  const Faults* faults = nullptr;  // knows the names whose declarations are at fault
};

/// Whether a value of one kind can equal a value of the other.
bool overlap(const Kind& a, const Kind& b);

/// Whether a value of one kind may stand where the other is declared, as an argument of a family.
bool accepts(const Kind& declared, const Kind& given);

/// The kind of an expression. Throws ManifestError, naming the place, where its parts do not agree, and
/// ReadsFaultyName.
Kind infer_kind(const Expression& expression, const KindScope& scope, const Text& text, const Place& place);

}  // namespace opyard
