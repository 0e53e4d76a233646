// Entries as bytes: what the manifest compiler writes into the library.
#pragma once

#include <string>
#include <string_view>

#include "manifest/reader.h"

namespace opyard {

/// Keeps content, order and source positions.
std::string to_bytes(const EntryText& entry);

/// The inverse. The bytes come from this build's own compiler; anything else throws ManifestError.
EntryText entry_from_bytes(std::string_view bytes);

}  // namespace opyard
