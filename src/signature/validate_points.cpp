#include "signature/validate_points.h"

#include <opyard/error.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "signature/plan_builder.h"

namespace opyard {
namespace {

constexpr std::uint64_t kMostPoints = 1 << 12;
constexpr std::uint64_t kMostWork = 20'000'000;  // characters of declarations over all points of a group

using Choices = std::vector<std::uint64_t>;  // one for each discriminant

class PointValidator {
 public:
  PointValidator(const Signature::Program& program, Faults& faults)
      : program_(program), faults_(faults), group_(program.discriminants.size()) {
    std::iota(group_.begin(), group_.end(), 0);
  }

  void run() {
    relate_axes();
    work_ += program_.lets.size() * program_.lets.size();
    const Choices first = first_accepted();
    check_point(first);  // also where there is no choice
    std::set<std::size_t> done;
    for (std::size_t i = 0; i < group_.size(); ++i) {
      if (done.insert(root(i)).second) {
        enumerate(first, root(i), [&](const Choices& choices) {
          check_point(choices);
          return true;
        });
      }
    }
  }

 private:
  std::size_t root(std::size_t i) const {
    while (group_[i] != i) {
      i = group_[i];
    }
    return i;
  }

  std::optional<std::size_t> axis_of(const std::string& name) const {
    const auto param = program_.param_number.find(name);
    const auto input = program_.input_number.find(name);
    for (std::size_t i = 0; i < program_.discriminants.size(); ++i) {
      const Discriminant& axis = program_.discriminants[i];
      const bool is_tensor = axis.kind == Discriminant::Kind::kTensor;
      if (is_tensor ? input != program_.input_number.end() && input->second == axis.number
                    : param != program_.param_number.end() && param->second == axis.number) {
        return i;
      }
    }
    return std::nullopt;
  }

  /// Axes, and the names that a declaration reaches through lets and through the conditions of tensors.
  void collect(const Expression& expression, std::set<std::string>& names) const {
    for_each_name(expression, [&](const std::string& name) {
      if (!names.insert(name).second) {
        return;
      }
      for (const Declared& let : program_.lets) {
        if (let.what == name) {
          collect(let.expression, names);
        }
      }
      const auto input = program_.input_number.find(name);
      if (input != program_.input_number.end() && !program_.inputs[input->second].present_when.text.empty()) {
        collect(program_.inputs[input->second].present_when.expression, names);
      }
    });
  }

  void relate(const std::set<std::string>& names) {
    std::optional<std::size_t> first;
    for (const std::string& name : names) {
      const std::optional<std::size_t> axis = axis_of(name);
      if (axis && first) {
        group_[root(*axis)] = root(*first);
      } else if (axis) {
        first = axis;
      }
    }
  }

  void relate_axes() {
    const auto relate_all = [&](std::initializer_list<const Declared*> declarations, const std::string& own) {
      std::set<std::string> names;
      names.insert(own);
      for (const Declared* declaration : declarations) {
        if (!declaration->text.empty()) {
          work_ += declaration->text.text.size();
          collect(declaration->expression, names);
        }
      }
      relate(names);
    };
    for (const TensorProgram& input : program_.inputs) {
      relate_all({&input.shape, &input.dtype, &input.present_when, &input.mutated}, input.decl->name);
    }
    for (const TensorProgram& output : program_.outputs) {
      relate_all({&output.shape, &output.dtype, &output.nullable}, "");
    }
    for (const Declared& rule : program_.rules) {
      relate_all({&rule}, "");
    }
  }

  std::uint64_t number(const Choices& choices) const {
    std::uint64_t point = 0;
    std::uint64_t scale = 1;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      point += scale * choices[i];
      scale *= program_.discriminants[i].size();
    }
    return point;
  }

  /// Makes the plan. The same fault at several points is told of the first.
  void check_point(const Choices& choices) {
    Faults here;
    here.gather([&] {
      const CheckPlan plan = build_call_plan(program_, number(choices));
      if (plan.excluded_by < 0) {
        check_combos(plan);
      }
    });
    for (const ManifestError& fault : here.all()) {
      if (told_.insert(fault.what()).second) {
        ErrorFacts facts = fault.facts();
        facts.got += (facts.got.empty() ? "" : ", ") + describe(choices);
        faults_.add(ManifestError(summary_of(fault), std::move(facts)));
      }
    }
  }

  /// Every dtype index that a combination names is the dtype of some tensor of the call.
  void check_combos(const CheckPlan& plan) const {
    const Schema& schema = *program_.schema;
    for (const auto& [column, dtype] : schema.dtype_combos.empty() ? DtypeCombo{} : schema.dtype_combos[0]) {
      const bool bound =
          std::any_of(plan.inputs.begin(), plan.inputs.end(), [&, &column = column](const TensorPlan& tensor) {
            return tensor.present && tensor.dtype_slot == program_.slot(column);
          });
      if (program_.index(column) != nullptr && !bound) {
        fail_manifest(place_in(schema, "dtype_combos"), schema.dtype_combos_mark,
                      "no present tensor has the dtype '" + column + "'", "", column);
      }
    }
  }

  /// `at transposed = true, bias absent`.
  std::string describe(const Choices& choices) const {
    std::string text;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const Discriminant& axis = program_.discriminants[i];
      const bool tensor = axis.kind == Discriminant::Kind::kTensor;
      text += text.empty() ? "at " : ", ";
      text += tensor ? program_.inputs[axis.number].decl->name : program_.schema->params[axis.number].name;
      text += " " + axis.choice_text(choices[i]);
    }
    return text;
  }

  /// Calls `visit` for every combination of one group's axes, the others as in `start`, until it returns false.
  template <class Visit>
  void enumerate(const Choices& start, std::size_t group, const Visit& visit) const {
    std::vector<std::size_t> axes;
    std::uint64_t count = 1;
    for (std::size_t i = 0; i < group_.size(); ++i) {
      if (root(i) == group) {
        axes.push_back(i);
        count *= program_.discriminants[i].size();
        if (count > kMostPoints || count * work_ > kMostWork) {
          fail_manifest(place_in(*program_.schema, "signature"), program_.schema->mark,
                        "too many related choices to validate", std::to_string(kMostPoints) + " points at most");
        }
      }
    }
    Choices choices = start;
    for (std::uint64_t combination = 0; combination < count; ++combination) {
      std::uint64_t rest = combination;
      for (const std::size_t axis : axes) {
        choices[axis] = rest % program_.discriminants[axis].size();
        rest /= program_.discriminants[axis].size();
      }
      if (!visit(choices)) {
        return;
      }
    }
  }

  /// Group by group, the first combination at which the point is accepted.
  Choices first_accepted() const {
    Choices choices(program_.discriminants.size(), 0);
    std::set<std::size_t> done;
    for (std::size_t i = 0; i < group_.size(); ++i) {
      if (!done.insert(root(i)).second) {
        continue;
      }
      const std::size_t before = excluded_by(choices);
      enumerate(Choices(choices), root(i), [&](const Choices& candidate) {
        if (excluded_by(candidate) > before) {
          choices = candidate;
          return false;
        }
        return true;
      });
    }
    if (excluded_by(choices) < program_.rules.size()) {
      fail_manifest(place_in(*program_.schema, "shape_rules"), program_.schema->mark, "no point is accepted");
    }
    return choices;
  }

  /// The first rule that excludes a point; the number of rules when none does. A point without a plan counts as
  /// accepted: check_point says what is wrong there.
  std::size_t excluded_by(const Choices& choices) const {
    std::int32_t rule = -1;
    Faults later;
    later.gather([&] { rule = build_call_plan(program_, number(choices)).excluded_by; });
    return rule < 0 ? program_.rules.size() : static_cast<std::size_t>(rule);
  }

  const Signature::Program& program_;
  Faults& faults_;
  std::vector<std::size_t> group_;
  std::uint64_t work_ = 0;  // what one plan takes, in characters
  std::set<std::string> told_;
};

}  // namespace

void validate_points(const Signature& signature, Faults& faults) {
  faults.gather([&] { PointValidator(signature.program(), faults).run(); });
}

void validate_points(const Signature& signature) {
  Faults faults;
  validate_points(signature, faults);
  faults.throw_first();
}

}  // namespace opyard
