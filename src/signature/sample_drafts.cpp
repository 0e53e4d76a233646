#include "signature/sample_drafts.h"

#include <algorithm>
#include <set>

#include "signature/complete_row.h"
#include "signature/program.h"
#include "signature/shrink_row.h"

namespace opyard {
namespace {

/// The number of the first dtype parameter; nothing without one.
std::optional<std::size_t> dtype_param(const Signature::Program& program) {
  for (std::size_t i = 0; i < program.param_types.size(); ++i) {
    if (program.param_types[i].is_dtype()) {
      return i;
    }
  }
  return std::nullopt;
}

const IndexProgram* leading_index(const Signature::Program& program) {
  const auto found = std::find_if(program.indices.begin(), program.indices.end(),
                                  [](const IndexProgram& index) { return index.kind == IndexKind::kDtype; });
  return found == program.indices.end() ? nullptr : &*found;
}

std::vector<c10::ScalarType> types_in(std::uint64_t bits) {
  std::vector<c10::ScalarType> types;
  for (std::int8_t type = 0; type < static_cast<std::int8_t>(c10::ScalarType::NumOptions); ++type) {
    if ((bits >> type & 1) != 0) {
      types.push_back(static_cast<c10::ScalarType>(type));
    }
  }
  return types;
}

/// The draft with another dtype; what had the old one follows first, then stays.
std::vector<SampleRow> with_dtype(const Signature& signature, const SampleRow& draft, c10::ScalarType dtype,
                                  bool with_params) {
  const Signature::Program& program = signature.program();
  const std::string name = dtype_name(dtype);
  SampleRow moved = draft;
  if (const IndexProgram* leading = leading_index(program)) {
    if ((leading->dtypes >> static_cast<int>(dtype) & 1) == 0) {
      return {};
    }
    std::string old;
    for (const auto& [index, given] : draft.dtypes) {
      old = index == leading->name ? given : old;
    }
    SampleRow alone = draft;
    for (std::size_t i = 0; i < draft.dtypes.size(); ++i) {
      moved.dtypes[i].second = draft.dtypes[i].second == old ? name : draft.dtypes[i].second;
      alone.dtypes[i].second = draft.dtypes[i].first == leading->name ? name : draft.dtypes[i].second;
    }
    SampleRow params = moved;
    for (auto& [param, value] : params.row.params) {
      value = with_params && value == Value(old) ? Value(name) : value;
    }
    return {params, moved, alone};
  }
  if (const auto param = dtype_param(program); param && with_params) {
    set_value(moved.row.params, program.schema->params[*param].name, name);
  }
  return {moved};
}

/// Whether the case is one of that dtype.
bool is_of(const Signature::Program& program, const WorkloadCase& call, c10::ScalarType dtype) {
  if (const IndexProgram* leading = leading_index(program)) {
    const Value* value = find_value(call.indices, leading->name);
    return value == nullptr || *value == Value(dtype) || *value == Value(dtype_name(dtype));
  }
  return !call.outputs.empty() && call.outputs[0].dtype == dtype;
}

}  // namespace

std::vector<c10::ScalarType> sample_dtypes(const Signature& signature) {
  const Signature::Program& program = signature.program();
  if (const IndexProgram* leading = leading_index(program)) {
    return types_in(leading->dtypes);
  }
  std::vector<c10::ScalarType> types;
  if (const auto param = dtype_param(program)) {
    for (const TypeMember& member : program.param_types[*param].members) {
      types.push_back(dtype_by_name(member.text));
    }
    types.erase(std::remove(types.begin(), types.end(), c10::ScalarType::Undefined), types.end());
  }
  return types;
}

std::vector<SampleRow> sample_drafts(const Signature& signature, const std::vector<WorkloadRow>& rows,
                                     const SampleRequest& request) {
  const bool with_params = !request.params.has_value();
  std::vector<SampleRow> drafts;
  std::set<std::string> seen;
  const auto add = [&](const SampleRow& candidate) {
    const auto completed = complete(signature, rows, candidate);
    if (!completed) {
      return false;
    }
    SampleRow draft = request.small ? shrink(signature, *completed, with_params) : *completed;
    const auto call = try_case(signature, draft);
    if (!call || (request.dtype && !is_of(signature.program(), *call, *request.dtype))) {
      return false;
    }
    if (seen.insert(content_text(signature, draft)).second) {
      drafts.push_back(std::move(draft));
    }
    return true;
  };
  for (const WorkloadRow& row : rows) {
    for (const DtypeCase& dtypes : row.dtype_cases) {
      SampleRow draft{row.label, row, dtypes};
      if (request.params) {
        draft.row.params = *request.params;
      }
      if (!request.dtype) {
        add(draft);
        continue;
      }
      for (const SampleRow& candidate : with_dtype(signature, draft, *request.dtype, with_params)) {
        if (add(candidate)) {
          break;
        }
      }
    }
  }
  return drafts;
}

}  // namespace opyard
