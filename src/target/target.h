// Who serves a device: `builtin` is opyard itself.
#pragma once

#include <string>

namespace opyard {

/// Compared by identity; a target lives as long as the process.
struct Target {
  std::string name;
};

/// opyard's own implementations.
const Target& builtin_target();

}  // namespace opyard
