// Everything that an entry must satisfy, from its structure to its workload rows.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "manifest/reader.h"
#include "signature/signature.h"

namespace opyard {

/// Structure, kinds and points; gathers all faults of an entry. Returns its compiled signature, or null where there is
/// any. A fault before the points leaves them out.
std::shared_ptr<const Signature> compile_entry(const EntryText& entry, bool in_catalogue, Faults& faults);

/// The same and its workload rows.
std::shared_ptr<const Signature> validate_entry(const EntryText& entry, bool in_catalogue, Faults& faults);

/// A catalogue folder or one file, under the path as given. Throws ManifestError when it cannot be opened.
Catalogue read_manifest(const std::filesystem::path& path);

/// `compile_entry` of a folder or file, by operator; an entry with a fault has none. Its entries may name the operators
/// that are `known` from elsewhere.
std::map<std::string, std::shared_ptr<const Signature>> compile_manifest(const std::filesystem::path& path,
                                                                         const std::vector<std::string>& known,
                                                                         Faults& faults);

/// Every fault of a folder or file.
Faults validate_manifest(const std::filesystem::path& path, const std::vector<std::string>& known);

/// The same of what has been read already.
Faults validate_catalogue(const Catalogue& catalogue, const std::vector<std::string>& known);

}  // namespace opyard
