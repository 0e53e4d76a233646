#include <build/cuda_driver.h>
#include <build/loaded_function.h>
#include <build/shared_library.h>
#include <opyard/error.h>

#include <array>
#include <atomic>

namespace opyard::cuda {
namespace {

constexpr int kMostDevices = 64;

struct Opened {
  Driver driver{};
  std::optional<std::string> missing;
};

void bind(const SharedLibrary& library, Driver& d) {
  library.bind(d.init, "cuInit");
  library.bind(d.error_name, "cuGetErrorName");
  library.bind(d.error_string, "cuGetErrorString");
  library.bind(d.device_get, "cuDeviceGet");
  library.bind(d.device_attribute, "cuDeviceGetAttribute");
  library.bind(d.primary_retain, "cuDevicePrimaryCtxRetain");
  library.bind(d.context_current, "cuCtxGetCurrent");
  library.bind(d.context_push, "cuCtxPushCurrent_v2");
  library.bind(d.context_pop, "cuCtxPopCurrent_v2");
  library.bind(d.module_load, "cuModuleLoadDataEx");
  library.bind(d.module_unload, "cuModuleUnload");
  library.bind(d.module_function, "cuModuleGetFunction");
  library.bind(d.function_set, "cuFuncSetAttribute");
  library.bind(d.launch, "cuLaunchKernelEx");
  library.bind(d.stream_capturing, "cuStreamIsCapturing");
}

std::string words_of(const Driver& driver, Result result) {
  const char *name = nullptr, *text = nullptr;
  driver.error_name(result, &name);
  driver.error_string(result, &text);
  return std::string(name == nullptr ? "unknown error" : name) + ": " + (text == nullptr ? "" : text);
}

Opened open() {
  Opened opened;
  const SharedLibrary library({"libcuda.so.1"});
  if (!library.opened()) {
    opened.missing = "NVIDIA's driver is not here (" + library.error() + ")";
    return opened;
  }
  bind(library, opened.driver);
  if (opened.driver.launch == nullptr) {
    opened.missing = "NVIDIA's driver has no cuLaunchKernelEx; it is older than CUDA 11.8";
  } else if (const Result result = opened.driver.init(0); result != 0) {
    opened.missing = "NVIDIA's driver does not start (" + words_of(opened.driver, result) + ")";
  }
  return opened;
}

// Leaked: kernels may be launched while statics are destroyed.
const Opened& opened() {
  static const Opened& instance = *new Opened(open());
  return instance;
}

int attribute(c10::DeviceIndex device, int which) {
  const Driver& driver = Driver::get();
  DeviceHandle handle = 0;
  driver.check(driver.device_get(&handle, device), "cuDeviceGet");
  int value = 0;
  driver.check(driver.device_attribute(&value, which, handle), "cuDeviceGetAttribute");
  return value;
}

/// A fact of each device, read once; what two threads read at once is the same.
template <class Fact, class Read>
Fact cached(std::array<std::atomic<Fact>, kMostDevices>& facts, c10::DeviceIndex device, Fact unknown,
            const Read& read) {
  std::atomic<Fact>& slot = facts.at(static_cast<std::size_t>(device));
  Fact fact = slot.load(std::memory_order_acquire);
  if (fact == unknown) {
    fact = read();
    slot.store(fact, std::memory_order_release);
  }
  return fact;
}

using CurrentStream = int(std::int32_t, void**);

CurrentStream* find_current_stream() {
  const SharedLibrary torch_cuda({"libtorch_cuda.so"}, /*only_if_loaded=*/true);
  CurrentStream* function = nullptr;
  torch_cuda.bind(function, "aoti_torch_get_current_cuda_stream");
  if (function == nullptr)
    throw BuildError("torch's CUDA half is not loaded",
                     {.expected = "libtorch_cuda.so with aoti_torch_get_current_cuda_stream",
                      .got = torch_cuda.error(),
                      .advice = "install a CUDA build of torch, or load it before the first call"});
  return function;
}

}  // namespace

const std::optional<std::string>& Driver::missing() { return opened().missing; }

const Driver& Driver::get() {
  const Opened& found = opened();
  if (found.missing)
    throw BuildError("a CUDA kernel needs a driver",
                     {.expected = "libcuda.so.1 and a device", .got = *found.missing, .advice = "install the driver"});
  return found.driver;
}

void Driver::check(Result result, const char* what) const {
  if (result != 0) [[unlikely]]
    throw BuildError("the CUDA driver refused", {.argument = what, .got = words_of(*this, result)});
}

Context primary_context(c10::DeviceIndex device) {
  static std::array<std::atomic<Context>, kMostDevices> contexts{};
  return cached<Context>(contexts, device, nullptr, [device] {
    const Driver& driver = Driver::get();
    DeviceHandle handle = 0;
    Context context = nullptr;
    driver.check(driver.device_get(&handle, device), "cuDeviceGet");
    driver.check(driver.primary_retain(&context, handle), "cuDevicePrimaryCtxRetain");
    return context;
  });
}

int compute_capability(c10::DeviceIndex device) {
  if (const std::string* arch = compile_only_arch()) return capability_of(*arch);
  static std::array<std::atomic<int>, kMostDevices> archs{};
  return cached(archs, device, 0,
                [device] { return 10 * attribute(device, kDeviceMajor) + attribute(device, kDeviceMinor); });
}

ContextScope::ContextScope(Context context) {
  const Driver& driver = Driver::get();
  Context current = nullptr;
  driver.check(driver.context_current(&current), "cuCtxGetCurrent");
  if (current != context) {
    driver.check(driver.context_push(context), "cuCtxPushCurrent");
    pushed_ = true;
  }
}

ContextScope::~ContextScope() {
  if (pushed_) {
    Context popped = nullptr;
    Driver::get().context_pop(&popped);
  }
}

StreamHandle current_stream(c10::DeviceIndex device) {
  static CurrentStream* const function = find_current_stream();
  void* stream = nullptr;
  if (function(device, &stream) != 0) [[unlikely]]
    throw BuildError("torch gives no current stream", {.argument = "cuda:" + std::to_string(device)});
  return static_cast<StreamHandle>(stream);
}

bool is_capturing(c10::DeviceIndex device) {
  const Driver& driver = Driver::get();
  ContextScope scope(primary_context(device));
  int status = 0;
  driver.check(driver.stream_capturing(current_stream(device), &status), "cuStreamIsCapturing");
  return status != 0;
}

}  // namespace opyard::cuda
