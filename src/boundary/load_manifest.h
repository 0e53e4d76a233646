// A user's own manifests, read at run time by the code that compiled the built-in ones.
#pragma once

#include <registry/registry.h>

#include <filesystem>
#include <string>
#include <vector>

namespace opyard {

/// Reads a file or a catalogue folder and registers its operators with their boundaries: all of them, or none when
/// there is a fault. Returns the operators' names, sorted. Workload rows are not evaluated: `opyard validate` does
/// that. An operator that the registry has with the same declaration stays as it is. Throws ManifestError with every
/// fault.
std::vector<std::string> load_manifest(Registry& registry, const std::filesystem::path& path);

}  // namespace opyard
