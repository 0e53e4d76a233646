#include <error/nearest_name.h>

#include <algorithm>
#include <numeric>

namespace opyard {
namespace {

constexpr std::size_t kLongest = 100;  // nobody mistypes a longer name

// Levenshtein's distance, one row at a time.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  std::size_t distance = std::max<std::size_t>(name.size() / 3, 1) + 1;
  for (const auto& candidate : known) {
    if (name.size() > kLongest || candidate.size() > kLongest) continue;
    if (const std::size_t d = edits(name, candidate); d < distance) {
      distance = d;
      best = &candidate;
    }
  }
  return best == nullptr ? std::string() : "; did you mean '" + *best + "'?";
}

}  // namespace opyard
