#include <boundary/boundary.h>

#include <cctype>

namespace opyard {
namespace {

bool upper(const std::string& s, std::size_t i) {
  return i < s.size() && std::isupper(static_cast<unsigned char>(s[i]));
}
bool lower(const std::string& s, std::size_t i) {
  return i < s.size() && std::islower(static_cast<unsigned char>(s[i]));
}

// Words begin at a capital that follows a small letter or digit, or that ends an abbreviation: RMSNorm → rms_norm.
// Brand spellings such as RoPE, SiLU and MoE are one word.
std::string snake_case(std::string name) {
  static const std::pair<const char*, const char*> kOneWord[] = {
      {"RoPE", "Rope"}, {"SiLU", "Silu"}, {"GELU", "Gelu"},          {"ReLU", "Relu"},
      {"MoE", "Moe"},   {"YaRN", "Yarn"}, {"LogSumExp", "Logsumexp"}};
  for (const auto& [brand, word] : kOneWord)
    for (std::size_t at; (at = name.find(brand)) != std::string::npos;)
      name.replace(at, std::string(brand).size(), word);
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (i != 0 && upper(name, i) && (!upper(name, i - 1) || lower(name, i + 1))) out += '_';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return out;
}

}  // namespace

std::string boundary_name(const Signature& signature) {
  std::string op = signature.op();
  if (op.ends_with("Op")) op.resize(op.size() - 2);
  const std::string snake = snake_case(op);
  return snake.starts_with(signature.family() + "_") ? snake : signature.family() + "_" + snake;
}

std::string boundary_schema(const Signature& signature) {
  std::string text = boundary_name(signature) + "(";
  for (const auto& input : signature.inputs())
    text += std::string(input.optional ? "Tensor? " : "Tensor ") + input.name + ", ";
  text += "str instance_key) -> ";
  const auto& outputs = signature.outputs();
  if (outputs.size() == 1) return text + "Tensor";
  text += "(";
  for (std::size_t i = 0; i < outputs.size(); ++i) text += i ? ", Tensor" : "Tensor";
  return text + ")";
}

std::vector<std::string> compile_op_names(const Signature& signature) {
  if (signature.inputs().empty()) return {};
  return {"opyard::" + boundary_name(signature)};
}

}  // namespace opyard
