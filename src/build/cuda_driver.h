// NVIDIA's driver, opened on first use. Types and constants are as in the driver's interface, whose binary form is
// stable; its header is not needed to build.
#pragma once

#include <c10/core/Device.h>
#include <opyard/cuda.h>

#include <optional>
#include <string>

namespace opyard::cuda {

using Result = int;  // 0: success
using DeviceHandle = int;
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using FunctionHandle = struct FunctionTag*;
using StreamHandle = struct StreamTag*;

/// One attribute of a launch: 64 bytes, of which the first eight name it.
struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster;
    int cooperative;
  } value;
};

struct LaunchConfig {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  StreamHandle stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

constexpr int kAttributeCooperative = 2, kAttributeCluster = 4;  // of a launch
constexpr int kFunctionMaxDynamicShared = 8;                     // of a function
constexpr int kDeviceMajor = 75, kDeviceMinor = 76;              // of a device

/// The functions that opyard calls; all are there when `Driver::get()` gives a driver.
struct Driver {
  Result (*init)(unsigned);
  Result (*error_name)(Result, const char**);
  Result (*error_string)(Result, const char**);
  Result (*device_get)(DeviceHandle*, int);
  Result (*device_attribute)(int*, int, DeviceHandle);
  Result (*primary_retain)(Context*, DeviceHandle);
  Result (*context_current)(Context*);
  Result (*context_push)(Context);
  Result (*context_pop)(Context*);
  Result (*module_load)(Module*, const void*, unsigned, int*, void**);
  Result (*module_unload)(Module);
  Result (*module_function)(FunctionHandle*, Module, const char*);
  Result (*function_set)(FunctionHandle, int, int);
  Result (*launch)(const LaunchConfig*, FunctionHandle, void**, void**);
  Result (*stream_capturing)(StreamHandle, int*);

  /// Opens and initialises it. BuildError, with what is missing, where there is none.
  static const Driver& get();
  /// What `get` would say; nothing where the driver is there.
  static const std::optional<std::string>& missing();

  /// BuildError naming `what` and the driver's own words unless `result` is success.
  void check(Result result, const char* what) const;
};

/// The device's primary context, which torch uses as well; kept for the life of the process.
Context primary_context(c10::DeviceIndex device);

/// Makes the device's primary context current on this thread while it lives, unless it is that already.
class ContextScope {
 public:
  explicit ContextScope(Context context);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  bool pushed_ = false;
};

/// torch's current stream of the device on this thread.
StreamHandle current_stream(c10::DeviceIndex device);

/// Whether that stream is being captured into a graph: nothing may be compiled or loaded then.
bool is_capturing(c10::DeviceIndex device);

}  // namespace opyard::cuda
