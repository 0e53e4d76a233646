#include "signature/index_words.h"

#include <bit>

namespace opyard {
namespace {

constexpr int kKindBits = 8;

std::int64_t header(ValKind kind, std::int64_t rest) { return rest << kKindBits | static_cast<std::int64_t>(kind); }

}  // namespace

void append_words(IndexWords& words, const Val<std::int64_t>& value, const Machine<std::int64_t>& machine) {
  switch (value.kind) {
    case ValKind::kBool:
      words.push_back(header(value.kind, value.boolean ? 1 : 0));
      return;
    case ValKind::kInt:
      words.push_back(header(value.kind, 0));
      words.push_back(value.integer);
      return;
    case ValKind::kFloat:
      words.push_back(header(value.kind, 0));
      words.push_back(std::bit_cast<std::int64_t>(value.number));
      return;
    case ValKind::kSequence:
      words.push_back(header(value.kind, value.length));
      for (std::int32_t i = 0; i < value.length; ++i) append_words(words, machine.item(value, i), machine);
      return;
    default:
      words.push_back(header(value.kind, value.id));
  }
}

std::optional<Value> IndexReader::read() {
  const std::int64_t word = *next_++;
  const auto kind = static_cast<ValKind>(word & ((1 << kKindBits) - 1));
  if (kind == ValKind::kNone) return std::nullopt;
  return value_of(kind, word >> kKindBits);
}

Value IndexReader::value_of(ValKind kind, std::int64_t rest) {
  switch (kind) {
    case ValKind::kBool:
      return rest != 0;
    case ValKind::kInt:
      return *next_++;
    case ValKind::kFloat:
      return std::bit_cast<double>(*next_++);
    case ValKind::kString:
      return rest < 0 ? Value() : Value(strings_.text(static_cast<std::int32_t>(rest)));
    case ValKind::kDtype:
      return static_cast<c10::ScalarType>(rest);
    case ValKind::kSequence:
      break;
    default:
      return {};
  }
  Sequence items;
  for (std::int64_t i = 0; i < rest; ++i) items.push_back(read().value_or(Value()));
  return items;
}

}  // namespace opyard
