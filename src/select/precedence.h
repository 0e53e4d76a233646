// Which of the implementations that serve a call goes first: what they prefer over each other, and the general one
// last.
#pragma once

#include <c10/util/SmallVector.h>
#include <registry/operator_entry.h>

namespace opyard {

struct Precedence {
  c10::SmallVector<std::int32_t, 16> beaten_by;  // by entry of the table: the one preferred over it; -1: none
  c10::SmallVector<std::int32_t, 16> left;       // those that nothing is preferred over: one, unless they tie
};

/// `serves`: by entry of the table.
Precedence precedence(const ImplementationTable& table, const c10::SmallVector<bool, 16>& serves);

}  // namespace opyard
