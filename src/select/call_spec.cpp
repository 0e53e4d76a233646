// Reading a call spec by the manifest's names. Runs on a miss only.
#include <opyard/call_spec.h>
#include <opyard/error.h>

namespace opyard {
namespace {

template <class Items>
[[noreturn]] void fail_unknown(const CallSpec& spec, const Items& items, std::string_view name, const char* what) {
  std::string known;
  for (const auto& [own, value] : items) {
    known += (known.empty() ? "" : ", ") + own;
  }
  throw ContractError(SignatureError::Kind::kValue, std::string("the call spec has no ") + what + " of this name",
                      {.op = spec.op(),
                       .argument = std::string(name),
                       .expected = known.empty() ? "none" : known,
                       .advice = "name it as the manifest does"});
}

template <class Items>
const auto& find(const CallSpec& spec, const Items& items, std::string_view name, const char* what) {
  for (const auto& [own, value] : items) {
    if (own == name) {
      return value;
    }
  }
  fail_unknown(spec, items, name, what);
}

template <class Numbers>
std::string list_text(const Numbers& numbers) {
  std::string text = "[";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  }
  return text + "]";
}

std::string tensor_text(const TensorFacts& facts) {
  if (!facts.present) {
    return "absent";
  }
  std::string text = dtype_name(facts.dtype) + list_text(facts.sizes);
  if (facts.layout != c10::Layout::Strided) {
    return text + " opaque";
  }
  return facts.contiguous ? text : text + " strides " + list_text(facts.strides);
}

}  // namespace

CallSpec::CallSpec(std::string op, const Tensors& inputs, const Tensors& outputs, std::vector<NamedValue> params) {
  auto names = std::make_shared<CallNames>();
  names->op = std::move(op);
  names->params = std::move(params);
  for (const auto& [name, facts] : inputs) {
    names->inputs.push_back(name);
    tensors.push_back(facts);
  }
  for (const auto& [name, facts] : outputs) {
    names->outputs.push_back(name);
    tensors.push_back(facts);
  }
  names_ = std::move(names);
}

const TensorFacts& CallSpec::input(std::string_view name) const { return find(*this, inputs(), name, "input"); }

const TensorFacts& CallSpec::output(std::string_view name) const { return find(*this, outputs(), name, "output"); }

const Value& CallSpec::param(std::string_view name) const { return find(*this, params(), name, "parameter"); }

std::int64_t CallSpec::index(std::string_view name) const {
  const std::vector<NamedValue> all = indices();
  const Value& value = find(*this, all, name, "index");
  if (const auto* number = value.get_if<std::int64_t>()) {
    return *number;
  }
  throw ContractError(SignatureError::Kind::kType, "the index is not a number",
                      {.op = op(), .argument = std::string(name), .expected = "a solved Dim", .got = to_text(value)});
}

std::string CallSpec::text() const {
  std::string text = device.str() + ", arch " + std::to_string(arch);
  for (const auto& [name, facts] : inputs()) {
    text += ", " + name + " " + tensor_text(facts);
  }
  for (const auto& [name, value] : params()) {
    text += ", " + name + "=" + to_text(value);
  }
  return text;
}

}  // namespace opyard
