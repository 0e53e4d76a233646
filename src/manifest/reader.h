// From YAML to Schema: one entry, or a folder of manifest files.
#pragma once

#include <opyard/error.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "manifest/schema.h"

namespace opyard {

/// An entry before it has a meaning: what `read_entry` takes and serialise.h keeps.
struct EntryText {
  std::string op;
  std::string file;
  Node entry;
  Node adts;  // the mapping under `adts` of types.yaml, cut to what the entry names; null without any
};

/// Gives structure to an entry: keys, kinds of values, names. Throws ManifestError at the first fault.
std::shared_ptr<const Schema> read_entry(const EntryText& text, bool in_catalogue = true);

struct Catalogue {
  std::vector<EntryText> entries;  // in the order of the files
  std::vector<ManifestError> problems;
};

/// Reads every *.yaml of a folder. Faults are collected, one a file; entries are not yet given structure.
Catalogue read_catalogue(const std::filesystem::path& folder);

}  // namespace opyard
