// When an override serves a call, as data: limits on the tensors among an operator's arguments.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <c10/util/SmallVector.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace opyard {

constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

/// Tensors of more dims meet no condition.
constexpr int kMaxRank = 63;

/// Least and greatest size of one dim, both included, and what divides it; negative dims count from the last.
struct SizeLimit {
  int dim = 0;
  std::int64_t min = 0;
  std::int64_t max = kUnbounded;
  std::int64_t multiple_of = 1;
};

enum class StrideLimit : std::uint8_t {
  kAny,
  kContiguous,
  kRowsOrColumns,  // one of the last two dims has stride 1: what a matrix product reads without a copy
};

/// Limits on one tensor argument; what is left out is not checked. An absent optional meets no limit.
struct TensorLimits {
  std::string argument;                 // as the operator's schema names it
  std::vector<c10::ScalarType> dtypes;  // empty: any
  std::vector<int> ranks;               // empty: any
  std::vector<SizeLimit> sizes;
  std::int64_t min_elements = 0;
  std::int64_t max_elements = kUnbounded;
  StrideLimit strides = StrideLimit::kAny;
  int min_capability = 0;  // of a CUDA device: 10 * major + minor; other devices do not meet a limit
};

/// CUDA devices: 10 * major + minor; -1 for others.
int capability_of(c10::Device device);

/// Holds when all limits hold; without any it always holds.
struct Condition {
  std::vector<TensorLimits> tensors;
};

/// A condition laid out for one operator: the limits one after the other, tensor by tensor.
class ConditionProgram {
 public:
  /// Throws ContractError for an argument that the schema lacks or that is no tensor, and for a limit that no call
  /// meets.
  ConditionProgram(const Condition& condition, const c10::FunctionSchema& schema);

  /// `tensors[i]` points to the tensor that is argument i of the schema, null where that is no tensor or absent.
  /// Gives 0 when the condition holds, else the number of the first limit that does not.
  template <class Tensors>
  C10_ALWAYS_INLINE std::uint32_t first_failing(const Tensors& tensors) const {
    for (const Check& check : checks_) {
      const at::Tensor* tensor = tensors[check.argument];
      if (C10_UNLIKELY(tensor == nullptr || !tensor->defined())) {
        return check.first_number + kPresent;
      }
      if ((check.dtypes >> static_cast<int>(tensor->scalar_type()) & 1) == 0) {
        return check.first_number + kDtype;
      }
      const c10::IntArrayRef sizes = tensor->sizes();
      const auto rank = static_cast<std::int64_t>(sizes.size());
      if (rank > kMaxRank || (check.ranks >> rank & 1) == 0) {
        return check.first_number + kRank;
      }
      std::uint32_t number = check.first_number + kSizes;
      for (const SizeLimit& limit : check.sizes) {
        const std::int64_t dim = limit.dim < 0 ? limit.dim + rank : limit.dim;
        if (dim < 0 || dim >= rank || sizes[dim] < limit.min || sizes[dim] > limit.max ||
            (limit.multiple_of != 1 && sizes[dim] % limit.multiple_of != 0)) {
          return number;
        }
        ++number;
      }
      if (C10_UNLIKELY(check.has_more)) {
        if (const std::uint32_t failing = first_failing_layout(check, *tensor); failing != 0) {
          return check.first_number + failing;
        }
      }
    }
    return 0;
  }

  /// The limit with that number in words: `self.dtype in {float32}`.
  const std::string& limit_text(std::uint32_t number) const { return texts_[number]; }

  /// All limits in words; `always` without any.
  std::string text() const;

 private:
  // A limit's number counts from its tensor's first; limits on sizes follow the others.
  enum Offset : std::uint32_t { kPresent, kDtype, kRank, kElements, kStrides, kCapability, kSizes };

  struct Check {
    std::uint64_t dtypes = ~std::uint64_t{0};  // as bits
    std::uint32_t first_number = 0;
    std::uint8_t argument = 0;
    bool has_more = false;                    // limits on elements, strides or capability
    std::uint64_t ranks = ~std::uint64_t{0};  // as bits
    StrideLimit strides = StrideLimit::kAny;
    int min_capability = 0;
    std::int64_t min_elements = 0;
    std::int64_t max_elements = kUnbounded;
    c10::SmallVector<SizeLimit, 2> sizes;
  };

  static std::uint32_t first_failing_layout(const Check& check, const at::Tensor& tensor);
  void add(const TensorLimits& limits, std::uint8_t argument);

  std::vector<Check> checks_;
  std::vector<std::string> texts_;  // by number; empty for a limit that is not set
};

}  // namespace opyard
