#include <boundary/boundary_name.h>
#include <signature/composition.h>

#include <algorithm>
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

std::string boundary_name(const Signature& signature, const Effects& effects) {
  std::string op = signature.op();
  if (op.ends_with("Op")) op.resize(op.size() - 2);
  const std::string snake = snake_case(op);
  std::string name = snake.starts_with(signature.family() + "_") ? snake : signature.family() + "_" + snake;
  std::vector<std::string> written;
  for (const std::int32_t i : effects.written) written.push_back(signature.inputs()[i].name);
  std::sort(written.begin(), written.end());
  for (const std::string& input : written) name += "_writes_" + input;
  for (std::size_t i = 0; i < effects.emitted.size(); ++i)
    if (!effects.emitted[i]) name += "_without_" + signature.outputs()[i].name;
  return name;
}

std::string boundary_schema(const Signature& signature, const Effects& effects) {
  std::string text = boundary_name(signature, effects) + "(";
  char alias = 'a';
  for (std::size_t i = 0; i < signature.inputs().size(); ++i) {
    const TensorArgument& input = signature.inputs()[i];
    const bool written = std::count(effects.written.begin(), effects.written.end(), static_cast<std::int32_t>(i)) != 0;
    text += "Tensor";
    if (written) text += std::string("(") + alias++ + "!)";
    text += (input.optional ? "? " : " ") + input.name + ", ";
  }
  text += "str instance_key) -> ";
  const auto returned = returned_outputs(effects);
  if (returned.size() == 1) return text + "Tensor";
  text += "(";
  for (std::size_t i = 0; i < returned.size(); ++i) text += i ? ", Tensor" : "Tensor";
  return text + ")";
}

std::vector<std::size_t> returned_outputs(const Effects& effects) {
  std::vector<std::size_t> returned;
  for (std::size_t i = 0; i < effects.emitted.size(); ++i)
    if (effects.emitted[i] && effects.aliased[i] < 0) returned.push_back(i);
  return returned;
}

std::vector<std::string> compile_op_names(const Signature& signature) {
  if (signature.inputs().empty() || is_composite(signature)) return {};
  std::vector<std::string> names;
  for (const Effects& effects : effect_branches(signature))
    names.push_back("opyard::" + boundary_name(signature, effects));
  return names;
}

}  // namespace opyard
