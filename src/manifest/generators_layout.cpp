#include "manifest/generators_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace opyard {
namespace {

using Numbers = std::vector<std::int64_t>;

Numbers balanced(std::int64_t total, std::int64_t parts) {
  if (parts <= 0 || total < 0) {
    throw GeneratorFailure("nothing to share among " + std::to_string(parts));
  }
  Numbers sizes(static_cast<std::size_t>(parts), total / parts);
  for (std::int64_t i = 0; i < total % parts; ++i) {
    ++sizes[static_cast<std::size_t>(i)];
  }
  return sizes;
}

Contents vector_of(Numbers values) { return {{static_cast<std::int64_t>(values.size())}, std::move(values)}; }

Contents masked_counts(const Sequence& layout, std::int64_t rows, std::int64_t experts) {
  const std::int64_t most = layout_number(layout, "max_m");
  if (rows != experts * most) {
    throw GeneratorFailure("a masked layout has max_m rows for each expert");
  }
  Numbers counts;
  for (std::int64_t i = 0; i < experts; ++i) {
    counts.push_back(i % 2 == 0 ? most : most / 2);
  }
  return vector_of(std::move(counts));
}

/// Each gets its weight's part of the total, rounded down; what is left goes to the largest remainders, lower first.
Numbers shares(std::int64_t total, const Numbers& weights) {
  const std::int64_t sum = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  Numbers parts(weights.size(), 0);
  Numbers order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  if (sum == 0) {
    return parts;
  }
  std::int64_t left = total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    parts[i] = total * weights[i] / sum;
    left -= parts[i];
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return total * weights[a] % sum > total * weights[b] % sum; });
  for (std::int64_t i = 0; i < left; ++i) {
    ++parts[order[static_cast<std::size_t>(i)]];
  }
  return parts;
}

}  // namespace

Contents layout_metadata(const Arguments& arguments) {
  const Sequence& layout = arguments.layout(0);
  const std::int64_t rows = arguments.integer(1);
  const std::int64_t experts = arguments.integer(2);
  room_for({rows});
  room_for({experts});
  if (layout[0] == Value("masked")) {
    return masked_counts(layout, rows, experts);
  }
  const bool aligned = layout_field(layout, "packing") == Value("aligned");
  const std::int64_t unit = aligned ? layout_number(layout, "alignment") : 1;
  if (unit <= 0 || rows % unit != 0) {
    throw GeneratorFailure("the alignment does not divide the rows");
  }
  Numbers sizes = balanced(rows / unit, experts);
  for (std::int64_t& size : sizes) {
    size *= unit;
  }
  Numbers values;
  std::int64_t end = 0;
  for (std::int64_t i = 0; i < experts; ++i) {
    const std::int64_t size = sizes[static_cast<std::size_t>(i)];
    end += size;
    if (layout_field(layout, "metadata_kind") == Value("per_row")) {
      values.insert(values.end(), static_cast<std::size_t>(size), i);
    } else {
      values.push_back(aligned && size > 0 ? end - unit / 2 : end);
    }
  }
  return vector_of(std::move(values));
}

Contents masked_routed_metadata(const Arguments& arguments) {
  const std::int64_t most = layout_number(arguments.layout(0), "max_m");
  const std::int64_t experts = arguments.integer(1);
  const std::int64_t tokens = arguments.integer(2);
  room_for({experts});
  if (experts <= 0 || tokens < 0) {
    throw GeneratorFailure("there are no experts, or fewer than no tokens");
  }
  const double expected_idle =
      static_cast<double>(experts) * std::exp(-static_cast<double>(tokens) / static_cast<double>(experts));
  const auto idle = static_cast<std::int64_t>(std::nearbyint(expected_idle));
  Numbers weights(static_cast<std::size_t>(experts), 1);
  for (std::int64_t k = 0; k < idle; ++k) {
    weights[static_cast<std::size_t>((k * experts + experts / 2) / idle)] = 0;
  }
  std::int64_t busy = 0;
  for (std::int64_t& weight : weights) {
    weight = weight == 0 ? 0 : (busy++ % 2 == 0 ? 2 : 1);
  }
  Numbers counts = shares(tokens, weights);
  if (*std::max_element(counts.begin(), counts.end()) > most) {
    throw GeneratorFailure("an expert would get more than max_m rows");
  }
  return vector_of(std::move(counts));
}

}  // namespace opyard
