#include <build/cuda_driver.h>
#include <build/loaded_function.h>
#include <opyard/error.h>

#include <cstdio>

namespace opyard::cuda {
namespace {

class LoadedFunction final : public Function {
 public:
  LoadedFunction(const Cubin& cubin, c10::DeviceIndex device, std::size_t most_shared_bytes)
      : driver_(Driver::get()), device_(device), context_(primary_context(device)), name_(cubin.function) {
    const ContextScope scope(context_);
    driver_.check(driver_.module_load(&module_, cubin.image.data(), 0, nullptr, nullptr), "cuModuleLoadDataEx");
    driver_.check(driver_.module_function(&function_, module_, cubin.function.c_str()), "cuModuleGetFunction");
    if (most_shared_bytes > 0)
      driver_.check(driver_.function_set(function_, kFunctionMaxDynamicShared, static_cast<int>(most_shared_bytes)),
                    "cuFuncSetAttribute(max dynamic shared size)");
  }

  ~LoadedFunction() override {
    const ContextScope scope(context_);
    driver_.module_unload(module_);
  }

  void launch(const Launch& launch, void** arguments) const override {
    LaunchAttribute attributes[2];
    LaunchConfig config = {
        launch.grid[0],  launch.grid[1],      launch.grid[2],          launch.block[0], launch.block[1],
        launch.block[2], launch.shared_bytes, current_stream(device_), attributes,      0};
    if (launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 1) {
      attributes[config.attribute_count].id = kAttributeCluster;
      attributes[config.attribute_count++].value.cluster = {launch.cluster[0], launch.cluster[1], launch.cluster[2]};
    }
    if (launch.cooperative) {
      attributes[config.attribute_count].id = kAttributeCooperative;
      attributes[config.attribute_count++].value.cooperative = 1;
    }
    const ContextScope scope(context_);
    driver_.check(driver_.launch(&config, function_, arguments, nullptr), name_.c_str());
  }

 private:
  const Driver& driver_;
  c10::DeviceIndex device_;
  Context context_;
  Module module_ = nullptr;
  FunctionHandle function_ = nullptr;
  std::string name_;
};

/// Compiled ahead: there is no device to launch it on.
class CompiledFunction final : public Function {
 public:
  explicit CompiledFunction(std::string name) : name_(std::move(name)) {}
  void launch(const Launch&, void**) const override {
    throw BuildError("a kernel that was only compiled is launched",
                     {.argument = name_, .advice = "build it outside of a CompileOnly scope"});
  }

 private:
  std::string name_;
};

thread_local const std::string* compile_only = nullptr;

}  // namespace

std::shared_ptr<const Function> load_cubin(const Cubin& cubin, c10::DeviceIndex device, std::size_t most_shared_bytes) {
  return std::make_shared<const LoadedFunction>(cubin, device, most_shared_bytes);
}

std::shared_ptr<const Function> only_compiled(std::string name) {
  return std::make_shared<const CompiledFunction>(std::move(name));
}

CompileOnly::CompileOnly(std::string arch) : outer_(compile_only), arch_(std::move(arch)) { compile_only = &arch_; }

CompileOnly::~CompileOnly() { compile_only = outer_; }

bool only_compiling() { return compile_only != nullptr; }

const std::string* compile_only_arch() { return compile_only; }

std::string arch_name(int capability) { return "sm_" + std::to_string(capability) + (capability >= 90 ? "a" : ""); }

int capability_of(const std::string& arch) {
  int capability = 0;
  if (std::sscanf(arch.c_str(), "sm_%d", &capability) == 1 && arch_name(capability) == arch) return capability;
  throw BuildError("no such architecture", {.expected = "one such as sm_80, sm_90a or sm_100a", .got = arch});
}

void refuse_capture(c10::Device device, const std::string& function) {
  if (!is_capturing(device.index())) return;
  throw BuildError("a kernel is not built yet, and the current stream is being captured",
                   {.argument = function,
                    .expected = "a built kernel",
                    .got = "a first call while " + device.str() + " captures",
                    .advice = "call op.warmup(...) with the call's shapes, or the operator once, before the capture"});
}

}  // namespace opyard::cuda
