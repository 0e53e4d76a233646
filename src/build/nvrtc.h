// NVIDIA's run-time compiler, opened on first use.
#pragma once

#include <opyard/cuda.h>

#include <optional>

namespace opyard::cuda {

/// The compiled form: machine code for one architecture, and the function's name in it.
struct Cubin {
  std::string image;
  std::string function;  // mangled
};

/// Compiles with the embedded headers. BuildError when there is no compiler, and when it refuses: its output is kept in
/// a file that the error names.
Cubin nvrtc_compile(const Program& program, const std::string& arch);

/// "NVRTC 13.0"; what a stored artefact depends on.
std::string nvrtc_version();

/// Why nothing can be compiled; nothing where NVRTC is there.
const std::optional<std::string>& nvrtc_missing();

/// The options that every program gets.
const std::vector<std::string>& nvrtc_options();

}  // namespace opyard::cuda
