#include "manifest/builtin.h"

#include <algorithm>

#include "manifest/serialise.h"

namespace opyard {

const std::vector<std::string>& builtin_names() {
  static const std::vector<std::string> names = [] {
    const BuiltinTable table = builtin_table();
    std::vector<std::string> result;
    for (std::size_t i = 0; i < table.count; ++i) {
      result.emplace_back(table.entries[i].op);
    }
    return result;
  }();
  return names;
}

std::shared_ptr<const Schema> builtin_schema(std::string_view op) {
  static const BuiltinTable table = builtin_table();
  const BuiltinEntry* const end = table.entries + table.count;
  const BuiltinEntry* const found = std::lower_bound(
      table.entries, end, op, [](const BuiltinEntry& entry, std::string_view name) { return entry.op < name; });
  if (found == end || found->op != op) {
    return nullptr;
  }
  return read_entry(entry_from_bytes(found->bytes));
}

}  // namespace opyard
