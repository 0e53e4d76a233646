#include "manifest/builtin.h"

#include <algorithm>
#include <mutex>

#include "manifest/serialise.h"

namespace opyard {
namespace {

struct Decoded {
  std::once_flag once;
  std::shared_ptr<const Schema> schema;
};

}  // namespace

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
  static const std::unique_ptr<Decoded[]> decoded(new Decoded[table.count]);
  const BuiltinEntry* const end = table.entries + table.count;
  const BuiltinEntry* const found = std::lower_bound(
      table.entries, end, op, [](const BuiltinEntry& entry, std::string_view name) { return entry.op < name; });
  if (found == end || found->op != op) {
    return nullptr;
  }
  Decoded& slot = decoded[found - table.entries];
  std::call_once(slot.once, [&] { slot.schema = read_entry(entry_from_bytes(found->bytes)); });
  return slot.schema;
}

}  // namespace opyard
