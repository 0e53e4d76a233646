// GEMMFwdOp and BMMFwdOp in front of aten's matrix products on CPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace opyard {

/// Calls of one aten operator while the routes were on.
struct RouteCount {
  std::string op;              // `aten::mm`
  std::string implementation;  // what served: an opyard operator
  std::uint64_t served = 0;
  std::uint64_t fell_through = 0;
};

/// Turns the routes on or off for the process. Counted: the last `false` ends the first `true`. A product for which no
/// implementation is preferred to aten's own falls through to it.
void route_matmul(bool on);

/// Since the process began.
std::vector<RouteCount> matmul_route_counts();

}  // namespace opyard
