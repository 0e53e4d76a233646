// From a program to a function on a device: the artefact store, the compiler, the driver.
#include <build/artefact_store.h>
#include <build/cuda_driver.h>
#include <build/cuda_headers.h>
#include <build/nvrtc.h>
#include <opyard/error.h>

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

/// Architectures from 90 on get their own instructions; code for one of them runs on no other.
std::string arch_name(int capability) { return "sm_" + std::to_string(capability) + (capability >= 90 ? "a" : ""); }

std::string key_of(const Program& program, const std::string& arch) {
  std::string key = "cuda\n" + nvrtc_version() + "\n" + arch + "\n" + program.function + "\n";
  for (const std::string& option : nvrtc_options()) key += option + "\n";
  for (const auto& [name, text] : embedded_headers()) key.append(name).append("\n").append(text);
  return key + program.source;
}

/// The function's name, a line's end, the image.
std::string packed(const Cubin& cubin) { return cubin.function + "\n" + cubin.image; }

Cubin unpacked(const std::string& text) {
  const std::size_t line = text.find('\n');
  return {text.substr(line + 1), text.substr(0, line)};
}

Cubin stored(const Program& program, const std::string& arch) {
  return unpacked(ArtefactStore::process().get_or_build(key_of(program, arch),
                                                        [&] { return packed(nvrtc_compile(program, arch)); }));
}

}  // namespace

CompileOnly::CompileOnly(std::string arch) : outer_(compile_only), arch_(std::move(arch)) { compile_only = &arch_; }

CompileOnly::~CompileOnly() { compile_only = outer_; }

std::shared_ptr<const Function> load(const Program& program, c10::Device device, std::size_t most_shared_bytes) {
  if (compile_only != nullptr) return std::make_shared<const CompiledFunction>(stored(program, *compile_only).function);
  if (is_capturing(device.index()))
    throw BuildError("a kernel is not built yet, and the current stream is being captured",
                     {.argument = program.function,
                      .expected = "a built kernel",
                      .got = "a first call while " + device.str() + " captures",
                      .advice = "call the operator once before the capture"});
  const Cubin cubin = stored(program, arch_name(compute_capability(device.index())));
  return std::make_shared<const LoadedFunction>(cubin, device.index(), most_shared_bytes);
}

LateFunction::LateFunction(Program program, c10::Device device) : program_(std::move(program)), device_(device) {
  if (compile_only != nullptr) get();
}

const Function& LateFunction::get() const {
  std::call_once(loaded_, [this] { function_ = load(program_, device_); });
  return *function_;
}

}  // namespace opyard::cuda
