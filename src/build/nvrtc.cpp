#include <ATen/Version.h>
#include <build/embedded_code.h>
#include <build/kept_output.h>
#include <build/nvrtc.h>
#include <build/shared_library.h>
#include <dlfcn.h>
#include <opyard/error.h>

#include <cstdlib>
#include <filesystem>

namespace opyard::cuda {
namespace {

namespace fs = std::filesystem;

using Result = int;
using Handle = struct ProgramTag*;

struct Nvrtc {
  std::optional<std::string> missing;
  int major = 0, minor = 0;
  Result (*version)(int*, int*);
  Result (*create)(Handle*, const char*, const char*, int, const char* const*, const char* const*);
  Result (*destroy)(Handle*);
  Result (*add_name)(Handle, const char*);
  Result (*compile)(Handle, int, const char* const*);
  Result (*log_size)(Handle, std::size_t*);
  Result (*log)(Handle, char*);
  Result (*cubin_size)(Handle, std::size_t*);
  Result (*cubin)(Handle, char*);
  Result (*lowered)(Handle, const char*, const char**);
  const char* (*error_string)(Result);
};

/// Where NVRTC may lie: a folder that the user names, packages beside torch, the toolkit's usual place.
std::vector<fs::path> folders() {
  std::vector<fs::path> found;
  if (const char* named = std::getenv("OPYARD_NVRTC_FOLDER")) found.emplace_back(named);
  Dl_info torch{};
  if (dladdr(reinterpret_cast<const void*>(&at::get_cpu_capability), &torch) != 0 && torch.dli_fname != nullptr) {
    const fs::path packages = fs::path(torch.dli_fname).parent_path().parent_path().parent_path();
    for (const char* folder : {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib", "nvidia/cu12/lib"})
      found.push_back(packages / folder);
  }
  found.emplace_back("/usr/local/cuda/lib64");
  return found;
}

/// Paths of files that begin so, in a folder that may not exist.
std::vector<std::string> files(const fs::path& folder, const std::string& begin) {
  std::vector<std::string> found;
  std::error_code ignored;  // an unreadable folder has no such file
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(begin, 0) == 0 && name.find(".alt.") == std::string::npos) found.push_back(entry.path().string());
  }
  return found;
}

std::vector<std::string> candidates() {
  std::vector<std::string> names;
  for (const fs::path& folder : folders()) {
    for (std::string& path : files(folder, "libnvrtc.so.")) {
      // The compiler looks for its own data by bare name: it finds what is loaded already.
      SharedLibrary data(files(folder, "libnvrtc-builtins.so."));
      names.push_back(std::move(path));
    }
  }
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"}) names.emplace_back(name);
  return names;
}

Nvrtc open() {
  Nvrtc n{};
  const SharedLibrary library(candidates());
  if (!library.opened()) {
    n.missing = "NVRTC is not here: install nvidia-cuda-nvrtc, or name its folder in OPYARD_NVRTC_FOLDER (" +
                library.error() + ")";
    return n;
  }
  library.bind(n.version, "nvrtcVersion");
  library.bind(n.create, "nvrtcCreateProgram");
  library.bind(n.destroy, "nvrtcDestroyProgram");
  library.bind(n.add_name, "nvrtcAddNameExpression");
  library.bind(n.compile, "nvrtcCompileProgram");
  library.bind(n.log_size, "nvrtcGetProgramLogSize");
  library.bind(n.log, "nvrtcGetProgramLog");
  library.bind(n.cubin_size, "nvrtcGetCUBINSize");
  library.bind(n.cubin, "nvrtcGetCUBIN");
  library.bind(n.lowered, "nvrtcGetLoweredName");
  library.bind(n.error_string, "nvrtcGetErrorString");
  if (n.lowered == nullptr || n.cubin == nullptr) {
    n.missing = "the NVRTC that is here gives no cubin; it is older than CUDA 11.2";
  } else {
    n.version(&n.major, &n.minor);
  }
  return n;
}

const Nvrtc& nvrtc() {
  static const Nvrtc& instance = *new Nvrtc(open());
  return instance;
}

/// One program of the compiler, destroyed with this.
class Compilation {
 public:
  Compilation(const Nvrtc& n, const Program& program) : n_(n) {
    std::vector<const char*> names, texts;
    for (const auto& [name, text] : embedded_headers()) {
      names.push_back(name.data());
      texts.push_back(text.data());
    }
    check(n_.create(&handle_, program.source.c_str(), "opyard.cu", static_cast<int>(names.size()), texts.data(),
                    names.data()),
          program, "");
  }
  ~Compilation() { n_.destroy(&handle_); }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  Handle handle() const { return handle_; }

  std::string log() const {
    std::size_t size = 0;
    if (n_.log_size(handle_, &size) != 0 || size <= 1) return "";
    std::string text(size, '\0');
    n_.log(handle_, text.data());
    text.resize(size - 1);
    return text;
  }

  void check(Result result, const Program& program, const std::string& output) const {
    if (result == 0) return;
    const std::string kept = output.empty() ? "" : keep_output(output + "\n" + program.source);
    throw BuildError("a CUDA program does not compile",
                     {.argument = program.function,
                      .got = std::string(n_.error_string(result)) + ": " + output.substr(0, output.find('\n')),
                      .advice = kept.empty() ? "" : "read the compiler's whole output in " + kept});
  }

 private:
  const Nvrtc& n_;
  Handle handle_ = nullptr;
};

}  // namespace

const std::optional<std::string>& nvrtc_missing() { return nvrtc().missing; }

std::string nvrtc_version() { return "NVRTC " + std::to_string(nvrtc().major) + "." + std::to_string(nvrtc().minor); }

const std::vector<std::string>& nvrtc_options() {
  static const auto& options = *new std::vector<std::string>{"-std=c++17", "-default-device", "--fmad=true"};
  return options;
}

Cubin nvrtc_compile(const Program& program, const std::string& arch) {
  const Nvrtc& n = nvrtc();
  if (n.missing) throw BuildError("a CUDA program needs a compiler", {.argument = program.function, .got = *n.missing});
  const Compilation compilation(n, program);
  compilation.check(n.add_name(compilation.handle(), program.function.c_str()), program, "");
  std::vector<const char*> options;
  const std::string target = "-arch=" + arch;
  options.push_back(target.c_str());
  for (const std::string& option : nvrtc_options()) options.push_back(option.c_str());
  for (const std::string& option : program.options) options.push_back(option.c_str());
  const Result compiled = n.compile(compilation.handle(), static_cast<int>(options.size()), options.data());
  compilation.check(compiled, program, compilation.log());
  const char* lowered = nullptr;
  compilation.check(n.lowered(compilation.handle(), program.function.c_str(), &lowered), program, "");
  std::size_t size = 0;
  compilation.check(n.cubin_size(compilation.handle(), &size), program, "");
  Cubin cubin{std::string(size, '\0'), lowered};
  compilation.check(n.cubin(compilation.handle(), cubin.image.data()), program, "");
  return cubin;
}

}  // namespace opyard::cuda
