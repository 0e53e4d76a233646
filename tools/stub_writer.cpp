// opyard_stub_writer DIR OUT.pyi: the types of the operator classes that a folder of manifests declares, for type
// checkers and editors.
#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>

#include "manifest/builtin.h"
#include "manifest/param_type.h"
#include "manifest/reader.h"

namespace opyard {

/// The writer itself carries no entries.
BuiltinTable builtin_table() { return {}; }

}  // namespace opyard

namespace {

using opyard::ParamDecl;
using opyard::ParamType;
using opyard::Schema;
using opyard::TensorDecl;
using opyard::TypeMember;
using opyard::Value;

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) {
    text += (text.empty() ? "" : between) + part;
  }
  return text;
}

void add_once(std::vector<std::string>& parts, const std::string& part) {
  for (const std::string& known : parts) {
    if (known == part) {
      return;
    }
  }
  parts.push_back(part);
}

std::string member_annotation(const TypeMember& member) {
  switch (member.kind) {
    case TypeMember::Kind::kInt:
      return "int";
    case TypeMember::Kind::kBool:
      return "bool";
    case TypeMember::Kind::kStr:
      return "str";
    case TypeMember::Kind::kDtype:
      return "torch.dtype";
    case TypeMember::Kind::kAnyDtype:
      return "torch.dtype | str";
    case TypeMember::Kind::kSequence:
      return member.none_items ? "Sequence[int | None]" : "Sequence[int]";
    case TypeMember::Kind::kNumber:
      return "float";
    case TypeMember::Kind::kMapping:
      return "Mapping[str, Any]";
    case TypeMember::Kind::kTensor:
      return "torch.Tensor";
    case TypeMember::Kind::kLiteral:  // gathered: one Literal for all of a union
    case TypeMember::Kind::kAdt:
    case TypeMember::Kind::kOpaque:
      break;
  }
  return "Any";
}

std::string annotation(const ParamType& type) {
  std::vector<std::string> parts, literals;
  for (const TypeMember& member : type.members) {
    if (member.kind == TypeMember::Kind::kLiteral || member.kind == TypeMember::Kind::kDtype) {
      literals.push_back("'" + member.text + "'");
    }
    if (member.kind != TypeMember::Kind::kLiteral) {
      add_once(parts, member_annotation(member));
    }
  }
  if (!literals.empty()) {
    parts.push_back("Literal[" + joined(literals, ", ") + "]");
  }
  if (type.maybe) {
    parts.push_back("None");
  }
  return joined(parts, " | ");
}

std::string literal(const Value& value) {
  if (const auto* dtype = value.get_if<c10::ScalarType>()) {
    return "torch." + std::string(opyard::dtype_name(*dtype));
  }
  const auto* number = value.get_if<double>();
  const bool unwritten = value.get_if<opyard::Sequence>() != nullptr || (number != nullptr && !std::isfinite(*number));
  return unwritten ? "..." : to_text(value);
}

std::string parameter(const Schema& schema, const ParamDecl& param) {
  if (param.is_tensor) {
    return param.name + ": torch.Tensor | None = None";
  }
  const ParamType type = parse_param_type(param.type, schema.adts, place_in(schema, "param '" + param.name + "'"));
  std::string text = param.name + ": " + annotation(type);
  if (param.default_value) {
    const auto converted = convert(type, schema.adts, opyard::value_of(*param.default_value));
    text += " = " + (converted ? literal(*converted) : "...");
  }
  return text;
}

std::string constructor(const Schema& schema) {
  std::vector<std::string> arguments = {"self"};
  for (const ParamDecl& param : schema.params) {
    if (!param.kw_only) {
      arguments.push_back(parameter(schema, param));
    }
  }
  arguments.emplace_back("*");
  for (const ParamDecl& param : schema.params) {
    if (param.kw_only) {
      arguments.push_back(parameter(schema, param));
    }
  }
  arguments.emplace_back("target: str | None = None");
  return "    def __init__(" + joined(arguments, ", ") + ") -> None: ...\n";
}

std::string result(const Schema& schema) {
  std::vector<std::string> types;
  for (const TensorDecl& output : schema.outputs) {
    types.emplace_back(output.nullable.empty() ? "torch.Tensor" : "torch.Tensor | None");
  }
  return types.empty() ? "None" : types.size() == 1 ? types[0] : "tuple[" + joined(types, ", ") + "]";
}

std::string call(const Schema& schema) {
  std::vector<std::string> arguments = {"self"};
  for (const bool keyword_only : {false, true}) {
    bool first = true;
    for (const TensorDecl& input : schema.inputs) {
      if (input.kw_only != keyword_only) {
        continue;
      }
      if (keyword_only && first) {
        arguments.emplace_back("*");
      }
      first = false;
      const bool optional = input.optional || !input.present_when.empty();
      arguments.push_back(input.name + (optional ? ": torch.Tensor | None = None" : ": torch.Tensor"));
    }
  }
  return "    def __call__(" + joined(arguments, ", ") + ") -> " + result(schema) + ": ...\n";
}

std::string class_stub(const Schema& schema) {
  std::string text = "\nclass " + schema.op + "(Op):\n";
  if (!schema.summary.empty()) {
    text += "    \"\"\"" + schema.summary + "\"\"\"\n\n";
  }
  return text + constructor(schema) + call(schema);
}

int write(const std::filesystem::path& folder, const std::filesystem::path& output) {
  std::string text =
      "# Generated by opyard_stub_writer from the manifests; do not edit.\n"
      "from collections.abc import Mapping, Sequence\nfrom typing import Any, Literal\n\nimport torch\n\n"
      "from opyard._op import Op\n";
  for (const opyard::EntryText& entry : opyard::read_catalogue(folder, folder.filename()).entries) {
    text += class_stub(*opyard::read_entry(entry));
  }
  std::filesystem::create_directories(output.parent_path());
  std::ofstream(output) << text;
  return std::ifstream(output) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: opyard_stub_writer DIR OUT.pyi\n";
    return 2;
  }
  try {
    return write(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
