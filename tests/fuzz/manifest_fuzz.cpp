// Any bytes as a manifest file: every entry is read and validated. Faults are values; nothing may crash, leak or hang.
#include <cstdint>
#include <string_view>

#include "manifest/builtin.h"
#include "manifest/validate_links.h"
#include "signature/validate_entry.h"

namespace opyard {

BuiltinTable builtin_table() { return {}; }

}  // namespace opyard

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace opyard;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Faults faults;
  const Node document = parse_yaml(text, "f.yaml", faults);
  const Node* const adts = document.find("adts");
  std::vector<EntryText> entries;
  for (std::size_t i = 0; i < document.keys.size(); ++i) {
    if (document.keys[i] != "adts") {
      entries.push_back({document.keys[i], "f.yaml", document.items[i], adts == nullptr ? Node() : *adts});
      validate_entry(entries.back(), false, faults);
    }
  }
  validate_links(entries, {}, faults);
  to_lines(faults);
  return 0;
}
