// Values of slots as plain values and as text. Cold.
#pragma once

#include <opyard/value.h>

#include <string>

#include "signature/machine.h"
#include "signature/program.h"

namespace opyard {

/// A value as an error shows it.
template <class Int>
std::string val_text(const Val<Int>& value, const Machine<Int>& machine, const StringTable& strings);

/// The names that an expression reads with their values: `H = 9, H_kv = 4`.
template <class Int>
std::string values_text(const Signature::Program& program, const Expression& expression, const Machine<Int>& machine);

Value plain_value_of(const Val<std::int64_t>& value, const Machine<std::int64_t>& machine, const StringTable& strings);

}  // namespace opyard
