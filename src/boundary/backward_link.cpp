#include <boundary/backward_link.h>
#include <error/nearest_name.h>
#include <manifest/schema.h>
#include <opyard/error.h>
#include <signature/program.h>

#include <algorithm>
#include <optional>

namespace opyard {
namespace {

using Kind = BackwardSource::Kind;

template <class Arguments>
std::optional<std::size_t> number_of(const Arguments& arguments, const std::string& name) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].name == name) return i;
  return std::nullopt;
}

/// The name inside `function(name)`.
std::optional<std::string> argument_of(const std::string& text, const std::string& function) {
  if (!text.starts_with(function + "(") || !text.ends_with(")")) return std::nullopt;
  return text.substr(function.size() + 1, text.size() - function.size() - 2);
}

class Reader {
 public:
  Reader(const Registry& registry, const Signature& forward)
      : forward_(forward), node_(forward.program().schema->backward) {
    link_.backward = registry.find(node_.find("op")->text).signature;
    link_.inputs.resize(link_.backward->inputs().size());
    link_.gives.resize(link_.backward->outputs().size());
  }

  BackwardLink read() {
    read_given(*node_.find("given"));
    read_gives(*node_.find("gives"));
    require_all();
    return std::move(link_);
  }

 private:
  [[noreturn]] void fail(const std::string& summary, const std::string& argument, const std::string& got,
                         const Mark& mark) const {
    throw ManifestError(forward_.program().schema->file + ":" + std::to_string(mark.line) + ": " + summary,
                        {.op = forward_.op(),
                         .argument = argument,
                         .expected = "what " + link_.backward->op() + " declares at " + link_.backward->declared_at(),
                         .got = got,
                         .declared_at = forward_.declared_at()});
  }

  BackwardSource source(const Node& item) const {
    switch (item.kind) {
      case Node::Kind::kBool:
        return {Kind::kLiteral, 0, item.integer != 0};
      case Node::Kind::kInt:
        return {Kind::kLiteral, 0, item.integer};
      case Node::Kind::kFloat:
        return {Kind::kLiteral, 0, item.number};
      default:
        return named_source(item);
    }
  }

  BackwardSource named_source(const Node& item) const {
    const std::string& text = item.text;
    if (text.size() > 1 && text.front() == '\'') return {Kind::kLiteral, 0, text.substr(1, text.size() - 2)};
    if (const auto output = argument_of(text, "grad"))
      return {Kind::kGradient, *number_of(forward_.outputs(), *output), {}};
    if (const auto input = argument_of(text, "needs"))
      return {Kind::kNeeded, *number_of(forward_.inputs(), *input), {}};
    if (const auto input = number_of(forward_.inputs(), text)) return {Kind::kInput, *input, {}};
    if (const auto output = number_of(forward_.outputs(), text)) return {Kind::kOutput, *output, {}};
    return {Kind::kParameter, *number_of(forward_.params(), text), {}};
  }

  void read_given(const Node& given) {
    for (std::size_t i = 0; i < given.items.size(); ++i) {
      const std::string& name = given.keys[i];
      BackwardSource from = source(given.items[i]);
      const bool tensor = from.kind == Kind::kInput || from.kind == Kind::kOutput || from.kind == Kind::kGradient;
      if (from.kind == Kind::kGradient) link_.gradients.push_back(from.number);
      if (const auto input = number_of(link_.backward->inputs(), name); input && tensor)
        link_.inputs[*input] = std::move(from);
      else if (number_of(link_.backward->params(), name) && !tensor)
        link_.params.emplace_back(name, std::move(from));
      else
        fail("the backward operator has no such argument", name, to_text(given.items[i]), given.key_marks[i]);
    }
    std::sort(link_.gradients.begin(), link_.gradients.end());
  }

  void read_gives(const Node& gives) {
    for (std::size_t i = 0; i < gives.items.size(); ++i) {
      const auto output = number_of(link_.backward->outputs(), gives.keys[i]);
      if (!output) fail("the backward operator has no such output", gives.keys[i], gives.keys[i], gives.key_marks[i]);
      const Node& inputs = gives.items[i];
      for (const Node& input : inputs.is_list() ? inputs.items : std::vector<Node>{inputs})
        link_.gives[*output].push_back(*number_of(forward_.inputs(), input.text));
      link_.differentiable.insert(link_.differentiable.end(), link_.gives[*output].begin(), link_.gives[*output].end());
    }
    std::sort(link_.differentiable.begin(), link_.differentiable.end());
  }

  void require_all() const {
    for (std::size_t i = 0; i < link_.inputs.size(); ++i)
      if (link_.inputs[i].kind == Kind::kAbsent && !link_.backward->inputs()[i].optional)
        fail("the backward operator is not given an input that it requires", link_.backward->inputs()[i].name,
             "nothing", node_.mark);
    for (const ParameterArgument& param : link_.backward->params())
      if (!param.default_value && std::none_of(link_.params.begin(), link_.params.end(),
                                               [&](const auto& given) { return given.first == param.name; }))
        fail("the backward operator is not given a parameter that it requires", param.name, "nothing", node_.mark);
  }

  const Signature& forward_;
  const Node& node_;
  BackwardLink link_;
};

}  // namespace

std::shared_ptr<InstanceSpec> BackwardLink::spec(Registry& registry, const Construction& forward,
                                                 c10::ArrayRef<bool> needed) const {
  std::vector<NamedValue> values;
  for (const auto& [name, from] : params) {
    if (from.kind == Kind::kParameter) {
      values.emplace_back(name, forward.params[from.number]);
    } else if (from.kind == Kind::kNeeded) {
      const auto place = std::find(differentiable.begin(), differentiable.end(), from.number);
      values.emplace_back(name, place != differentiable.end() && needed[place - differentiable.begin()]);
    } else {
      values.emplace_back(name, from.literal);
    }
  }
  return InstanceSpec::get(registry, backward->op(), values, {});
}

bool records_nothing(const Signature& signature) {
  const auto is_real = [](const TensorProgram& output) {
    const c10::ScalarType dtype = dtype_by_name(output.decl->dtype.text);
    return dtype == c10::ScalarType::Undefined || c10::isFloatingType(dtype) || c10::isComplexType(dtype);
  };
  const auto& outputs = signature.program().outputs;
  return std::none_of(outputs.begin(), outputs.end(), is_real);
}

bool recorded_by_aten(const Signature& signature) { return signature.program().schema->backward.is_string(); }

std::shared_ptr<const BackwardLink> read_backward(const Registry& registry, const Signature& signature) {
  if (signature.program().schema->backward.is_null()) return nullptr;
  return std::make_shared<const BackwardLink>(Reader(registry, signature).read());
}

}  // namespace opyard
