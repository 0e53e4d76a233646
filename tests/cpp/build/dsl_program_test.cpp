// Programs in a language embedded in Python, by a compiler of the test's: what the store keeps them by, and what is
// refused.
#include <build/artefact_store.h>
#include <build/dsl_compiler.h>
#include <build/nvrtc.h>
#include <gtest/gtest.h>
#include <opyard/error.h>
#include <unistd.h>

namespace opyard::cuda {
namespace {

/// Compiles a CUDA program in place of the language's; absent and of another version at will.
class StandIn final : public DslCompiler {
 public:
  const std::optional<std::string>& missing() const override { return missing_; }
  std::string version() const override { return version_; }
  DslArtefact compile(const DslProgram& program, const std::string& arch) const override {
    ++builds_;
    const Cubin cubin = nvrtc_compile({program.source, program.function}, arch);
    return {.function = cubin.function, .threads = 32, .parameters = parameters_, .image = cubin.image};
  }

  std::optional<std::string> missing_;
  std::string version_ = "language 1";
  std::vector<int> parameters_ = {1, 0, kNothing};
  mutable int builds_ = 0;
};

StandIn& compiler() {
  static StandIn* instance = [] {
    auto made = std::make_unique<StandIn>();
    StandIn* kept = made.get();
    set_dsl_compiler("triton", std::move(made));
    return kept;
  }();
  return *instance;
}

class DslProgramTest : public testing::Test {
 protected:
  DslProgramTest() { compiler() = StandIn(); }

  /// Of no earlier run: the store of the process stays.
  static DslProgram program(const std::string& name) {
    const std::string unique = name + std::to_string(getpid()) + "_" + std::to_string(time(nullptr));
    return {.language = "triton",
            .source = "extern \"C\" __global__ void " + unique + "(float* y, long long n, void* scratch) {}",
            .function = unique,
            .parameters = {{"n", "i64"}, {"y", "*fp32"}}};
  }
  static void compile(const DslProgram& program, const std::string& arch = "sm_90a") {
    const CompileOnly scope(arch);
    load(program, c10::Device(c10::DeviceType::CUDA, 0));
  }
};

TEST_F(DslProgramTest, is_built_once_for_each_architecture) {
  const DslProgram one = program("archs");
  compile(one);
  compile(one);
  EXPECT_EQ(compiler().builds_, 1);
  compile(one, "sm_80");
  EXPECT_EQ(compiler().builds_, 2);
}

TEST_F(DslProgramTest, is_built_anew_by_another_version_of_its_compiler) {
  const DslProgram one = program("versions");
  compile(one);
  compiler().version_ = "language 2";
  compile(one);
  EXPECT_EQ(compiler().builds_, 2);
}

TEST_F(DslProgramTest, is_found_in_the_store_where_its_compiler_is_missing) {
  const DslProgram stored = program("stored"), other = program("other");
  compile(stored);
  compiler().missing_ = "triton is not installed: pip install triton";
  compile(stored);
  EXPECT_EQ(compiler().builds_, 1);
  EXPECT_EQ(refusal_of(stored, 90), std::nullopt);
  EXPECT_EQ(refusal_of(stored, 80), compiler().missing_);
  EXPECT_EQ(refusal_of(other, 90), compiler().missing_);
  EXPECT_THROW(compile(other), BuildError);
}

TEST_F(DslProgramTest, whose_image_takes_other_parameters_is_refused_and_not_kept) {
  const DslProgram one = program("parameters");
  for (const std::vector<int>& wrong : {std::vector<int>{1, 0}, {1, 0, kNothing, kNothing}}) {
    compiler().parameters_ = wrong;
    EXPECT_THROW(compile(one), BuildError);
  }
  DslProgram narrow = program("narrow");
  narrow.parameters[0].second = "i32";
  compiler().parameters_ = {1, 0, kNothing};
  EXPECT_THROW(compile(narrow), BuildError);
  compile(one);
}

TEST_F(DslProgramTest, in_an_unknown_language_is_an_error_that_names_those_there_are) {
  DslProgram one = program("unknown");
  one.language = "fortran";
  try {
    compile(one);
    FAIL() << "compiled";
  } catch (const BuildError& error) {
    EXPECT_NE(std::string(error.what()).find("triton, tilelang or cute"), std::string::npos);
  }
}

}  // namespace
}  // namespace opyard::cuda
