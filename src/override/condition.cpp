// Compiles a condition against a schema, and evaluates it.
#include <c10/core/ScalarType.h>
#include <opyard/error.h>
#include <override/condition.h>
#include <select/device_facts.h>

#include <algorithm>
#include <sstream>

namespace opyard {
namespace {

static_assert(static_cast<int>(c10::ScalarType::NumOptions) <= 64, "a set of dtypes is kept in 64 bits");

std::string range_text(const std::string& what, std::int64_t min, std::int64_t max) {
  std::ostringstream text;
  if (min == max) {
    text << what << " == " << min;
  } else if (max == kUnbounded) {
    text << what << " >= " << min;
  } else if (min == 0) {
    text << what << " <= " << max;
  } else {
    text << min << " <= " << what << " <= " << max;
  }
  return text.str();
}

std::string dtypes_text(const std::string& name, const std::vector<c10::ScalarType>& dtypes) {
  std::string text;
  for (const c10::ScalarType dtype : dtypes) {
    text += (text.empty() ? "" : ", ") + std::string(c10::toString(dtype));
  }
  return name + ".dtype in {" + text + "}";
}

std::string ranks_text(const std::string& name, const std::vector<int>& ranks) {
  if (ranks.size() == 1) {
    return range_text(name + ".dim()", ranks[0], ranks[0]);
  }
  std::string text;
  for (const int rank : ranks) {
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  }
  return name + ".dim() in {" + text + "}";
}

std::string size_text(const std::string& name, const SizeLimit& size) {
  const std::string what = name + ".size(" + std::to_string(size.dim) + ")";
  const bool divided = size.multiple_of != 1;
  const bool bounded = !divided || size.min > 0 || size.max < kUnbounded;
  std::string text = bounded ? range_text(what, size.min, size.max) : "";
  if (divided) {
    text += (bounded ? " and " : "") + what + " % " + std::to_string(size.multiple_of) + " == 0";
  }
  return text;
}

std::string strides_text(const std::string& name, StrideLimit strides) {
  switch (strides) {
    case StrideLimit::kAny:
      return "";
    case StrideLimit::kContiguous:
      return name + " is contiguous";
    case StrideLimit::kRowsOrColumns:
      return name + " has stride 1 in one of its last two dims";
  }
  return "";
}

ContractError condition_error(const c10::FunctionSchema& schema, const std::string& argument, std::string expected,
                              std::string got) {
  return ContractError(SignatureError::Kind::kValue, "a condition does not fit its operator",
                       {.op = toString(schema.operator_name()),
                        .argument = argument,
                        .expected = std::move(expected),
                        .got = std::move(got),
                        .advice = "name tensors as the operator's schema does"});
}

bool is_tensor(const c10::Argument& argument) {
  const c10::TypePtr& type = argument.type();
  if (type->kind() == c10::TypeKind::OptionalType) {
    return type->castRaw<c10::OptionalType>()->getElementType()->kind() == c10::TypeKind::TensorType;
  }
  return type->kind() == c10::TypeKind::TensorType;
}

void check_ranges(const TensorLimits& limits, const c10::FunctionSchema& schema) {
  if (limits.min_elements > limits.max_elements) {
    throw condition_error(schema, limits.argument, "min_elements <= max_elements",
                          range_text("elements", limits.min_elements, limits.max_elements));
  }
  const auto rank = std::max_element(limits.ranks.begin(), limits.ranks.end());
  if (rank != limits.ranks.end() &&
      (*rank > kMaxRank || *std::min_element(limits.ranks.begin(), limits.ranks.end()) < 0)) {
    throw condition_error(schema, limits.argument, "ranks from 0 to " + std::to_string(kMaxRank),
                          ranks_text(limits.argument, limits.ranks));
  }
  for (const SizeLimit& size : limits.sizes) {
    const bool outside = rank != limits.ranks.end() && (size.dim >= *rank || size.dim < -*rank);
    if (size.min > size.max || size.multiple_of < 1 || outside) {
      throw condition_error(schema, limits.argument,
                            outside               ? "a dim within the rank"
                            : size.min > size.max ? "min <= max"
                                                  : "multiple_of >= 1",
                            "dim " + std::to_string(size.dim) + ", min " + std::to_string(size.min) + ", max " +
                                std::to_string(size.max) +
                                (size.multiple_of < 1 ? ", multiple_of " + std::to_string(size.multiple_of) : ""));
    }
  }
}

}  // namespace

int capability_of(c10::Device device) { return device.is_cuda() ? device_arch(device) : -1; }

ConditionProgram::ConditionProgram(const Condition& condition, const c10::FunctionSchema& schema) {
  texts_.emplace_back();  // number 0: the condition holds
  for (const TensorLimits& limits : condition.tensors) {
    const std::optional<int> index = schema.argumentIndexWithName(limits.argument);
    if (!index || !is_tensor(schema.arguments()[static_cast<std::size_t>(*index)])) {
      throw condition_error(schema, limits.argument, "a tensor argument of the operator",
                            index ? "an argument that is no tensor" : "no such argument");
    }
    check_ranges(limits, schema);
    add(limits, static_cast<std::uint8_t>(*index));
  }
}

void ConditionProgram::add(const TensorLimits& limits, std::uint8_t argument) {
  const std::string& name = limits.argument;
  const bool counted = limits.min_elements > 0 || limits.max_elements < kUnbounded;
  Check& check = checks_.emplace_back();
  check.first_number = static_cast<std::uint32_t>(texts_.size());
  check.argument = argument;
  check.has_more = counted || limits.strides != StrideLimit::kAny || limits.min_capability > 0;
  check.strides = limits.strides;
  check.min_capability = limits.min_capability;
  check.min_elements = limits.min_elements;
  check.max_elements = limits.max_elements;
  check.sizes.append(limits.sizes.begin(), limits.sizes.end());
  texts_.push_back(name + " is present");
  texts_.push_back(limits.dtypes.empty() ? "" : dtypes_text(name, limits.dtypes));
  texts_.push_back(limits.ranks.empty() ? "" : ranks_text(name, limits.ranks));
  texts_.push_back(counted ? range_text(name + ".numel()", limits.min_elements, limits.max_elements) : "");
  texts_.push_back(strides_text(name, limits.strides));
  texts_.push_back(limits.min_capability > 0 ? range_text(name + ".capability", limits.min_capability, kUnbounded)
                                             : "");
  for (const SizeLimit& size : limits.sizes) {
    texts_.push_back(size_text(name, size));
  }
  if (!limits.ranks.empty()) {
    check.ranks = 0;
    for (const int rank : limits.ranks) {
      check.ranks |= std::uint64_t{1} << rank;
    }
  }
  if (!limits.dtypes.empty()) {
    check.dtypes = 0;
    for (const c10::ScalarType dtype : limits.dtypes) {
      check.dtypes |= std::uint64_t{1} << static_cast<int>(dtype);
    }
  }
}

std::uint32_t ConditionProgram::first_failing_layout(const Check& check, const at::Tensor& tensor) {
  if (tensor.numel() < check.min_elements || tensor.numel() > check.max_elements) {
    return kElements;
  }
  if (check.strides == StrideLimit::kContiguous && !tensor.is_contiguous()) {
    return kStrides;
  }
  if (check.strides == StrideLimit::kRowsOrColumns) {
    const c10::IntArrayRef strides = tensor.strides();
    if (strides.size() < 2 || (strides.end()[-1] != 1 && strides.end()[-2] != 1)) {
      return kStrides;
    }
  }
  if (check.min_capability > 0 && capability_of(tensor.device()) < check.min_capability) {
    return kCapability;
  }
  return 0;
}

std::string ConditionProgram::text() const {
  std::string text;
  for (const Check& check : checks_) {
    for (std::size_t i = kDtype; i < kSizes + check.sizes.size(); ++i) {
      const std::string& limit = texts_[check.first_number + i];
      if (!limit.empty()) {
        text += (text.empty() ? "" : " and ") + limit;
      }
    }
  }
  return text.empty() ? "always" : text;
}

}  // namespace opyard
