#include "signature/shrink_row.h"

#include <algorithm>
#include <set>

#include "signature/program.h"

namespace opyard {
namespace {

constexpr std::int64_t kLargest = 8;         // numbers up to this one stay
constexpr std::size_t kLongestSequence = 3;  // of a Seq[Int]
constexpr std::int64_t kSmaller[] = {6,  5,  7,  4,  8,  3,  9,  10, 12,  14,  15,
                                     16, 20, 24, 32, 40, 48, 64, 96, 128, 192, 256};
constexpr std::int64_t kDivisors[] = {1024, 512, 256, 128, 64, 32, 16, 8, 4, 2};

class Shrinker {
 public:
  Shrinker(const Signature& signature, SampleRow sample, bool with_params)
      : signature_(signature), sample_(std::move(sample)), with_params_(with_params) {}

  SampleRow run() {
    if (!try_case(signature_, sample_)) {
      return std::move(sample_);
    }
    cut_sequences();
    bool changed = true;
    for (int round = 0; changed && round < 4; ++round) {
      changed = shrink_each();
      changed = shrink_equal() || changed;
      changed = divide_all() || changed;
    }
    return std::move(sample_);
  }

 private:
  bool accept(const WorkloadRow& row) {
    SampleRow candidate{sample_.label, row, sample_.dtypes};
    if (!try_case(signature_, candidate)) {
      return false;
    }
    sample_ = std::move(candidate);
    return true;
  }

  void cut_sequences() {
    for (const IndexProgram& index : signature_.program().indices) {
      const Value* value = find_value(sample_.row.indices, index.name);
      const Sequence* items = value == nullptr ? nullptr : value->get_if<Sequence>();
      if (index.kind == IndexKind::kIntSequence && items != nullptr && items->size() > kLongestSequence) {
        WorkloadRow row = sample_.row;
        set_value(row.indices, index.name, Sequence(items->begin(), items->begin() + kLongestSequence));
        accept(row);
      }
    }
  }

  std::vector<RowNumber> numbers() const { return numbers_of(sample_.row, with_params_); }

  std::set<std::int64_t> used() const {
    std::set<std::int64_t> values;
    for (const RowNumber& number : numbers()) {
      values.insert(number.value);
    }
    return values;
  }

  /// Tries smaller values for numbers that change together: unused ones first.
  bool shrink_together(const std::vector<RowNumber>& together) {
    const std::set<std::int64_t> taken = used();
    for (const bool again : {false, true}) {
      for (const std::int64_t smaller : kSmaller) {
        if (smaller >= together[0].value || (taken.count(smaller) > 0) != again) {
          continue;
        }
        WorkloadRow row = sample_.row;
        for (const RowNumber& number : together) {
          set_number(row, number, smaller);
        }
        if (accept(row)) {
          return true;
        }
      }
    }
    return false;
  }

  bool shrink_each() {
    bool changed = false;
    for (const RowNumber& number : numbers()) {
      changed = (number.value > kLargest && shrink_together({number})) || changed;
    }
    return changed;
  }

  bool shrink_equal() {
    bool changed = false;
    for (const std::int64_t value : used()) {
      std::vector<RowNumber> equal = numbers();
      equal.erase(std::remove_if(equal.begin(), equal.end(), [&](const auto& number) { return number.value != value; }),
                  equal.end());
      changed = (value > kLargest && equal.size() > 1 && shrink_together(equal)) || changed;
    }
    return changed;
  }

  /// Numbers that only hold as multiples of each other.
  bool divide_all() {
    for (const std::int64_t divisor : kDivisors) {
      WorkloadRow row = sample_.row;
      bool changed = false;
      for (const RowNumber& number : numbers()) {
        if (number.value > kLargest && number.value % divisor == 0 && number.value / divisor >= 2) {
          set_number(row, number, number.value / divisor);
          changed = true;
        }
      }
      if (changed && accept(row)) {
        return true;
      }
    }
    return false;
  }

  const Signature& signature_;
  SampleRow sample_;
  bool with_params_;
};

}  // namespace

SampleRow shrink(const Signature& signature, SampleRow sample, bool with_params) {
  return Shrinker(signature, std::move(sample), with_params).run();
}

}  // namespace opyard
