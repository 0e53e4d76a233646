// How a node answered a call that its limits admit.
#pragma once

#include <cstdint>

namespace opyard {

/// Unless it is kServed the next node is asked, and nothing was written.
enum class Outcome : std::uint8_t {
  kServed,
  kConditionFalse,
  kDeclined,
  kCannotStart,  // a driver or a library is missing, and will be at the next call
};

}  // namespace opyard
