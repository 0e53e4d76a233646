#include <ATen/core/jit_type.h>
#include <boundary/boundary_schema.h>
#include <torch/library.h>

#include <algorithm>
#include <string>
#include <vector>

namespace opyard {
namespace {

c10::Argument argument(std::string_view text) {
  const std::size_t space = text.find(' ');
  const std::string_view type = text.substr(0, space);
  const std::string name(text.substr(space + 1));
  if (type == "Tensor") return {name, c10::TensorType::get()};
  if (type == "Tensor?") return {name, c10::OptionalType::ofTensor()};
  return {name, c10::StringType::get()};
}

}  // namespace

c10::FunctionSchema parse_boundary_schema(std::string_view text) {
  // Aliases are few and their rules torch's own.
  if (text.find('!') != std::string_view::npos) return torch::schema(std::string(text).c_str());
  const std::size_t open = text.find('('), close = text.find(')');
  std::vector<c10::Argument> arguments, returns;
  for (std::size_t at = open + 1; at < close;) {
    const std::size_t end = std::min(text.find(", ", at), close);
    arguments.push_back(argument(text.substr(at, end - at)));
    at = end + 2;
  }
  const std::string_view kTensor = "Tensor";
  for (std::size_t at = text.find(kTensor, close); at != std::string_view::npos; at = text.find(kTensor, at + 1))
    returns.emplace_back("", c10::TensorType::get());
  return {std::string(text.substr(0, open)), "", std::move(arguments), std::move(returns)};
}

}  // namespace opyard
