#include <build/dsl_compiler.h>
#include <opyard/error.h>

#include <atomic>

namespace opyard::cuda {
namespace {

struct Language {
  const char* name;
  std::atomic<const DslCompiler*> compiler{nullptr};
};

// Without a lock, so that a forked child finds none that is held.
Language languages[] = {{"triton"}, {"tilelang"}, {"cute"}};

Language& language_of(const std::string& name) {
  for (Language& language : languages)
    if (name == language.name) return language;
  throw BuildError("no such language", {.expected = "triton, tilelang or cute", .got = name});
}

}  // namespace

const DslCompiler* dsl_compiler(const std::string& language) {
  return language_of(language).compiler.load(std::memory_order_acquire);
}

void set_dsl_compiler(const std::string& language, std::unique_ptr<const DslCompiler> compiler) {
  // Kept for ever: kernels may be built while statics are destroyed.
  language_of(language).compiler.store(compiler.release(), std::memory_order_release);
}

}  // namespace opyard::cuda
