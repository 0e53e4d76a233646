// Compiled artefacts on disk, shared by threads, processes and ranks. Nothing that goes wrong with the disk fails a
// call: the artefact is then built, and not kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace opyard {

/// What happened since the process began.
struct StoreCounts {
  std::uint64_t hits = 0, builds = 0, dropped = 0, unwritten = 0;
};

/// One folder. Each artefact is a file named by the digest of its key; it holds the key and its own size and digest, so
/// that a truncated, altered or foreign file is seen, dropped and built anew. Files are written aside and renamed.
/// Builders of one key in several processes wait for each other by a lock that ends with its process.
class ArtefactStore {
 public:
  /// Used only if the folder belongs to this user and nobody else may write to it; `refusal()` says otherwise.
  explicit ArtefactStore(std::filesystem::path folder);

  /// OPYARD_CACHE_DIR, or `opyard` in the user's cache folder; read once.
  static ArtefactStore& process();

  /// `key`: every fact that the artefact depends on, as text. An exception of `build` passes through, and leaves
  /// nothing.
  std::string get_or_build(const std::string& key, const std::function<std::string()>& build);

  /// What is stored for the key, if it is whole.
  std::optional<std::string> find(const std::string& key) { return find_at(path_of(key), key); }

  struct Listed {
    std::filesystem::path path;
    std::uintmax_t bytes;
    bool whole;
    std::string key;  // of a whole one
  };
  /// Every artefact in the folder, by name, and what writers that died left; with `drop_broken` what is not whole is
  /// removed.
  std::vector<Listed> list(bool drop_broken = false);

  /// Removes every artefact and lock file, and gives the number of artefacts. Processes that build meanwhile go on.
  std::size_t clear();

  /// Why nothing is kept on disk; nothing where the store is used.
  const std::optional<std::string>& refusal() const { return refusal_; }
  const std::filesystem::path& folder() const { return folder_; }
  StoreCounts counts() const;

 private:
  std::filesystem::path path_of(const std::string& key) const;
  std::optional<std::string> find_at(const std::filesystem::path& path, const std::string& key);

  std::filesystem::path folder_;
  std::optional<std::string> refusal_;
  std::atomic<std::uint64_t> hits_{0}, builds_{0}, dropped_{0}, unwritten_{0};
};

}  // namespace opyard
