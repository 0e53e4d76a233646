// Any bytes as a manifest file: every entry is read and validated. Faults are values; nothing may crash, leak or hang.
#include <cstdint>
#include <string_view>

#include "manifest/builtin.h"
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
  for (std::size_t i = 0; i < document.keys.size(); ++i) {
    if (document.keys[i] != "adts") {
      validate_entry({document.keys[i], "f.yaml", document.items[i], adts == nullptr ? Node() : *adts}, false, faults);
    }
  }
  return 0;
}
