// The entries that are compiled into the library.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/schema.h"

namespace opyard {

/// Names of all built-in operators, sorted.
const std::vector<std::string>& builtin_names();

/// The entry, decoded anew: its signature is what is kept. nullptr when there is no such operator.
std::shared_ptr<const Schema> builtin_schema(std::string_view op);

/// One entry of the table that opyard_manifest_compiler writes.
struct BuiltinEntry {
  std::string_view op;
  std::string_view bytes;
  std::string_view boundaries;  // the schemas of its custom ops, one a line, in the order of its effect branches
};

struct BuiltinTable {
  const BuiltinEntry* entries = nullptr;  // sorted by operator
  std::size_t count = 0;
};

/// Defined by the generated file.
BuiltinTable builtin_table();

}  // namespace opyard
