// One artefact's file: a first line with the format, the sizes of key and artefact and the digest of both, then both.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace opyard {

enum class ArtefactState { kAbsent, kBroken, kWhole };

struct ArtefactFile {
  ArtefactState state = ArtefactState::kAbsent;
  std::uintmax_t bytes = 0;  // of the file
  std::string key;
  std::string artefact;
};

/// Broken: truncated, altered, of another format, or unreadable.
ArtefactFile read_artefact(const std::filesystem::path& path);

/// Written aside, synchronised and renamed: readers see all of it or nothing. False, and nothing left, when the disk
/// refuses.
bool write_artefact(const std::filesystem::path& path, const std::string& key, const std::string& artefact);

}  // namespace opyard
