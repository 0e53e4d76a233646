// Kernels in CUDA C++: a source is compiled for a device's architecture when it is first needed, kept on disk, and
// launched on torch's current stream.
#pragma once

#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace opyard::cuda {

/// What is compiled: text that may include the headers under kernels/, and the name expression of a __global__ function
/// in it, such as `opyard::rows<float, 4>`.
struct Program {
  std::string source;
  std::string function;
  std::vector<std::string> options = {};  // of the compiler, beside its usual ones
};

/// Sizes in threads and blocks; dynamic shared memory in bytes.
struct Launch {
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t shared_bytes = 0;
  std::uint32_t cluster[3] = {1, 1, 1};
  bool cooperative = false;
};

/// A loaded function on one device. Immutable; launched from any number of threads.
class Function {
 public:
  virtual ~Function() = default;

  /// On torch's current stream of the device. `arguments` point to the parameters' values, which are read before this
  /// returns. BuildError with the driver's words when it refuses.
  virtual void launch(const Launch& launch, void** arguments) const = 0;
};

/// Compiles and loads for the device, or takes what the artefact store has. `most_shared_bytes`: dynamic shared memory
/// that launches may ask for. BuildError while the current stream is being captured, when there is no compiler, and
/// with the compiler's output when it refuses.
std::shared_ptr<const Function> load(const Program& program, c10::Device device, std::size_t most_shared_bytes = 0);

/// While it lives, `load` on this thread compiles for an architecture such as "sm_90a" into the artefact store and
/// touches no device: what it gives cannot be launched. So artefacts are made ahead, also for a device that is not
/// here.
class CompileOnly {
 public:
  explicit CompileOnly(std::string arch);
  ~CompileOnly();
  CompileOnly(const CompileOnly&) = delete;
  CompileOnly& operator=(const CompileOnly&) = delete;

 private:
  const std::string* outer_;
  std::string arch_;
};

/// Whether a CompileOnly lives on this thread: there may be no device to copy to.
bool only_compiling();

/// A function that few calls need: loaded by the first of them, or at once while a CompileOnly lives.
class LateFunction {
 public:
  LateFunction(Program program, c10::Device device);

  /// As `load`, whose errors it has; a later call tries again.
  const Function& get() const;

 private:
  Program program_;
  c10::Device device_;
  mutable std::once_flag loaded_;
  mutable std::shared_ptr<const Function> function_;
};

/// 10 * major + minor, read once for each device; that of the architecture while a CompileOnly lives.
int compute_capability(c10::DeviceIndex device);

}  // namespace opyard::cuda
