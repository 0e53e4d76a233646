#include "manifest/workload.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "error/nearest_name.h"
#include "manifest/fields.h"
#include "manifest/kinds.h"
#include "manifest/param_type.h"

namespace opyard {
namespace {

constexpr std::size_t kLongestLabel = 24;

template <class Declarations>
auto find_named(const Declarations& declarations, const std::string& name) {
  return std::find_if(declarations.begin(), declarations.end(), [&](const auto& decl) { return decl.name == name; });
}

class RowReader {
 public:
  RowReader(const Schema& schema, std::size_t number, Faults& faults)
      : schema_(schema), faults_(faults), place_(place_in(schema, "workloads[" + std::to_string(number) + "]")) {}

  WorkloadRow read(const Node& node) {
    expect_kind(node, Node::Kind::kMap, place_);
    row_.mark = node.mark;
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
      sound_ = faults_.gather([&] { read_key(node.keys[i], node.items[i], node.key_marks[i]); }) && sound_;
    }
    if (node.find("label") == nullptr) {
      fail_manifest(place_, node.mark, "a row has a label");
    }
    if (!sound_) {
      throw ReadsFaultyName{};  // gathered above; the row states no call
    }
    if (row_.dtype_cases.empty()) {
      row_.dtype_cases.emplace_back();
    }
    return std::move(row_);
  }

 private:
  void read_key(const std::string& key, const Node& value, Mark mark) {
    if (key == "label") {
      read_label(value);
    } else if (key == "some") {
      read_some(value);
    } else if (key == "dtype_cases") {
      read_dtype_cases(value);
    } else if (find_named(schema_.params, key) != schema_.params.end()) {
      row_.params.emplace_back(key, value_of(value));
    } else if (const auto index = find_named(schema_.forall, key); index != schema_.forall.end()) {
      row_.indices.emplace_back(key, index_value(*index, value));
    } else {
      fail_manifest(place_, mark, "unknown key '" + key + "'",
                    "an index, a parameter, label, some or dtype_cases" + nearest_name(key, known_keys()), key);
    }
  }

  std::vector<std::string> known_keys() const {
    std::vector<std::string> known{"label", "some", "dtype_cases"};
    for (const ParamDecl& param : schema_.params) {
      known.push_back(param.name);
    }
    for (const IndexDecl& index : schema_.forall) {
      known.push_back(index.name);
    }
    return known;
  }

  void read_label(const Node& value) {
    const bool plain = value.is_string() && !value.text.empty() && value.text.size() <= kLongestLabel &&
                       std::all_of(value.text.begin(), value.text.end(), [](unsigned char c) {
                         return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
                       });
    if (!plain) {
      fail_manifest(place_, value.mark, "a label is 1 to 24 letters, digits, dots, dashes or underscores", "",
                    to_text(value));
    }
    row_.label = value.text;
  }

  void read_some(const Node& value) {
    expect_kind(value, Node::Kind::kList, place_);
    for (const Node& item : value.items) {
      const std::string name = text_of(item, place_).text;
      const auto input = find_named(schema_.inputs, name);
      const auto given = find_named(schema_.construction_tensors, name);
      const bool optional = (input != schema_.inputs.end() && input->optional) ||
                            (given != schema_.construction_tensors.end() && given->optional);
      if (!optional) {
        fail_manifest(place_, item.mark, "'some' names tensors with optional: true", "", name);
      }
      row_.some.push_back(name);
    }
  }

  void read_dtype_cases(const Node& value) {
    expect_kind(value, Node::Kind::kList, place_);
    for (const Node& item : value.items) {
      expect_kind(item, Node::Kind::kMap, place_);
      DtypeCase assignment;
      for (std::size_t i = 0; i < item.keys.size(); ++i) {
        const std::string dtype = text_of(item.items[i], place_).text;
        const auto index = find_named(schema_.forall, item.keys[i]);
        if (index == schema_.forall.end() || index->kind.text.rfind("DType[", 0) != 0 || !is_dtype_name(dtype)) {
          fail_manifest(place_, item.key_marks[i], "a dtype case gives DType indices their dtypes", "",
                        item.keys[i] + ": " + dtype);
        }
        assignment.emplace_back(item.keys[i], dtype);
      }
      row_.dtype_cases.push_back(std::move(assignment));
    }
    if (row_.dtype_cases.empty()) {
      fail_manifest(place_, value.mark, "dtype_cases has at least one case");
    }
  }

  static bool is_size(const Node& node) { return node.kind == Node::Kind::kInt && node.integer >= 0; }

  /// A sequence as a call of literals, which is evaluated where the row is: its arguments are of the right kinds.
  bool is_sequence_call(const Node& value) const {
    const Text text{value.text, value.mark, value.lead};
    const Kind kind = infer_kind(parse_expression(text, place_), {.adts = &schema_.adts}, text, place_);
    return kind.is(Kind::Tag::kSeq) && (kind.parts.empty() || kind.parts[0].is(Kind::Tag::kInt));
  }

  Value index_value(const IndexDecl& index, const Node& value) const {
    const std::string& kind = index.kind.text;
    const bool is_list = value.is_list() && std::all_of(value.items.begin(), value.items.end(), is_size);
    const bool fits = kind == "Dim"        ? is_size(value)
                      : kind == "Shape"    ? is_list
                      : kind == "Seq[Int]" ? is_list || (value.is_string() && is_sequence_call(value))
                                           : false;
    if (!fits) {
      fail_manifest(place_, value.mark, "the value does not fit the index '" + index.name + "'", kind, to_text(value));
    }
    return value_of(value);
  }

  const Schema& schema_;
  Faults& faults_;
  Place place_;
  WorkloadRow row_;
  bool sound_ = true;
};

}  // namespace

std::vector<WorkloadRow> read_workloads(const Schema& schema, Faults& faults) {
  std::vector<WorkloadRow> rows;
  for (std::size_t i = 0; i < schema.workloads.items.size(); ++i) {
    faults.gather([&] { rows.push_back(RowReader(schema, i, faults).read(schema.workloads.items[i])); });
  }
  return rows;
}

}  // namespace opyard
