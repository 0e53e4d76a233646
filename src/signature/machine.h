// Evaluates code over slots, for plain sizes and for symbolic ones alike.
#pragma once

#include <c10/util/SmallVector.h>

#include <stdexcept>
#include <string>

#include "signature/code.h"
#include "signature/val.h"

namespace opyard {

/// Why an expression has no value: division by zero, an index out of range, a primitive's error.
struct EvaluationFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class Int>
class Machine {
 public:
  using V = Val<Int>;
  using Bool = typename Sizes<Int>::Bool;

  Machine(const Code& code, const StringTable& strings, std::size_t slot_count) : code_(code), strings_(strings) {
    slots.resize(slot_count);
  }

  /// Throws EvaluationFailure.
  V eval(std::int32_t node);

  /// The value as a truth that a program must branch on: a symbolic one becomes a guard.
  bool decide(const V& value) const;

  const V& item(const V& sequence, std::size_t i) const { return pool[sequence.id + i]; }
  Bool equal(const V& a, const V& b) const;

  c10::SmallVector<V, 40> slots;
  c10::SmallVector<V, 48> pool;  // the items of sequences

 private:
  V call(const CodeNode& node);
  V call_sequence(const CodeNode& node);
  V call_axes(const CodeNode& node);
  V call_scalar(const CodeNode& node);
  V call_dtype(const CodeNode& node);
  V broadcast(const CodeNode& node);
  V reduced(const CodeNode& node);
  V per_axis(const CodeNode& node);
  V pool_out(const CodeNode& node);
  V fold_items(const CodeNode& node);

  V arithmetic(const CodeNode& node);
  V compare(const CodeNode& node);
  V logic(const CodeNode& node);
  V tuple(const CodeNode& node);
  V comprehension(const CodeNode& node);
  V index(const CodeNode& node);
  V slice(const CodeNode& node);
  Bool member(const V& value, const V& sequence) const;
  Bool less(const V& a, const V& b, bool or_equal) const;

  std::int32_t kid(const CodeNode& node, int i) const { return code_.kids[node.first_kid + i]; }
  V operand(const CodeNode& node, int i) { return eval(kid(node, i)); }
  Int integer(const CodeNode& node, int i, const char* what);
  std::int64_t plain(const V& value, const char* what) const;
  c10::SmallVector<std::int64_t, 8> axes_of(const V& value, std::int64_t rank) const;

  const Code& code_;
  const StringTable& strings_;
};

extern template class Machine<std::int64_t>;
extern template class Machine<c10::SymInt>;

}  // namespace opyard
