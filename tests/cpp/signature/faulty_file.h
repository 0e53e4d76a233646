// A manifest file with a fault whose place is marked, and the faults that are found in it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "signature/validate_entry.h"

namespace opyard {

/// The text of a file `f.yaml` in which ^ stands before what is at fault.
class FaultyFile {
 public:
  explicit FaultyFile(std::string text) {
    const std::size_t at = text.find('^');
    const std::size_t line_start = text.rfind('\n', at) + 1;  // 0 when there is none
    place_ = "f.yaml:" + std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n')) +
             ":" + std::to_string(at - line_start + 1) + ": ";
    text_ = text.erase(at, 1);
  }

  /// `file:line:column: `
  const std::string& place() const { return place_; }

  /// All of them, a line each, as `opyard validate` prints them.
  std::vector<std::string> faults() const {
    Catalogue catalogue{.is_folder = false};
    const Node document = parse_yaml(text_, "f.yaml", catalogue.faults);
    for (std::size_t i = 0; i < document.keys.size(); ++i) {
      catalogue.entries.push_back({document.keys[i], "f.yaml", document.items[i], Node()});
    }
    return to_lines(validate_catalogue(catalogue, {}));
  }

 private:
  std::string text_;
  std::string place_;
};

}  // namespace opyard
