#include <build/dsl_compiler.h>
#include <build/kept_output.h>
#include <opyard/error.h>
#include <pybind11/stl.h>
#include <python/dsl_compilers.h>
#include <python/hold.h>
#include <python/value_caster.h>

#include <atomic>

namespace opyard::python {
namespace py = pybind11;

namespace {

class PythonCompiler final : public cuda::DslCompiler {
 public:
  /// `package` is its name where packages are installed from, `module` what is imported of it.
  PythonCompiler(std::string language, std::string package, std::string module)
      : language_(std::move(language)), package_(std::move(package)), module_(std::move(module)) {}

  const std::optional<std::string>& missing() const override {
    // Not a once_flag: who waits for one may hold the interpreter lock that the look needs.
    if (!looked_.load(std::memory_order_acquire)) {
      with_interpreter([this] {
        const bool found = !py::module_::import("importlib.util").attr("find_spec")(module_).is_none();
        if (looked_.load(std::memory_order_relaxed)) return;  // another thread had the lock meanwhile
        if (!found) missing_ = language_ + " is not installed: pip install " + package_;
        looked_.store(true, std::memory_order_release);
      });
    }
    return missing_;
  }

  std::string version() const override {
    return with_interpreter([this] {
      const py::object text = py::module_::import("importlib.metadata").attr("version")(package_);
      return package_ + " " + text.cast<std::string>();
    });
  }

  cuda::DslArtefact compile(const cuda::DslProgram& program, const std::string& arch) const override {
    return with_interpreter([&] {
      try {
        return compiled(program, arch);
      } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_Exception)) throw;  // a user's interrupt
        fail(program, error);
      }
    });
  }

 private:
  cuda::DslArtefact compiled(const cuda::DslProgram& program, const std::string& arch) const {
    py::list parameters;
    py::dict constants;
    for (const auto& [name, type] : program.parameters) parameters.append(py::make_tuple(name, type));
    for (const auto& [name, value] : program.constants) constants[py::str(name)] = to_python(value);
    const py::object compile = py::module_::import(("opyard.dsl." + language_).c_str()).attr("compile_program");
    const py::object done = compile(program.source, program.function, parameters, constants, arch);
    return {.function = done.attr("function").cast<std::string>(),
            .threads = done.attr("threads").cast<std::uint32_t>(),
            .shared_bytes = done.attr("shared_bytes").cast<std::uint32_t>(),
            .cluster = done.attr("cluster").cast<std::uint32_t>(),
            .parameters = done.attr("parameters").cast<std::vector<int>>(),
            .image = done.attr("image").cast<std::string>()};
  }

  [[noreturn]] void fail(const cuda::DslProgram& program, const py::error_already_set& error) const {
    const std::string text = error.what();
    throw BuildError("a program does not compile",
                     {.argument = language_ + " " + program.function,
                      .got = text.substr(0, text.find('\n')),
                      .advice = "read the whole output in " + keep_output(text + "\n" + program.source)});
  }

  std::string language_, package_, module_;
  mutable std::atomic<bool> looked_{false};
  mutable std::optional<std::string> missing_;
};

}  // namespace

void add_dsl_compilers() {
  const auto add = [](const char* language, const char* package, const char* module) {
    cuda::set_dsl_compiler(language, std::make_unique<PythonCompiler>(language, package, module));
  };
  add("triton", "triton", "triton");
  add("tilelang", "tilelang", "tilelang");
  add("cute", "nvidia-cutlass-dsl", "nvidia_cutlass_dsl");
}

}  // namespace opyard::python
