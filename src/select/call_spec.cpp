// Reading a call spec by the manifest's names. Runs on a miss only.
#include <opyard/error.h>
#include <opyard/implementation.h>

namespace opyard {
namespace {

template <class Item>
std::string names_of(const std::vector<Item>& items) {
  std::string text;
  for (const auto& [name, value] : items) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text.empty() ? "none" : text;
}

template <class Item>
const auto& find(const std::vector<Item>& items, std::string_view name, const char* what) {
  for (const auto& [own, value] : items) {
    if (own == name) {
      return value;
    }
  }
  ErrorFacts facts;
  facts.argument = std::string(name);
  facts.expected = names_of(items);
  facts.advice = "name it as the manifest does";
  throw ContractError(SignatureError::Kind::kValue, std::string("the call spec has no ") + what + " of this name",
                      std::move(facts));
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

const TensorFacts& CallSpec::input(std::string_view name) const { return find(inputs, name, "input"); }

const TensorFacts& CallSpec::output(std::string_view name) const { return find(outputs, name, "output"); }

const Value& CallSpec::param(std::string_view name) const { return find(params, name, "parameter"); }

std::int64_t CallSpec::index(std::string_view name) const {
  const Value& value = find(indices, name, "index");
  if (const auto* number = value.get_if<std::int64_t>()) {
    return *number;
  }
  ErrorFacts facts;
  facts.argument = std::string(name);
  facts.expected = "a solved Dim";
  facts.got = to_text(value);
  throw ContractError(SignatureError::Kind::kType, "the index is not a number", std::move(facts));
}

std::string CallSpec::text() const {
  std::string text = device.str() + ", arch " + std::to_string(arch);
  for (const auto& [name, facts] : inputs) {
    text += ", " + name + " " + tensor_text(facts);
  }
  for (const auto& [name, value] : params) {
    text += ", " + name + "=" + to_text(value);
  }
  return text;
}

}  // namespace opyard
