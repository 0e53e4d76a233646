#include <call/spec_text.h>
#include <opyard/error.h>
#include <yaml-cpp/yaml.h>

#include <charconv>

namespace opyard {
namespace {

void append_quoted(std::string& out, const std::string& text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

// The shortest text that reads back as the same double, and never as an integer.
void append_float(std::string& out, double value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  out += text;
  if (text.find_first_of(".einf") == std::string_view::npos) out += ".0";
}

void append(std::string& out, const Value& value) {
  if (value.is_none()) {
    out += "null";
  } else if (const auto* flag = value.get_if<bool>()) {
    out += *flag ? "true" : "false";
  } else if (const auto* number = value.get_if<std::int64_t>()) {
    out += std::to_string(*number);
  } else if (const auto* real = value.get_if<double>()) {
    append_float(out, *real);
  } else if (const auto* text = value.get_if<std::string>()) {
    append_quoted(out, *text);
  } else if (const auto* dtype = value.get_if<c10::ScalarType>()) {
    append_quoted(out, dtype_name(*dtype));
  } else if (const auto* device = value.get_if<c10::Device>()) {
    append_quoted(out, device->str());
  } else {
    out += '[';
    bool first = true;
    for (const Value& item : value.get<Sequence>()) {
      if (!first) out += ",";
      first = false;
      append(out, item);
    }
    out += ']';
  }
}

Value read(const YAML::Node& node) {
  if (node.IsNull()) return {};
  if (node.IsSequence()) {
    Sequence items;
    for (const auto& item : node) items.push_back(read(item));
    return items;
  }
  const std::string text = node.as<std::string>();
  if (node.Tag() == "!") return text;  // quoted
  if (text == "true" || text == "false") return text == "true";
  if (text == "null") return {};
  std::int64_t number = 0;
  const auto whole = std::from_chars(text.data(), text.data() + text.size(), number);
  if (whole.ec == std::errc() && whole.ptr == text.data() + text.size()) return number;
  double real = 0;
  const auto part = std::from_chars(text.data(), text.data() + text.size(), real);
  if (part.ec == std::errc() && part.ptr == text.data() + text.size()) return real;
  return text;
}

}  // namespace

std::string spec_text(const Signature& signature, const Construction& construction, const std::string& target) {
  std::string out = "{\"op\":";
  append_quoted(out, signature.op());
  out += ",\"params\":{";
  for (std::size_t i = 0; i < signature.params().size(); ++i) {
    if (i != 0) out += ",";
    append_quoted(out, signature.params()[i].name);
    out += ":";
    append(out, construction.params[i]);
  }
  out += "},\"target\":";
  if (target.empty())
    out += "null";
  else
    append_quoted(out, target);
  out += ",\"digest\":";
  append_quoted(out, signature.digest());
  return out + "}";
}

ParsedSpec parse_spec_text(const std::string& text) {
  try {
    const YAML::Node root = YAML::Load(text);
    ParsedSpec spec;
    spec.op = root["op"].as<std::string>();
    for (const auto& item : root["params"]) spec.params.emplace_back(item.first.as<std::string>(), read(item.second));
    if (!root["target"].IsNull()) spec.target = root["target"].as<std::string>();
    spec.digest = root["digest"].as<std::string>();
    return spec;
  } catch (const YAML::Exception& e) {
    throw SignatureError(SignatureError::Kind::kValue, "this is no instance spec",
                         {.argument = "instance_key",
                          .expected = "the text or key of an opyard instance",
                          .got = text + " (" + e.what() + ")"});
  }
}

}  // namespace opyard
