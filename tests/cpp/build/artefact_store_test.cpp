// The store against all that can go wrong with a folder on disk.
#include <build/artefact_store.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

namespace opyard {
namespace {

namespace fs = std::filesystem;

class ArtefactStoreTest : public testing::Test {
 protected:
  ArtefactStoreTest() {
    std::string name = (fs::temp_directory_path() / "opyard-store-XXXXXX").string();
    parent_ = mkdtemp(name.data());
    folder_ = parent_ / "store";
  }
  ~ArtefactStoreTest() override {
    std::error_code ignored;
    fs::permissions(folder_, fs::perms::owner_all, ignored);
    fs::remove_all(parent_, ignored);
  }

  static std::string fail() { throw std::runtime_error("built, though it was stored"); }

  fs::path only_artefact() const {
    for (const auto& entry : fs::directory_iterator(folder_))
      if (entry.path().extension() == ".artefact") return entry.path();
    return {};
  }

  static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path parent_, folder_;
};

const std::string kArtefact("machine\0code\n\x7f", 14);

TEST_F(ArtefactStoreTest, what_one_store_built_another_finds) {
  EXPECT_EQ(ArtefactStore(folder_).get_or_build("key", [] { return kArtefact; }), kArtefact);
  ArtefactStore other(folder_);
  EXPECT_EQ(other.get_or_build("key", fail), kArtefact);
  EXPECT_EQ(other.counts().hits, 1u);
  EXPECT_EQ(other.find("another key"), std::nullopt);
}

TEST_F(ArtefactStoreTest, the_folder_is_the_users_alone) {
  ArtefactStore store(folder_);
  struct stat status {};
  ASSERT_EQ(stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(ArtefactStoreTest, a_failing_build_passes_through_and_leaves_nothing) {
  ArtefactStore store(folder_);
  EXPECT_THROW(store.get_or_build("key", fail), std::runtime_error);
  EXPECT_EQ(store.find("key"), std::nullopt);
  EXPECT_EQ(store.get_or_build("key", [] { return kArtefact; }), kArtefact);
}

struct Damage {
  const char* fact;
  std::string (*apply)(std::string);
};

TEST_F(ArtefactStoreTest, a_damaged_file_is_dropped_and_built_anew) {
  const Damage rows[] = {
      {"empty", [](std::string) { return std::string(); }},
      {"truncated in the artefact", [](std::string file) { return file.substr(0, file.size() - 1); }},
      {"truncated in the first line", [](std::string file) { return file.substr(0, 9); }},
      {"a bit of the artefact flipped",
       [](std::string file) {
         file.back() ^= 1;
         return file;
       }},
      {"a bit of the key flipped",
       [](std::string file) {
         file[file.find('\n') + 1] ^= 4;
         return file;
       }},
      {"longer", [](std::string file) { return file + "x"; }},
      {"foreign",
       [](std::string) {
         return std::string(
             "\x7f"
             "ELF\n not an artefact");
       }},
      {"sizes that overflow",
       [](std::string) { return std::string("opyard-artefact-1 18446744073709551615 2 x\nab"); }},
  };
  for (const Damage& row : rows) {
    SCOPED_TRACE(row.fact);
    {
      ArtefactStore(folder_).get_or_build("key", [] { return kArtefact; });
    }
    const fs::path path = only_artefact();
    const std::string whole = content(path);
    std::ofstream(path, std::ios::binary) << row.apply(whole);
    ArtefactStore store(folder_);
    EXPECT_EQ(store.list().size(), 1u);
    EXPECT_FALSE(store.list().front().whole);
    EXPECT_EQ(store.get_or_build("key", [] { return kArtefact; }), kArtefact);
    EXPECT_EQ(store.counts().dropped, 1u);
    EXPECT_EQ(content(path), whole);
  }
}

TEST_F(ArtefactStoreTest, a_file_of_another_key_under_this_name_is_not_served) {
  ArtefactStore store(folder_);
  store.get_or_build("a", [] { return std::string("of a"); });
  const fs::path a = only_artefact();
  const std::string text = content(a);
  fs::remove(a);
  store.get_or_build("b", [] { return std::string("of b"); });
  std::ofstream(only_artefact(), std::ios::binary) << text;
  EXPECT_EQ(store.get_or_build("b", [] { return std::string("of b"); }), "of b");
}

TEST_F(ArtefactStoreTest, a_folder_that_others_may_write_to_is_refused_and_calls_go_on) {
  fs::create_directory(folder_);
  ASSERT_EQ(chmod(folder_.c_str(), 0777), 0);
  ArtefactStore store(folder_);
  ASSERT_TRUE(store.refusal().has_value());
  EXPECT_NE(store.refusal()->find("0700"), std::string::npos);
  EXPECT_EQ(store.get_or_build("key", [] { return kArtefact; }), kArtefact);
  EXPECT_EQ(store.counts().unwritten, 1u);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(ArtefactStoreTest, a_file_in_the_folders_place_is_refused_and_calls_go_on) {
  std::ofstream(folder_) << "a file";
  ArtefactStore store(folder_);
  EXPECT_TRUE(store.refusal().has_value());
  EXPECT_EQ(store.get_or_build("key", [] { return kArtefact; }), kArtefact);
}

TEST_F(ArtefactStoreTest, a_full_disk_fails_no_call_and_leaves_no_part_of_a_file) {
  ArtefactStore store(folder_);
  // As a full disk does, the limit lets a file be made and its writing fail.
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{64, 64};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string large(100000, 'x');
    const bool right = store.get_or_build("key", [&] { return large; }) == large && store.counts().unwritten == 1;
    _exit(right ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  for (const auto& entry : fs::directory_iterator(folder_)) EXPECT_EQ(entry.path().extension(), ".lock");
}

TEST_F(ArtefactStoreTest, processes_that_start_cold_on_one_key_build_once) {
  constexpr int kProcesses = 8;
  ArtefactStore store(folder_);
  const fs::path builds = parent_ / "builds";
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(fork());
    if (children.back() == 0) {
      ArtefactStore own(folder_);
      const std::string got = own.get_or_build("key", [&] {
        std::ofstream(builds, std::ios::app) << "b" << std::flush;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        return kArtefact;
      });
      _exit(got == kArtefact ? 0 : 1);
    }
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(content(builds), "b");
}

TEST_F(ArtefactStoreTest, a_builder_that_is_killed_leaves_no_lock_and_no_artefact) {
  ArtefactStore store(folder_);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    ArtefactStore own(folder_);
    own.get_or_build("key", [&] {
      [[maybe_unused]] const auto told = write(ready[1], "x", 1);
      pause();
      return kArtefact;
    });
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(store.get_or_build("key", [] { return kArtefact; }), kArtefact);
  close(ready[0]);
  close(ready[1]);
}

TEST_F(ArtefactStoreTest, a_writer_that_is_killed_leaves_nothing_that_is_served) {
  ArtefactStore store(folder_);
  const std::string large(64 << 20, 'x');
  const pid_t child = fork();
  if (child == 0) {
    ArtefactStore(folder_).get_or_build("key", [&] { return large; });
    _exit(0);
  }
  const auto aside = [&] {
    for (const auto& entry : fs::directory_iterator(folder_))
      if (entry.path().stem().extension() == ".artefact") return entry.path();
    return fs::path();
  };
  while (aside().empty() && only_artefact().empty()) std::this_thread::yield();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const bool renamed = !only_artefact().empty();
  EXPECT_EQ(store.get_or_build("key", [] { return kArtefact; }), renamed ? large : kArtefact);
  const fs::path left = aside();
  if (!left.empty()) {
    EXPECT_EQ(store.list(true).size(), 1u) << "a writer may still be at work";
    const timespec old[2] = {{1, 0}, {1, 0}};
    utimensat(AT_FDCWD, left.c_str(), old, 0);
    EXPECT_EQ(store.list(true).size(), 2u);
    EXPECT_EQ(store.list().size(), 1u);
  }
}

TEST_F(ArtefactStoreTest, clearing_removes_artefacts_locks_and_what_writers_left) {
  ArtefactStore store(folder_);
  store.get_or_build("a", [] { return kArtefact; });
  store.get_or_build("b", [] { return kArtefact; });
  std::ofstream(folder_ / "0123.artefact.AbCdEf") << "half";
  EXPECT_EQ(store.clear(), 2u);
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_EQ(store.get_or_build("a", [] { return kArtefact; }), kArtefact);
}

TEST_F(ArtefactStoreTest, a_lock_file_that_nobody_holds_is_taken_over) {
  ArtefactStore store(folder_);
  store.get_or_build("key", [] { return kArtefact; });
  fs::remove(only_artefact());
  EXPECT_EQ(store.get_or_build("key", [] { return kArtefact; }), kArtefact);
  EXPECT_EQ(store.counts().builds, 2u);
}

TEST_F(ArtefactStoreTest, a_read_only_folder_serves_what_it_has_and_fails_no_call) {
  ArtefactStore(folder_).get_or_build("there", [] { return kArtefact; });
  // root writes all the same; everyone else gets no file.
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  ArtefactStore store(folder_);
  EXPECT_EQ(store.get_or_build("there", fail), kArtefact);
  EXPECT_EQ(store.get_or_build("new", [] { return kArtefact; }), kArtefact);
  if (geteuid() != 0) EXPECT_EQ(store.counts().unwritten, 1u);
}

TEST_F(ArtefactStoreTest, broken_files_are_listed_and_dropped_on_demand) {
  ArtefactStore store(folder_);
  store.get_or_build("a", [] { return kArtefact; });
  std::ofstream(folder_ / "0123.artefact") << "rubbish";
  ASSERT_EQ(store.list(true).size(), 2u);
  ASSERT_EQ(store.list().size(), 1u);
  EXPECT_TRUE(store.list().front().whole);
}

}  // namespace
}  // namespace opyard
