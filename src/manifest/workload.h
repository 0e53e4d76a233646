// The rows of an entry's workloads, read: parameters, indices, optional tensors, dtype cases.
#pragma once

#include <opyard/value.h>

#include <string>
#include <utility>
#include <vector>

#include "manifest/faults.h"
#include "manifest/schema.h"

namespace opyard {

using DtypeCase = std::vector<std::pair<std::string, std::string>>;  // index, dtype name

struct WorkloadRow {
  std::string label;
  Mark mark;
  std::vector<NamedValue> params;      // as written; defaults are not filled in
  std::vector<NamedValue> indices;     // Dim: an integer; Shape and Seq[Int]: a sequence, or the text of a call
  std::vector<std::string> some;       // optional tensors that are passed
  std::vector<DtypeCase> dtype_cases;  // at least one; empty assignments for an entry without DType indices
};

/// Rows that are malformed (unknown keys, wrong kinds) are left out, their faults gathered.
std::vector<WorkloadRow> read_workloads(const Schema& schema, Faults& faults);

}  // namespace opyard
