// What `requires` may demand of a tensor's contents.
#include <algorithm>
#include <map>
#include <numeric>

#include "manifest/generators.h"

namespace opyard {
namespace {

using Numbers = std::vector<std::int64_t>;

bool prefix_offsets(const Contents& x, const Arguments& a) {
  return !x.values.empty() && x.values.front() == 0 && std::is_sorted(x.values.begin(), x.values.end()) &&
         x.values.back() == a.integer(0);
}

bool max_segment(const Contents& x, const Arguments& a) {
  for (std::size_t i = 1; i < x.values.size(); ++i) {
    if (x.values[i] - x.values[i - 1] > a.integer(0)) {
      return false;
    }
  }
  return true;
}

bool in_range(const Contents& x, const Arguments& a) {
  return std::all_of(x.values.begin(), x.values.end(),
                     [&](std::int64_t value) { return value >= a.integer(0) && value < a.integer(1); });
}

bool sums_to(const Contents& x, const Arguments& a) {
  return std::accumulate(x.values.begin(), x.values.end(), std::int64_t{0}) == a.integer(0);
}

bool exclusive_prefix_of(const Contents& x, const Arguments& a) {
  const Numbers lengths = a.sequence(0);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < x.values.size() && i < lengths.size(); ++i) {
    if (x.values[i] != sum) {
      return false;
    }
    sum += lengths[i];
  }
  return x.values.size() == lengths.size();
}

bool indices_within(const Contents& x, const Arguments& a) {
  const Numbers offsets = a.sequence(0);
  for (std::size_t i = 0; i + 1 < x.values.size(); i += 2) {
    const std::int64_t segment = x.values[i];
    if (segment < 0 || segment + 1 >= static_cast<std::int64_t>(offsets.size())) {
      return false;
    }
    const std::int64_t length = offsets[segment + 1] - offsets[segment];
    if (x.values[i + 1] < 0 || x.values[i + 1] >= length) {
      return false;
    }
  }
  return true;
}

bool chunk_offsets_of(const Contents& x, const Arguments& a) {
  const Numbers offsets = a.sequence(0);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < x.values.size() && i < offsets.size(); ++i) {
    sum += i == 0 ? 0 : (offsets[i] - offsets[i - 1] + a.integer(1) - 1) / a.integer(1);
    if (x.values[i] != sum) {
      return false;
    }
  }
  return x.values.size() == offsets.size();
}

bool paged_fits(const Contents& x, const Arguments& a) {
  const Numbers offsets = a.sequence(0);
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    if (i + 1 >= offsets.size() || x.values[i] + offsets[i + 1] - offsets[i] > a.integer(1)) {
      return false;
    }
  }
  return true;
}

bool per_row_valid(const Numbers& experts_of_rows, std::int64_t experts, bool aligned, std::int64_t unit) {
  for (std::size_t i = 0; i < experts_of_rows.size(); ++i) {
    const std::int64_t expert = experts_of_rows[i];
    const bool changes = i > 0 && expert != experts_of_rows[i - 1];
    if (expert < 0 || expert > (aligned ? experts : experts - 1) || (i > 0 && expert < experts_of_rows[i - 1]) ||
        (changes && static_cast<std::int64_t>(i) % unit != 0)) {
      return false;
    }
  }
  return true;
}

bool ends_valid(const Numbers& ends, std::int64_t rows, bool aligned, std::int64_t unit) {
  std::int64_t least = 0;
  for (const std::int64_t end : ends) {
    if (end < least) {
      return false;
    }
    least = aligned ? (end + unit - 1) / unit * unit : end;
  }
  return ends.empty() || (aligned ? ends.back() <= rows : ends.back() == rows);
}

bool layout_valid(const Contents& x, const Arguments& a) {
  const Sequence& layout = a.layout(0);
  const std::int64_t rows = a.integer(1);
  const std::int64_t experts = a.integer(2);
  const auto count = static_cast<std::int64_t>(x.values.size());
  if (layout[0] == Value("masked")) {
    const std::int64_t most = layout_number(layout, "max_m");
    return count == experts &&
           std::all_of(x.values.begin(), x.values.end(), [&](std::int64_t v) { return v >= 0 && v <= most; });
  }
  const bool aligned = layout_field(layout, "packing") == Value("aligned");
  const std::int64_t unit = aligned ? layout_number(layout, "alignment") : 1;
  if (layout_field(layout, "metadata_kind") == Value("per_row")) {
    return count == rows && per_row_valid(x.values, experts, aligned, unit);
  }
  return count == experts && ends_valid(x.values, rows, aligned, unit);
}

const std::map<std::string, bool (*)(const Contents&, const Arguments&)>& predicates() {
  static const std::map<std::string, bool (*)(const Contents&, const Arguments&)> all{
      {"prefix_offsets", prefix_offsets},
      {"max_segment", max_segment},
      {"in_range", in_range},
      {"sums_to", sums_to},
      {"exclusive_prefix_of", exclusive_prefix_of},
      {"indices_within", indices_within},
      {"chunk_offsets_of", chunk_offsets_of},
      {"attn.paged_fits", paged_fits},
      {"moe.layout_valid", layout_valid},
  };
  return all;
}

}  // namespace

bool satisfies(const Contents& contents, const Arguments& arguments) {
  const auto found = predicates().find(arguments.callee());
  if (found == predicates().end()) {
    throw GeneratorFailure("no such predicate: " + arguments.callee());
  }
  return found->second(contents, arguments);
}

bool is_predicate(const std::string& callee) { return predicates().count(callee) != 0; }

}  // namespace opyard
