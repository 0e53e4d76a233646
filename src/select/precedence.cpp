#include <select/precedence.h>

#include <algorithm>

namespace opyard {
namespace {

std::size_t number_of(const ImplementationTable& table, const std::string& key) {
  return static_cast<std::size_t>(
      std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry->declared.key == key; }) -
      table.begin());
}

// Marks every entry that `winner` wins over, through entries that do not serve the call as well.
void beat(const ImplementationTable& table, std::size_t winner, Precedence& result) {
  c10::SmallVector<bool, 16> reached(table.size(), false);
  c10::SmallVector<std::size_t, 16> open = {winner};
  while (!open.empty()) {
    const std::size_t from = open.pop_back_val();
    for (const std::string& key : table[from]->declared.preferred_over) {
      const std::size_t beaten = number_of(table, key);
      if (beaten == table.size() || reached[beaten]) continue;
      reached[beaten] = true;
      open.push_back(beaten);
      if (result.beaten_by[beaten] < 0) result.beaten_by[beaten] = static_cast<std::int32_t>(winner);
    }
  }
}

}  // namespace

Precedence precedence(const ImplementationTable& table, const c10::SmallVector<bool, 16>& serves) {
  Precedence result;
  result.beaten_by.assign(table.size(), -1);
  bool only_general = true;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!serves[i]) continue;
    only_general = only_general && table[i]->declared.general;
    beat(table, i, result);
  }
  for (std::size_t i = 0; i < table.size(); ++i)
    if (serves[i] && result.beaten_by[i] < 0 && (only_general || !table[i]->declared.general))
      result.left.push_back(static_cast<std::int32_t>(i));
  return result;
}

}  // namespace opyard
