// Files made to hurt the reader end in faults that name file and line, within a second of processor time and 200 MB.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>

#include "hostile_files.h"
#include "signature/validate_entry.h"

namespace opyard {
namespace {

constexpr rlim_t kSeconds = 1;
constexpr rlim_t kBytes = 200'000'000;
#if defined(OPYARD_SERIAL_KERNELS)  // the builds under sanitizers
constexpr bool kHasLimits = false;  // their own time and shadow memory are no fault of the reader
#else
constexpr bool kHasLimits = true;
#endif

enum Outcome { kFaultsWithPlaces, kNoFault, kFaultWithoutPlace, kException };

/// The address space that is in use now.
rlim_t mapped_bytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

bool set_limits() {
  const rlimit time{kSeconds, kSeconds};
  const rlim_t space = mapped_bytes() + kBytes;
  const rlimit memory{space, space};
  return setrlimit(RLIMIT_CPU, &time) == 0 && setrlimit(RLIMIT_AS, &memory) == 0;
}

Outcome judge(const std::filesystem::path& path) {
  try {
    const std::vector<std::string> lines = to_lines(validate_manifest(path, {}));
    const std::regex placed("^" + path.string() + ":[0-9]+:[0-9]+: [^]*");
    for (const std::string& line : lines) {
      if (!std::regex_match(line.substr(0, 300), placed)) {
        return kFaultWithoutPlace;
      }
    }
    return lines.empty() ? kNoFault : kFaultsWithPlaces;
  } catch (const std::exception&) {
    return kException;  // the limit of memory among them
  }
}

class Hostile : public testing::TestWithParam<HostileFile> {};

TEST_P(Hostile, ends_in_faults_within_its_limits) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / (GetParam().name + "." + std::to_string(getpid()) + ".yaml");
  std::ofstream(path, std::ios::binary) << GetParam().bytes();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {  // starts with no processor time used
    if (kHasLimits && !set_limits()) {
      _exit(127);
    }
    _exit(judge(path));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  std::filesystem::remove(path);
  ASSERT_FALSE(WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)) << "took too long";
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), kFaultsWithPlaces);
}

INSTANTIATE_TEST_SUITE_P(Files, Hostile, testing::ValuesIn(hostile_files()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace opyard
