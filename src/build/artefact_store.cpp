#include <build/artefact_file.h>
#include <build/artefact_store.h>
#include <c10/util/hash.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace opyard {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffix = ".artefact";
// A builder that is stopped, not dead, keeps its lock: after so long another builds without it.
constexpr std::chrono::seconds kLongestWait{120};

std::optional<std::string> refusal_of(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder.parent_path(), failed);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return "the folder " + folder.string() + " cannot be made: " + std::strerror(errno);
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return folder.string() + " is no folder";
  if (status.st_uid != geteuid()) return "the folder " + folder.string() + " belongs to another user";
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return "others may write to the folder " + folder.string() + "; make it mode 0700";
  return std::nullopt;
}

/// Holds the lock file of a key while it lives. The system ends the lock with the process, so that none is left behind.
class BuildLock {
 public:
  explicit BuildLock(const fs::path& path) : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    const auto give_up = std::chrono::steady_clock::now() + kLongestWait;
    while (file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EINTR && errno != EWOULDBLOCK) break;
      if (std::chrono::steady_clock::now() > give_up) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  ~BuildLock() {
    if (file_ >= 0) close(file_);
  }
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

 private:
  int file_;
};

/// A file that a writer has not renamed yet; or never will, once it is older than any build.
bool is_aside(const fs::path& path) { return path.stem().extension() == kSuffix; }

bool is_left_behind(const fs::path& path) {
  struct stat status {};
  return is_aside(path) && lstat(path.c_str(), &status) == 0 && time(nullptr) - status.st_mtime > kLongestWait.count();
}

fs::path process_folder() {
  if (const char* named = std::getenv("OPYARD_CACHE_DIR"); named != nullptr && *named != '\0') return named;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return fs::path(cache) / "opyard";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".cache" / "opyard";
  return fs::path("/tmp") / ("opyard-" + std::to_string(geteuid()));
}

}  // namespace

ArtefactStore::ArtefactStore(fs::path folder) : folder_(std::move(folder)), refusal_(refusal_of(folder_)) {}

ArtefactStore& ArtefactStore::process() {
  static ArtefactStore& store = *new ArtefactStore(process_folder());
  return store;
}

fs::path ArtefactStore::path_of(const std::string& key) const { return folder_ / (c10::sha1(key).str() + kSuffix); }

std::optional<std::string> ArtefactStore::find_at(const fs::path& path, const std::string& key) {
  if (refusal_) return std::nullopt;
  const ArtefactFile file = read_artefact(path);
  if (file.state == ArtefactState::kWhole && file.key == key) return file.artefact;
  if (file.state != ArtefactState::kAbsent) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    unlink(path.c_str());
  }
  return std::nullopt;
}

std::string ArtefactStore::get_or_build(const std::string& key, const std::function<std::string()>& build) {
  const fs::path path = path_of(key);
  if (auto found = find_at(path, key)) {
    hits_.fetch_add(1, std::memory_order_relaxed);
    return *found;
  }
  std::optional<BuildLock> lock;
  if (!refusal_) {
    lock.emplace(fs::path(path).replace_extension(".lock"));
    if (auto found = find_at(path, key)) {  // by whoever held the lock before
      hits_.fetch_add(1, std::memory_order_relaxed);
      return *found;
    }
  }
  std::string artefact = build();
  builds_.fetch_add(1, std::memory_order_relaxed);
  if (refusal_ || !write_artefact(path, key, artefact)) unwritten_.fetch_add(1, std::memory_order_relaxed);
  return artefact;
}

std::vector<ArtefactStore::Listed> ArtefactStore::list(bool drop_broken) {
  std::vector<Listed> listed;
  if (refusal_) return listed;
  std::error_code failed;  // a folder that went away holds nothing
  for (const auto& entry : fs::directory_iterator(folder_, failed)) {
    if (entry.path().extension() != kSuffix && !is_left_behind(entry.path())) continue;
    ArtefactFile file = read_artefact(entry.path());
    const bool whole = file.state == ArtefactState::kWhole && path_of(file.key) == entry.path();
    listed.push_back({entry.path(), file.bytes, whole, whole ? std::move(file.key) : std::string()});
    if (drop_broken && !whole) unlink(entry.path().c_str());
  }
  std::sort(listed.begin(), listed.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return listed;
}

std::size_t ArtefactStore::clear() {
  std::size_t removed = 0;
  if (refusal_) return removed;
  std::error_code failed;  // a folder that went away holds nothing
  for (const auto& entry : fs::directory_iterator(folder_, failed)) {
    const fs::path extension = entry.path().extension();
    if (extension == kSuffix) removed += unlink(entry.path().c_str()) == 0;
    if (extension == ".lock" || is_aside(entry.path())) unlink(entry.path().c_str());
  }
  return removed;
}

StoreCounts ArtefactStore::counts() const {
  return {hits_.load(std::memory_order_relaxed), builds_.load(std::memory_order_relaxed),
          dropped_.load(std::memory_order_relaxed), unwritten_.load(std::memory_order_relaxed)};
}

}  // namespace opyard
