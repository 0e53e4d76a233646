#include "signature/alternatives.h"

#include <algorithm>
#include <set>

#include "signature/complete_row.h"
#include "signature/program.h"

namespace opyard {
namespace {

constexpr std::size_t kMostRowValues = 4;
constexpr std::size_t kMostProduct = 48;

void add(std::vector<Value>& values, Value value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) {
    values.push_back(std::move(value));
  }
}

void add_member(std::vector<Value>& values, const TypeMember& member) {
  switch (member.kind) {
    case TypeMember::Kind::kBool:
      add(values, false);
      add(values, true);
      break;
    case TypeMember::Kind::kLiteral:
    case TypeMember::Kind::kDtype:
      add(values, member.text);
      break;
    case TypeMember::Kind::kInt:
      for (const std::int64_t number : {1, 2, 0, -1, -2, 3}) {
        add(values, number);
      }
      break;
    case TypeMember::Kind::kNumber:
      add(values, 0.5);
      add(values, 2.0);
      break;
    case TypeMember::Kind::kSequence:
      for (const Sequence& items :
           {Sequence{1}, Sequence{0}, Sequence{-1}, Sequence{0, 1}, Sequence{1, 2}, Sequence{0, -1}, Sequence{}}) {
        if (member.length < 0 || items.size() == static_cast<std::size_t>(member.length)) {
          add(values, items);
        }
      }
      if (member.length > 2) {
        add(values, Sequence(static_cast<std::size_t>(member.length), 1));
      }
      break;
    default:
      break;  // an object, a mapping or a string has no values that a declaration could name
  }
}

/// One thing that a draft sets: a parameter, or whether an optional tensor is passed.
struct Axis {
  std::string name;
  bool tensor = false;
  std::vector<Value> values;
};

std::vector<Axis> axes_of(const Signature& signature, const std::vector<WorkloadRow>& rows, bool with_params) {
  const Signature::Program& program = signature.program();
  std::vector<Axis> axes;
  for (const Discriminant& discriminant : program.discriminants) {
    const auto number = static_cast<std::size_t>(discriminant.number);
    if (discriminant.kind == Discriminant::Kind::kTensor) {
      axes.push_back({program.inputs[number].decl->name, true, {false, true}});
    } else if (with_params) {
      Axis axis{program.schema->params[number].name, false, alternatives(signature, rows, number)};
      if (discriminant.kind == Discriminant::Kind::kPresence && axis.values.size() > 4) {
        axis.values.resize(4);  // absent, and a few that are present
      }
      axes.push_back(std::move(axis));
    }
  }
  return axes;
}

void set_axis(SampleRow& draft, const Axis& axis, const Value& value) {
  if (!axis.tensor) {
    set_value(draft.row.params, axis.name, value);
  } else {
    auto& some = draft.row.some;
    some.erase(std::remove(some.begin(), some.end(), axis.name), some.end());
    if (value.get<bool>()) {
      some.push_back(axis.name);
    }
  }
  draft.label += (draft.label.empty() ? "" : " ") + axis.name + "=" +
                 (!axis.tensor        ? to_text(value)
                  : value.get<bool>() ? "passed"
                                      : "absent");
}

using Choice = std::vector<std::pair<std::size_t, std::size_t>>;  // axis, value

std::vector<Choice> choices_of(const std::vector<Axis>& axes) {
  std::vector<Choice> product{{}};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::vector<Choice> longer;
    for (const Choice& choice : product) {
      for (std::size_t k = 0; k < axes[i].values.size() && longer.size() <= kMostProduct; ++k) {
        longer.push_back(choice);
        longer.back().emplace_back(i, k);
      }
    }
    product = std::move(longer);
  }
  if (product.size() <= kMostProduct) {
    return product;
  }
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t k = 0; k < axes[i].values.size(); ++k) {
      choices.push_back({{i, k}});
      for (std::size_t j = i + 1; j < axes.size(); ++j) {
        for (std::size_t l = 0; l < axes[j].values.size(); ++l) {
          choices.push_back({{i, k}, {j, l}});
        }
      }
    }
  }
  return choices;
}

}  // namespace

std::vector<Value> alternatives(const Signature& signature, const std::vector<WorkloadRow>& rows, std::size_t param) {
  const Signature::Program& program = signature.program();
  std::vector<Value> values;
  if (program.param_types[param].maybe) {
    add(values, Value());
  }
  for (const WorkloadRow& row : rows) {
    const Value* value = find_value(row.params, program.schema->params[param].name);
    if (value != nullptr && values.size() < kMostRowValues) {
      add(values, *value);
    }
  }
  for (const TypeMember& member : program.param_types[param].members) {
    add_member(values, member);
  }
  return values;
}

std::vector<SampleRow> point_drafts(const Signature& signature, const std::vector<WorkloadRow>& rows,
                                    const std::vector<SampleRow>& starts, bool with_params) {
  const std::vector<Axis> axes = axes_of(signature, rows, with_params);
  std::vector<SampleRow> drafts;
  std::set<std::string> seen;
  for (const Choice& choice : choices_of(axes)) {
    for (const SampleRow& start : starts) {
      SampleRow draft = start;
      draft.label.clear();
      for (const auto& [axis, value] : choice) {
        set_axis(draft, axes[axis], axes[axis].values[value]);
      }
      if (const auto completed = complete(signature, rows, std::move(draft))) {
        if (seen.insert(content_text(signature, *completed)).second) {
          drafts.push_back(*completed);
        }
        break;
      }
    }
  }
  return drafts;
}

}  // namespace opyard
