// The operators that a process has: the built-in ones, and those of a user's own manifests.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace opyard {

/// Reads a manifest file, or every one of a folder, and adds its operators with their custom ops: all of them, or none
/// when there is a fault. Returns the operators' names, sorted. An operator that is known with the same declaration
/// stays as it is. Workload rows are not evaluated: `opyard validate` does that. Throws ManifestError with every fault.
std::vector<std::string> load_manifest(const std::filesystem::path& path);

/// Defines the custom ops `opyard::...` of the built-in operators in torch's dispatcher, where they are not yet. Before
/// an AOTInductor package or an exported graph that calls them runs in a process without Python.
void define_custom_ops();

}  // namespace opyard
