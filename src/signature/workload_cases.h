// The concrete calls that an entry's workload rows state.
#pragma once

#include <opyard/value.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manifest/faults.h"
#include "manifest/generators.h"
#include "manifest/workload.h"
#include "signature/signature.h"

namespace opyard {

struct WorkloadTensor {
  std::string name;
  bool present = false;
  c10::ScalarType dtype = c10::ScalarType::Undefined;
  std::vector<std::int64_t> sizes;
  bool on_cpu = false;
  std::optional<Contents> contents;  // what `values` demands; none: any numbers
};

struct WorkloadCase {
  std::string id;                  // label and dtypes, joined by dashes
  std::vector<NamedValue> params;  // as the row gives them: what construct takes
  std::vector<WorkloadTensor> inputs;
  std::vector<WorkloadTensor> construction_tensors;
  std::vector<WorkloadTensor> outputs;
  std::vector<NamedValue> indices;
  std::optional<std::int64_t> flops;  // none where the roofline is a function outside the language
  std::optional<std::int64_t> bytes;
};

/// The call that one row states with one assignment of dtypes. Throws ManifestError when that is no valid call.
WorkloadCase build_case(const Signature& signature, const WorkloadRow& row, const DtypeCase& dtypes);

/// One case for each row and dtype case, in order. Throws ManifestError for a row that states no valid call.
std::vector<WorkloadCase> workload_cases(const Signature& signature);

/// The same, the faults of all rows gathered.
std::vector<WorkloadCase> workload_cases(const Signature& signature, Faults& faults);

}  // namespace opyard
