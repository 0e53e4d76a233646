// The compilers of languages embedded in Python. The library has none of its own: the binding gives them.
#pragma once

#include <opyard/dsl.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace opyard::cuda {

/// Machine code for one architecture, and what a launch of it must be.
struct DslArtefact {
  std::string function;  // its name in the image
  std::uint32_t threads = 0;
  std::uint32_t shared_bytes = 0;  // dynamic
  std::uint32_t cluster = 1;
  std::vector<int> parameters;  // for each of the image: the program's parameter, or kNothing
  std::string image;
};

/// A parameter that the compiler added and a launch leaves null.
constexpr int kNothing = -1;

class DslCompiler {
 public:
  virtual ~DslCompiler() = default;

  /// What to install, where the package is not here. Imports nothing.
  virtual const std::optional<std::string>& missing() const = 0;

  /// Of the package that is here, without importing it.
  virtual std::string version() const = 0;

  /// BuildError with the compiler's output kept in a file when it refuses.
  virtual DslArtefact compile(const DslProgram& program, const std::string& arch) const = 0;
};

/// Null before the binding gave one, so in a process without Python.
const DslCompiler* dsl_compiler(const std::string& language);

/// Once for each language, and for the life of the process.
void set_dsl_compiler(const std::string& language, std::unique_ptr<const DslCompiler> compiler);

}  // namespace opyard::cuda
