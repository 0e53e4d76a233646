// Catalogue operators in front of the aten operators that their entries name, switched for a process or a thread.
#pragma once

#include <override/override.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace opyard {

/// One catalogue operator in front of one aten operator at one key.
struct RouteDeclaration {
  std::string op;    // GEMMFwdOp
  std::string aten;  // aten::mm
  std::string key;   // CPU
  /// Registers the override; it serves only while route_is_on(number).
  std::function<OverrideHandle(std::size_t number)> install;
};

struct RouteReport {
  std::string op;
  std::string aten;
  std::string key;
  bool on = false;  // for the calling thread
  std::uint64_t served = 0;
  std::uint64_t fell_through = 0;
};

enum class RouteScope { kProcess, kThread };

/// All that there are, by number, with their counts since the process began: operator by operator in the order of the
/// manifests' sorted names, then of the entry. Operators declared and implementations registered later add to the end.
std::vector<RouteReport> routes();

/// Switches routes on. Counted: each use is ended by one `leave_routes` of the same scope, by the same thread where it
/// is the thread's. A call that no implementation serves ahead of aten's own kernel falls through to it.
void use_routes(const std::vector<std::size_t>& numbers, RouteScope scope);
void leave_routes(const std::vector<std::size_t>& numbers, RouteScope scope);

}  // namespace opyard
