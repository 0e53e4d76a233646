// From a program in CUDA C++ to a function on a device: the artefact store, the compiler, the driver.
#include <build/artefact_store.h>
#include <build/embedded_code.h>
#include <build/loaded_function.h>
#include <c10/util/hash.h>

namespace opyard::cuda {
namespace {

/// Of all headers: a program may include any of them.
const std::string& headers_digest() {
  static const auto& digest = *new std::string([] {
    std::string all;
    for (const auto& [name, text] : embedded_headers()) all.append(name).append("\n").append(text);
    return c10::sha1(all).str();
  }());
  return digest;
}

std::string key_of(const Program& program, const std::string& arch) {
  std::string key = "cuda\n" + nvrtc_version() + "\n" + arch + "\n" + program.function + "\n";
  for (const std::string& option : nvrtc_options()) key += option + "\n";
  for (const std::string& option : program.options) key += option + "\n";
  return key + headers_digest() + "\n" + program.source;
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

std::shared_ptr<const Function> load(const Program& program, c10::Device device, std::size_t most_shared_bytes) {
  if (const std::string* arch = compile_only_arch()) return only_compiled(stored(program, *arch).function);
  refuse_capture(device, program.function);
  return load_cubin(stored(program, arch_name(compute_capability(device.index()))), device.index(), most_shared_bytes);
}

LateFunction::LateFunction(Program program, c10::Device device) : program_(std::move(program)), device_(device) {
  if (compile_only_arch() != nullptr) get();
}

const Function& LateFunction::get() const {
  std::call_once(loaded_, [this] { function_ = load(program_, device_); });
  return *function_;
}

}  // namespace opyard::cuda
