#include "signature/size_edges.h"

#include <map>

#include "signature/alternatives.h"
#include "signature/program.h"

namespace opyard {
namespace {

class SizeEdges {
 public:
  SizeEdges(const Signature& signature, const std::vector<WorkloadRow>& rows, const SampleRow& start, bool with_params)
      : signature_(signature), program_(signature.program()), rows_(rows), start_(start), with_params_(with_params) {}

  std::vector<SampleRow> run() {
    add_numbers();
    add_equal_numbers();
    for (const auto& [name, value] : start_.row.indices) {
      if (program_.index(name)->kind == IndexKind::kShape) {
        add_shapes(name, value.get<Sequence>());
      } else if (program_.index(name)->kind == IndexKind::kIntSequence) {
        add_all(name, {Sequence{}, Sequence{0}, Sequence{1}, Sequence{3, 0, 2}, Sequence{0, 0}});
      }
    }
    for (std::size_t i = 0; with_params_ && i < program_.param_types.size(); ++i) {
      add_params(i);
    }
    return std::move(drafts_);
  }

 private:
  SampleRow& add(const std::string& name, const Value& value) {
    drafts_.push_back(start_);
    drafts_.back().label = name + "=" + to_text(value);
    return drafts_.back();
  }

  void add_index(const std::string& name, const Value& value) { set_value(add(name, value).row.indices, name, value); }

  void add_all(const std::string& name, const std::vector<Value>& values) {
    for (const Value& value : values) {
      add_index(name, value);
    }
  }

  void add_numbers() {
    for (const RowNumber& number : numbers_of(start_.row, with_params_)) {
      if (number.is_param && number.value < 2) {
        continue;  // an axis, a flag: not a size
      }
      const WorkloadRow& row = start_.row;
      std::string name = (number.is_param ? row.params : row.indices)[number.which].first;
      for (const std::size_t item : number.path) {
        name += "[" + std::to_string(item) + "]";
      }
      for (const std::int64_t size : {0, 1, 13, 67}) {
        set_number(add(name, size).row, number, size);
      }
    }
  }

  /// Sizes that only hold while they are equal.
  void add_equal_numbers() {
    std::map<std::int64_t, std::vector<RowNumber>> groups;
    for (RowNumber& number : numbers_of(start_.row, with_params_)) {
      groups[number.value].push_back(std::move(number));
    }
    for (const auto& [value, equal] : groups) {
      for (const std::int64_t size : {0, 1, 13, 67}) {
        if (value < 2 || equal.size() < 2) {
          break;
        }
        SampleRow& draft = add("each " + std::to_string(value), size);
        for (const RowNumber& number : equal) {
          set_number(draft.row, number, size);
        }
      }
    }
  }

  void add_shapes(const std::string& name, const Sequence& shape) {
    add_all(name, {Sequence{}, Sequence{5}, Sequence{2, 3}, Sequence{2, 1, 3}, Sequence{2, 1, 3, 2, 2}});
    for (const auto& [other, value] : start_.row.indices) {
      if (other == name || program_.index(other)->kind != IndexKind::kShape || shape.empty()) {
        continue;
      }
      Sequence first_is_one = shape;
      first_is_one.front() = 1;
      Sequence last_is_one = shape;
      last_is_one.back() = 1;
      add_all(other, {shape, first_is_one, last_is_one, Sequence(shape.begin() + 1, shape.end())});
    }
  }

  void add_params(std::size_t number) {
    const ParamType& type = program_.param_types[number];
    const std::string& name = program_.schema->params[number].name;
    bool counts = false;
    for (const TypeMember& member : type.members) {
      counts = counts || member.kind == TypeMember::Kind::kInt || member.kind == TypeMember::Kind::kSequence;
    }
    if (!counts) {
      return;  // the points have it
    }
    for (const Value& value : alternatives(signature_, rows_, number)) {
      set_value(add(name, value).row.params, name, value);
    }
  }

  const Signature& signature_;
  const Signature::Program& program_;
  const std::vector<WorkloadRow>& rows_;
  const SampleRow& start_;
  bool with_params_;
  std::vector<SampleRow> drafts_;
};

}  // namespace

std::vector<SampleRow> size_edges(const Signature& signature, const std::vector<WorkloadRow>& rows,
                                  const SampleRow& start, bool with_params) {
  return SizeEdges(signature, rows, start, with_params).run();
}

}  // namespace opyard
