// A workload row as a draft: its numbers, parameters and dtypes are changed, and the plan decides what is a call.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "signature/workload_cases.h"

namespace opyard {

struct SampleRow {
  std::string label;  // what this draft is about
  WorkloadRow row;
  DtypeCase dtypes;
};

/// A number of a row: where it stands, and what it is.
struct RowNumber {
  bool is_param = false;
  std::size_t which = 0;          // of the row's parameters or indices
  std::vector<std::size_t> path;  // into sequences
  std::int64_t value = 0;
};

/// Every integer of the row's indices, and of its parameters unless they are held.
std::vector<RowNumber> numbers_of(const WorkloadRow& row, bool with_params);
void set_number(WorkloadRow& row, const RowNumber& number, std::int64_t value);

/// The value of a name in a list, or nullptr.
const Value* find_value(const std::vector<NamedValue>& values, const std::string& name);
void set_value(std::vector<NamedValue>& values, const std::string& name, Value value);

/// The same for drafts that state one call, whatever their labels and whether they write a default out.
std::string content_text(const Signature& signature, const SampleRow& sample);

/// The rows of an entry, with sequences that are written as calls evaluated.
std::vector<WorkloadRow> plain_rows(const Signature& signature);

/// The case, or nothing where the declaration refuses the draft: that is its answer, not a fault.
std::optional<WorkloadCase> try_case(const Signature& signature, const SampleRow& sample);

}  // namespace opyard
