#include "signature/sample_row.h"

#include <opyard/error.h>

#include <algorithm>

#include "signature/fold.h"
#include "signature/literal.h"

namespace opyard {
namespace {

void collect(const Value& value, RowNumber& at, std::vector<RowNumber>& numbers) {
  if (const auto* integer = value.get_if<std::int64_t>()) {
    numbers.push_back(at);
    numbers.back().value = *integer;
  } else if (const auto* items = value.get_if<Sequence>()) {
    for (std::size_t i = 0; i < items->size(); ++i) {
      at.path.push_back(i);
      collect((*items)[i], at, numbers);
      at.path.pop_back();
    }
  }
}

/// A copy with one item changed: values are plain data and small.
Value with_item(const Value& value, const std::size_t* path, std::size_t depth, std::int64_t number) {
  if (depth == 0) {
    return number;
  }
  Sequence items = value.get<Sequence>();
  items[*path] = with_item(items[*path], path + 1, depth - 1, number);
  return items;
}

}  // namespace

std::vector<RowNumber> numbers_of(const WorkloadRow& row, bool with_params) {
  std::vector<RowNumber> numbers;
  for (std::size_t i = 0; i < row.indices.size(); ++i) {
    RowNumber at{.is_param = false, .which = i};
    collect(row.indices[i].second, at, numbers);
  }
  for (std::size_t i = 0; with_params && i < row.params.size(); ++i) {
    RowNumber at{.is_param = true, .which = i};
    collect(row.params[i].second, at, numbers);
  }
  return numbers;
}

void set_number(WorkloadRow& row, const RowNumber& number, std::int64_t value) {
  Value& place = (number.is_param ? row.params : row.indices)[number.which].second;
  place = with_item(place, number.path.data(), number.path.size(), value);
}

const Value* find_value(const std::vector<NamedValue>& values, const std::string& name) {
  const auto found = std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == name; });
  return found == values.end() ? nullptr : &found->second;
}

void set_value(std::vector<NamedValue>& values, const std::string& name, Value value) {
  const auto found = std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == name; });
  if (found == values.end()) {
    values.emplace_back(name, std::move(value));
  } else {
    found->second = std::move(value);
  }
}

std::string content_text(const Signature& signature, const SampleRow& sample) {
  const Signature::Program& program = signature.program();
  std::vector<std::string> parts;
  for (const auto& [name, value] : sample.row.params) {
    const auto number = static_cast<std::size_t>(program.param_number.at(name));
    if (!program.schema->params[number].default_value || !(program.defaults[number] == value)) {
      parts.push_back(name + "=" + to_text(value));
    }
  }
  for (const auto& [name, value] : sample.row.indices) {
    parts.push_back(name + "=" + to_text(value));
  }
  for (const std::string& name : sample.row.some) {
    parts.push_back("+" + name);
  }
  std::sort(parts.begin(), parts.end());
  std::string text;
  for (const std::string& part : parts) {
    text += part + ";";
  }
  for (const auto& [index, dtype] : sample.dtypes) {
    text += index + ":" + dtype + ";";
  }
  return text;
}

std::vector<WorkloadRow> plain_rows(const Signature& signature) {
  const Signature::Program& program = signature.program();
  const Point nowhere;
  const Folder folder(program, nowhere);
  Faults faults;
  std::vector<WorkloadRow> rows = read_workloads(*program.schema, faults);
  faults.throw_first();
  for (WorkloadRow& row : rows) {
    for (auto& [name, value] : row.indices) {
      if (const auto* text = value.get_if<std::string>()) {
        value = value_of_literal(
            folder.fold(parse_expression({*text, row.mark}, place_in(*program.schema, "workload " + row.label))));
      }
    }
  }
  return rows;
}

std::optional<WorkloadCase> try_case(const Signature& signature, const SampleRow& sample) {
  try {
    return build_case(signature, sample.row, sample.dtypes);
  } catch (const ManifestError&) {
    return std::nullopt;
  }
}

}  // namespace opyard
