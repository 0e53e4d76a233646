// From a program in a language embedded in Python to a function on a device: the artefact store, the compiler, the
// driver.
#include <build/artefact_store.h>
#include <build/cubin_parameters.h>
#include <build/dsl_compiler.h>
#include <build/embedded_code.h>
#include <build/loaded_function.h>
#include <c10/util/hash.h>
#include <opyard/error.h>

#include <sstream>

namespace opyard::cuda {
namespace {

constexpr std::size_t kMostParameters = 64;

/// Every fact but the compiler's version. Short, so that asking whether it is stored is cheap.
std::string facts_of(const DslProgram& program, const std::string& arch) {
  std::string facts = program.language + "\n" + arch + "\n" + program.function + "\n";
  for (const auto& [name, type] : program.parameters) facts += name + ": " + type + "\n";
  for (const auto& [name, value] : program.constants) facts += name + " = " + to_text(value) + "\n";
  return facts + c10::sha1(program.source).str();
}

/// Under this key lies the version that built the program: who has no compiler finds the program by it.
std::string version_key(const std::string& facts) { return "version of\n" + facts; }

std::string artefact_key(const std::string& facts, const std::string& version) { return version + "\n" + facts; }

/// Two lines, then the image: the name; threads, shared memory, cluster and parameters.
std::string packed(const DslArtefact& artefact) {
  std::ostringstream text;
  text << artefact.function << '\n' << artefact.threads << ' ' << artefact.shared_bytes << ' ' << artefact.cluster;
  for (const int parameter : artefact.parameters) text << ' ' << parameter;
  text << '\n' << artefact.image;
  return text.str();
}

DslArtefact unpacked(const std::string& text) {
  DslArtefact artefact;
  const std::size_t name = text.find('\n'), facts = text.find('\n', name + 1);
  artefact.function = text.substr(0, name);
  std::istringstream line(text.substr(name + 1, facts - name - 1));
  line >> artefact.threads >> artefact.shared_bytes >> artefact.cluster;
  for (int parameter = 0; line >> parameter;) artefact.parameters.push_back(parameter);
  artefact.image = text.substr(facts + 1);
  return artefact;
}

std::uint32_t size_of(const std::string& type) {
  if (type.front() == '*' || type == "i64" || type == "fp64") return 8;
  if (type == "i32" || type == "fp32") return 4;
  throw BuildError("a parameter's type is unknown", {.expected = "*T, i32, i64, fp32 or fp64", .got = type});
}

/// The compiler's account of its parameters against the image's own: a launch with others would read past its values.
void check_parameters(const DslProgram& program, const DslArtefact& artefact) {
  const auto sizes = cubin_parameters(artefact.image, artefact.function);
  std::string expected, got;
  for (const int parameter : artefact.parameters)
    expected += std::to_string(parameter == kNothing ? 8 : size_of(program.parameters.at(parameter).second)) + " ";
  if (sizes)
    for (const std::uint32_t size : *sizes) got += std::to_string(size) + " ";
  if (expected == got && artefact.parameters.size() <= kMostParameters) return;
  throw BuildError("a compiled kernel takes other parameters than its compiler said",
                   {.argument = program.language + " " + program.function,
                    .expected = "parameters of " + expected + "bytes",
                    .got = sizes ? got + "bytes" : "an image without the kernel " + artefact.function,
                    .advice = "another version of the language may lay them out differently"});
}

const DslCompiler* installed(const DslProgram& program) {
  const DslCompiler* compiler = dsl_compiler(program.language);
  return compiler == nullptr || compiler->missing() ? nullptr : compiler;
}

std::string absence(const DslProgram& program) {
  const DslCompiler* compiler = dsl_compiler(program.language);
  return compiler == nullptr ? "a process without Python has no " + program.language + " compiler"
                             : *compiler->missing();
}

DslArtefact built(const DslProgram& program, const std::string& arch) {
  ArtefactStore& store = ArtefactStore::process();
  const std::string facts = facts_of(program, arch);
  if (const DslCompiler* compiler = installed(program)) {
    const std::string version = compiler->version();
    DslArtefact artefact = unpacked(store.get_or_build(artefact_key(facts, version), [&] {
      const DslArtefact fresh = compiler->compile(program, arch);
      check_parameters(program, fresh);
      return packed(fresh);
    }));
    store.get_or_build(version_key(facts), [&] { return version; });
    return artefact;
  }
  if (const auto version = store.find(version_key(facts)))
    if (const auto artefact = store.find(artefact_key(facts, *version))) return unpacked(*artefact);
  throw BuildError("a program needs its language's compiler, and is not in the artefact store",
                   {.argument = program.language + " " + program.function,
                    .expected = "it compiled for " + arch,
                    .got = absence(program),
                    .advice = "install it, or bring a store that `opyard cache build` filled"});
}

class Loaded final : public DslFunction {
 public:
  Loaded(const DslArtefact& artefact, std::shared_ptr<const Function> function)
      : function_(std::move(function)), parameters_(artefact.parameters) {
    launch_.block[0] = artefact.threads;
    launch_.shared_bytes = artefact.shared_bytes;
    launch_.cluster[0] = artefact.cluster;
  }

  void launch(const std::uint32_t (&grid)[3], void* const* arguments) const override {
    void* nothing = nullptr;
    void* values[kMostParameters];
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      values[i] = parameters_[i] == kNothing ? &nothing : arguments[parameters_[i]];
    Launch launch = launch_;
    launch.grid[0] = grid[0] * launch.cluster[0];
    launch.grid[1] = grid[1];
    launch.grid[2] = grid[2];
    function_->launch(launch, values);
  }

 private:
  std::shared_ptr<const Function> function_;
  std::vector<int> parameters_;
  Launch launch_;
};

}  // namespace

std::shared_ptr<const DslFunction> load(const DslProgram& program, c10::Device device) {
  if (const std::string* arch = compile_only_arch()) {
    const DslArtefact artefact = built(program, *arch);
    return std::make_shared<const Loaded>(artefact, only_compiled(artefact.function));
  }
  refuse_capture(device, program.function);
  const DslArtefact artefact = built(program, arch_name(compute_capability(device.index())));
  return std::make_shared<const Loaded>(
      artefact, load_cubin({artefact.image, artefact.function}, device.index(), artefact.shared_bytes));
}

Refusal refusal_of(const DslProgram& program, int arch) {
  if (installed(program) != nullptr) return std::nullopt;
  if (ArtefactStore::process().find(version_key(facts_of(program, arch_name(arch))))) return std::nullopt;
  return absence(program);
}

std::string embedded_module(std::string_view path) {
  for (const auto& [name, text] : embedded_modules())
    if (name == path) return std::string(text);
  throw BuildError("no such module is in the library", {.got = std::string(path)});
}

}  // namespace opyard::cuda
