// From YAML to Schema: one entry, or a folder of manifest files.
#pragma once

#include <opyard/error.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "manifest/faults.h"
#include "manifest/schema.h"

namespace opyard {

/// An entry before it has a meaning: what `read_entry` takes and serialise.h keeps.
struct EntryText {
  std::string op;
  std::string file;
  Node entry;
  Node adts;  // the mapping under `adts` of types.yaml, cut to what the entry names; null without any
  std::string types_file = "types.yaml";
};

/// Gives structure to an entry: keys, kinds of values, names. One outside a catalogue may leave out status, workloads
/// and roofline. Throws ManifestError at the first fault.
std::shared_ptr<const Schema> read_entry(const EntryText& text, bool in_catalogue = true);

/// The same, all faults gathered: the name of a declaration at fault is marked as such.
std::shared_ptr<const Schema> read_entry(const EntryText& text, bool in_catalogue, Faults& faults);

struct Catalogue {
  std::vector<EntryText> entries;  // in the order of the files
  Faults faults;                   // of the files; entries are not yet given structure
  bool is_folder = true;           // else one file, outside any catalogue
};

/// Reads every *.yaml of a folder. In errors, and as the place of a declaration, files stand as `shown`/file.
Catalogue read_catalogue(const std::filesystem::path& folder, const std::filesystem::path& shown);

/// Reads one file of entries outside a catalogue, or a types.yaml; the types.yaml beside it serves the entries.
/// Throws ManifestError when the file cannot be opened.
Catalogue read_manifest_file(const std::filesystem::path& file, const std::filesystem::path& shown);

}  // namespace opyard
