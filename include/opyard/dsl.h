// Kernels in languages embedded in Python (Triton, TileLang, CuTe DSL): compiled ahead to machine code, kept on disk,
// and launched from C++ without Python and without the language's package.
#pragma once

#include <opyard/cuda.h>
#include <opyard/implementation.h>

#include <string>
#include <utility>
#include <vector>

namespace opyard::cuda {

/// What is compiled: a module's text, a function in it, and what the function is specialised by.
struct DslProgram {
  std::string language;  // "triton", "tilelang" or "cute"
  std::string source;
  std::string function;
  /// Of a launch, in the function's order: name, and type in Triton's spelling ("*bf16", "i64", "fp32").
  std::vector<std::pair<std::string, std::string>> parameters;
  std::vector<NamedValue> constants;
};

/// A loaded function, and what its compiler decided of a launch. Immutable; launched from any number of threads.
class DslFunction {
 public:
  virtual ~DslFunction() = default;

  /// On torch's current stream. `arguments` point to the values of the program's parameters, in its order; what the
  /// compiler added to them is filled in.
  virtual void launch(const std::uint32_t (&grid)[3], void* const* arguments) const = 0;
};

/// Compiles and loads for the device, or takes what the artefact store has; errors as those of `load` in cuda.h. A
/// stored program needs no package of the language.
std::shared_ptr<const DslFunction> load(const DslProgram& program, c10::Device device);

/// Why the program cannot be had for an architecture (10 * major + minor): its language is not installed, and it is not
/// stored; nothing where it can.
Refusal refusal_of(const DslProgram& program, int arch);

/// A Python file under kernels/, by its path there ("rms_norm/triton.py"), as text in the library.
std::string embedded_module(std::string_view path);

}  // namespace opyard::cuda
