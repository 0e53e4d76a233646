#include "signature/program.h"

#include <algorithm>

#include "signature/plan_builder.h"

namespace opyard {

using Op = Expression::Op;

namespace {

constexpr std::uint64_t kMaxPoints = std::uint64_t{1} << 62;

/// In a dtype expression a bare dtype name is that dtype, unless the entry declares the name.
void read_dtype_names(Expression& expression, const Signature::Program& program) {
  if (expression.is(Op::kName) && program.slot(expression.text) < 0 && is_dtype_name(expression.text)) {
    expression.op = Op::kString;
  }
  for (Expression& kid : expression.kids) {
    read_dtype_names(kid, program);
  }
}

IndexProgram read_index(const IndexDecl& decl, const Place& place) {
  IndexProgram index{.name = decl.name, .text = decl.kind};
  const std::string& kind = decl.kind.text;
  if (kind == "Dim") {
    return index;
  }
  if (kind == "Shape" || kind == "Seq[Int]") {
    index.kind = kind == "Shape" ? IndexKind::kShape : IndexKind::kIntSequence;
    return index;
  }
  index.kind = IndexKind::kDtype;
  if (kind.rfind("DType[", 0) != 0 || kind.back() != ']') {
    fail_manifest(place, decl.kind.mark, "no such kind of index", "Dim, Shape, DType[… | …] or Seq[Int]", kind);
  }
  for (const std::string& name : split_union(kind.substr(6, kind.size() - 7))) {
    if (!is_dtype_name(name)) {
      fail_manifest(place, decl.kind.mark, "no such dtype", "", name);
    }
    const c10::ScalarType dtype = dtype_by_name(name);
    if (dtype != c10::ScalarType::Undefined) {
      index.dtypes |= std::uint64_t{1} << static_cast<int>(dtype);
    }
  }
  return index;
}

/// The values of one field that a point fixes; none when it is a number.
std::vector<Value> field_choices(const IndexDecl& field) {
  if (field.kind.text == "bool") {
    return {Value(false), Value(true)};
  }
  std::vector<Value> choices;
  for (const std::string& part : split_union(field.kind.text)) {
    if (part.size() > 2 && part.front() == '\'') {
      choices.emplace_back(part.substr(1, part.size() - 2));
    }
  }
  return choices;
}

constexpr std::size_t kMostAdtShapes = 1 << 12;

void check_shape_count(const AdtDecl& adt, const Place& place) {
  for (const AdtDecl::Constructor& constructor : adt.constructors) {
    std::size_t count = 1;
    for (const IndexDecl& field : constructor.fields) {
      count *= std::max<std::size_t>(field_choices(field).size(), 1);
      if (count > kMostAdtShapes) {
        fail_manifest(place, adt.mark, "a constructor with too many choices in its fields",
                      std::to_string(kMostAdtShapes) + " at most", constructor.name);
      }
    }
  }
}

std::vector<Discriminant::Shape> adt_shapes(const AdtDecl& adt, bool maybe) {
  std::vector<Discriminant::Shape> shapes;
  if (maybe) {
    shapes.emplace_back();
  }
  for (const AdtDecl::Constructor& constructor : adt.constructors) {
    std::vector<Discriminant::Shape> partial{{constructor.name, {}}};
    for (const IndexDecl& field : constructor.fields) {
      const std::vector<Value> choices = field_choices(field);
      if (choices.empty()) {
        continue;
      }
      std::vector<Discriminant::Shape> longer;
      for (const Discriminant::Shape& shape : partial) {
        for (const Value& choice : choices) {
          longer.push_back(shape);
          longer.back().fields.emplace_back(field.name, choice);
        }
      }
      partial = std::move(longer);
    }
    shapes.insert(shapes.end(), partial.begin(), partial.end());
  }
  return shapes;
}

}  // namespace

std::uint64_t Discriminant::size() const {
  switch (kind) {
    case Kind::kEnum:
      return choices.size();
    case Kind::kAdt:
      return shapes.size();
    default:
      return 2;
  }
}

std::uint64_t Discriminant::choice(const Value& value) const {
  switch (kind) {
    case Kind::kBool:
      return value.get<bool>() ? 1 : 0;
    case Kind::kEnum:
      return static_cast<std::uint64_t>(std::find(choices.begin(), choices.end(), value.get<std::string>()) -
                                        choices.begin());
    case Kind::kPresence:
      return value.is_none() ? 0 : 1;
    default:
      break;
  }
  const Sequence* parts = value.get_if<Sequence>();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const bool same_constructor =
        parts == nullptr ? shapes[i].constructor.empty() : (*parts)[0] == Value(shapes[i].constructor);
    const bool same_fields = std::all_of(shapes[i].fields.begin(), shapes[i].fields.end(), [&](const auto& field) {
      return parts != nullptr && std::find(parts->begin() + 1, parts->end(), field.second) != parts->end();
    });
    if (same_constructor && same_fields) {
      return i;
    }
  }
  return 0;
}

std::string Discriminant::choice_text(std::uint64_t choice) const {
  switch (kind) {
    case Kind::kBool:
      return choice == 0 ? "false" : "true";
    case Kind::kEnum:
      return "'" + choices[choice] + "'";
    case Kind::kAdt: {
      const Shape& shape = shapes[choice];
      std::string text = shape.constructor.empty() ? "None" : shape.constructor;
      for (const auto& [name, value] : shape.fields) {
        text += " " + name + "=" + to_text(value);
      }
      return text;
    }
    default:
      return choice == 0 ? "absent" : "present";
  }
}

Signature::Program::Program(std::shared_ptr<const Schema> schema_in) : schema(std::move(schema_in)) {
  for (const char* word : {"bool", "int", "float", "complex", "full", "noop", "reject", ""}) {
    strings.intern(word);
  }
  add_params();
  add_indices();
  for (const LetDecl& let : schema->lets) {
    add_slot(let.name);
  }
  for (const auto* tensors : {&schema->inputs, &schema->construction_tensors}) {
    for (const TensorDecl& decl : *tensors) {
      input_number.emplace(decl.name, static_cast<std::int32_t>(input_number.size()));
    }
  }
  call_inputs = schema->inputs.size();
  add_discriminants();
  for (const FamilyDecl& decl : schema->families) {
    FamilyProgram family{.name = decl.name, .mark = decl.mark};
    for (const IndexDecl& formal : decl.formals) {
      family.formals.push_back(formal.name);
    }
    for (const Text& match : decl.match) {
      family.match.push_back(declared(match, "types " + decl.name).expression);
    }
    for (const FamilyDecl::Case& item : decl.cases) {
      family.cases.push_back({item.when, declared(item.is, "types " + decl.name, true).expression});
    }
    families.emplace(decl.name, std::move(family));
  }
  for (const LetDecl& let : schema->lets) {
    lets.push_back(declared(let.value, let.name));
  }
  for (std::size_t i = 0; i < schema->rules.size(); ++i) {
    rules.push_back(declared(schema->rules[i].rule, "shape_rules[" + std::to_string(i) + "]"));
  }
  for (const auto* tensors : {&schema->inputs, &schema->construction_tensors}) {
    for (const TensorDecl& decl : *tensors) {
      inputs.push_back(tensor_program(decl));
    }
  }
  for (const TensorDecl& decl : schema->outputs) {
    outputs.push_back(tensor_program(decl));
  }
}

void Signature::Program::add_slot(const std::string& name) {
  slots.emplace(name, static_cast<std::int32_t>(slot_names.size()));
  slot_names.push_back(name);
}

void Signature::Program::add_params() {
  for (const ParamDecl& param : schema->params) {
    const Place place = place_in(*schema, "parameter '" + param.name + "'");
    param_number.emplace(param.name, static_cast<std::int32_t>(param_types.size()));
    param_types.push_back(param.is_tensor ? ParamType{.members = {{.kind = TypeMember::Kind::kTensor}}}
                                          : parse_param_type(param.type, schema->adts, place));
    for (const TypeMember& member : param_types.back().members) {
      if (member.kind == TypeMember::Kind::kLiteral || member.kind == TypeMember::Kind::kDtype) {
        strings.intern(member.text);
      }
    }
    defaults.push_back(default_of(param, param_types.back(), place));
    add_slot(param.name);
  }
  for (const AdtDecl& adt : schema->adts) {
    for (const AdtDecl::Constructor& constructor : adt.constructors) {
      strings.intern(constructor.name);
      if (!constructor.invariant.empty()) {
        const std::string name = adt.name + "." + constructor.name;
        invariants.emplace(name, declared(constructor.invariant, "invariant of " + name));
      }
      for (const IndexDecl& field : constructor.fields) {
        for (const Value& choice : field_choices(field)) {
          if (const auto* text = choice.get_if<std::string>()) {
            strings.intern(*text);
          }
        }
      }
    }
  }
}

Value Signature::Program::default_of(const ParamDecl& param, const ParamType& type, const Place& place) const {
  if (!param.default_value) {
    return {};
  }
  std::optional<Value> value = convert(type, schema->adts, value_of(*param.default_value));
  if (!value) {
    fail_manifest(place, param.default_value->mark, "the default is not of the parameter's type", param.type.text,
                  to_text(*param.default_value));
  }
  return std::move(*value);
}

void Signature::Program::add_indices() {
  for (const IndexDecl& decl : schema->forall) {
    indices.push_back(read_index(decl, place_in(*schema, "index '" + decl.name + "'")));
    add_slot(decl.name);
  }
}

void Signature::Program::add_discriminants() {
  std::uint64_t points = 1;
  const auto add = [&](Discriminant axis) {
    if (points > kMaxPoints / axis.size()) {
      fail_manifest(place_in(*schema, "signature"), schema->mark, "too many independent choices in one entry");
    }
    points *= axis.size();
    discriminants.push_back(std::move(axis));
  };
  for (std::size_t i = 0; i < param_types.size(); ++i) {
    const ParamType& type = param_types[i];
    Discriminant axis{.kind = Discriminant::Kind::kPresence, .number = static_cast<std::int32_t>(i)};
    if (type.is_adt()) {
      for (const AdtDecl& adt : schema->adts) {
        if (adt.name == type.members[0].text) {
          axis.kind = Discriminant::Kind::kAdt;
          check_shape_count(adt, place_in(*schema, "parameter '" + schema->params[i].name + "'"));
          axis.shapes = adt_shapes(adt, type.maybe);
          for (const AdtDecl::Constructor& constructor : adt.constructors) {
            for (const IndexDecl& field : constructor.fields) {
              if (field_choices(field).empty()) {
                add_slot(schema->params[i].name + "." + field.name);
              }
            }
          }
        }
      }
    } else if (!type.maybe && type.is_bool()) {
      axis.kind = Discriminant::Kind::kBool;
    } else if (!type.maybe && type.is_enum()) {
      axis.kind = Discriminant::Kind::kEnum;
      for (const TypeMember& member : type.members) {
        axis.choices.push_back(member.text);
      }
    } else if (!type.maybe) {
      continue;
    }
    add(std::move(axis));
  }
  param_discriminants = discriminants.size();
  std::int32_t number = 0;
  for (const auto* tensors : {&schema->inputs, &schema->construction_tensors}) {
    for (const TensorDecl& decl : *tensors) {
      if (decl.optional) {
        add({.kind = Discriminant::Kind::kTensor, .number = number});
      }
      ++number;
    }
  }
}

void Signature::Program::intern(const Expression& expression) {
  if (expression.is(Op::kString)) {
    strings.intern(expression.text);
  }
  for (const Expression& kid : expression.kids) {
    intern(kid);
  }
}

Declared Signature::Program::declared(const Text& text, std::string what, bool shape) {
  const Place place = place_in(*schema, what);
  Declared result{shape ? parse_shape(text, place) : parse_expression(text, place), text, std::move(what)};
  intern(result.expression);
  return result;
}

TensorProgram Signature::Program::tensor_program(const TensorDecl& decl) {
  const std::string what = "tensor '" + decl.name + "'";
  TensorProgram tensor{.decl = &decl};
  tensor.shape = declared(decl.shape, what + " shape", true);
  tensor.dtype = declared(decl.dtype, what + " dtype");
  read_dtype_names(tensor.dtype.expression, *this);
  intern(tensor.dtype.expression);
  if (!decl.present_when.empty()) {
    tensor.present_when = declared(decl.present_when, what + " optional");
  }
  if (!decl.nullable.empty()) {
    tensor.nullable = declared(decl.nullable, what + " nullable");
  }
  if (!decl.mutated.empty()) {
    tensor.mutated = declared(decl.mutated, what + " mutated");
  }
  return tensor;
}

const IndexProgram* Signature::Program::index(const std::string& name) const {
  const auto found = std::find_if(indices.begin(), indices.end(),
                                  [&](const IndexProgram& candidate) { return candidate.name == name; });
  return found == indices.end() ? nullptr : &*found;
}

const ConstructionPlan& Signature::Program::construction_plan(std::uint64_t point) const {
  return construction_plans.get(point, [&] { return build_construction_plan(*this, point); });
}

const CheckPlan& Signature::Program::call_plan(std::uint64_t point) const {
  return call_plans.get(point, [&] { return build_call_plan(*this, point); });
}

}  // namespace opyard
