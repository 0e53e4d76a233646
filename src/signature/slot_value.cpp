#include "signature/slot_value.h"

#include <set>

#include "signature/integers.h"

namespace opyard {

template <class Int>
std::string val_text(const Val<Int>& value, const Machine<Int>& machine, const StringTable& strings) {
  switch (value.kind) {
    case ValKind::kNone:
      return "None";
    case ValKind::kBool:
      return known(value.boolean) ? (*known(value.boolean) ? "True" : "False") : "a symbolic truth";
    case ValKind::kInt:
      return int_text(value.integer);
    case ValKind::kFloat:
      return to_text(Value(value.number));
    case ValKind::kString:
      return value.id < 0 ? "a string" : "'" + strings.text(value.id) + "'";
    case ValKind::kDtype:
      return to_text(Value(value.dtype()));
    case ValKind::kOpaque:
      return "an object";
    case ValKind::kSequence:
      break;
  }
  std::string text = "[";
  for (std::int32_t i = 0; i < value.length; ++i) {
    text += (i > 0 ? ", " : "") + val_text(machine.item(value, i), machine, strings);
  }
  return text + "]";
}

template <class Int>
std::string values_text(const Signature::Program& program, const Expression& expression, const Machine<Int>& machine) {
  std::set<std::string> seen;
  std::string text;
  for_each_name(expression, [&](const std::string& name) {
    const std::int32_t slot = program.slot(name);
    if (slot < 0 || slot >= static_cast<std::int32_t>(machine.slots.size()) || !seen.insert(name).second) {
      return;
    }
    text += (text.empty() ? "" : ", ") + name + " = " + val_text(machine.slots[slot], machine, program.strings);
  });
  return text;
}

template std::string values_text(const Signature::Program&, const Expression&, const Machine<std::int64_t>&);
template std::string values_text(const Signature::Program&, const Expression&, const Machine<c10::SymInt>&);
template std::string val_text(const Val<std::int64_t>&, const Machine<std::int64_t>&, const StringTable&);
template std::string val_text(const Val<c10::SymInt>&, const Machine<c10::SymInt>&, const StringTable&);

Value plain_value_of(const Val<std::int64_t>& value, const Machine<std::int64_t>& machine, const StringTable& strings) {
  switch (value.kind) {
    case ValKind::kBool:
      return value.boolean;
    case ValKind::kInt:
      return value.integer;
    case ValKind::kFloat:
      return value.number;
    case ValKind::kString:
      return value.id < 0 ? Value() : Value(strings.text(value.id));
    case ValKind::kDtype:
      return value.dtype();
    case ValKind::kSequence:
      break;
    default:
      return {};
  }
  Sequence items;
  for (std::int32_t i = 0; i < value.length; ++i) {
    items.push_back(plain_value_of(machine.item(value, i), machine, strings));
  }
  return items;
}

}  // namespace opyard
