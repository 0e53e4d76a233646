// A loop of a known count as straight code from the start: accumulators that it indexes then live in registers. A loop
// that the compiler unrolls later on leaves them on the stack.
#pragma once

#include <type_traits>
#include <utility>

namespace opyard::kernels {

/// body(i) for i of [0, Count), each a type that converts to its value.
template <int Count, class Body>
[[gnu::always_inline]] inline void unrolled(const Body& body) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (body(std::integral_constant<int, I>()), ...);
  }
  (std::make_integer_sequence<int, Count>());
}

}  // namespace opyard::kernels
