#include "manifest/generators_random.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <unordered_set>

namespace opyard {
namespace {

using Numbers = std::vector<std::int64_t>;

/// SplitMix64: the standard's distributions differ between libraries, this does not.
class Random {
 public:
  explicit Random(std::uint32_t seed) : state_(seed) {}

  std::int64_t below(std::int64_t bound) {
    if (bound <= 0) {
      throw GeneratorFailure("there is no number below " + std::to_string(bound));
    }
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return static_cast<std::int64_t>((mixed ^ (mixed >> 31)) % static_cast<std::uint64_t>(bound));
  }

  /// `count` distinct numbers below `bound` (Floyd's method, then shuffled).
  Numbers distinct(std::int64_t count, std::int64_t bound) {
    if (count < 0 || count > bound) {
      throw GeneratorFailure(std::to_string(count) + " distinct numbers below " + std::to_string(bound));
    }
    Numbers chosen;
    std::unordered_set<std::int64_t> seen;
    for (std::int64_t limit = bound - count; limit < bound; ++limit) {
      const std::int64_t candidate = below(limit + 1);
      chosen.push_back(seen.insert(candidate).second ? candidate : limit);
      seen.insert(chosen.back());
    }
    for (std::size_t i = chosen.size(); i > 1; --i) {
      std::swap(chosen[i - 1], chosen[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
    }
    return chosen;
  }

 private:
  std::uint64_t state_;
};

void append(Numbers& values, const Numbers& more) { values.insert(values.end(), more.begin(), more.end()); }

/// `width` numbers: distinct ones below `bound` in ascending order, then padding.
void append_padded(Numbers& values, Random& random, std::int64_t width, std::int64_t bound, std::int64_t padding) {
  Numbers chosen = random.distinct(std::min(width, std::max<std::int64_t>(bound, 0)), std::max<std::int64_t>(bound, 0));
  std::sort(chosen.begin(), chosen.end());
  chosen.resize(static_cast<std::size_t>(width), padding);
  append(values, chosen);
}

Contents sample_indices(const Arguments& a, Random& random) {
  room_for({a.integer(0)});
  return {{a.integer(0)}, random.distinct(a.integer(0), a.integer(1))};
}

Contents topk_ids(const Arguments& a, Random& random) {
  room_for({a.integer(0), a.integer(1)});
  Contents contents{{a.integer(0), a.integer(1)}, {}};
  for (std::int64_t row = 0; row < a.integer(0); ++row) {
    append(contents.values, random.distinct(a.integer(1), a.integer(2)));
  }
  return contents;
}

Contents random_ids(const Arguments& a, Random& random) {
  room_for({a.integer(0), a.integer(1)});
  Contents contents{{a.integer(0), a.integer(1)}, {}};
  for (std::int64_t i = 0; i < a.integer(0) * a.integer(1); ++i) {
    contents.values.push_back(random.below(a.integer(2)));
  }
  return contents;
}

Contents paged_block_table(const Arguments& a, Random& random) {
  const std::int64_t count = room_for({a.integer(0), a.integer(1)});
  if (a.integer(2) >= count) {
    return {{a.integer(0), a.integer(1)}, random.distinct(count, a.integer(2))};
  }
  return random_ids(a, random);
}

Contents nsa_block_indices(const Arguments& a, Random& random) {
  const Numbers lengths = a.sequence(0);
  const std::int64_t total = total_of(lengths);
  room_for({total, a.integer(3), a.integer(2)});
  const std::int64_t block = a.integer(1);
  if (block <= 0) {
    throw GeneratorFailure("a block has at least one item");
  }
  Contents contents{{total, a.integer(3), a.integer(2)}, {}};
  for (const std::int64_t length : lengths) {
    for (std::int64_t token = 0; token < length; ++token) {
      for (std::int64_t head = 0; head < a.integer(3); ++head) {
        const std::int64_t blocks = std::max<std::int64_t>((token + block - 1) / block, 1);
        append_padded(contents.values, random, a.integer(2), blocks, total);
      }
    }
  }
  return contents;
}

Contents nsa_block_counts(const Arguments& a, Random& random) {
  room_for({a.integer(0), a.integer(1)});
  Contents contents{{a.integer(0), a.integer(1)}, {}};
  for (std::int64_t i = 0; i < a.integer(0) * a.integer(1); ++i) {
    contents.values.push_back(1 + random.below(a.integer(2)));
  }
  return contents;
}

/// (batch, queries, heads, k, extent, start, stride): each query's choice among the keys that it may see.
Contents causal_topk_indices(const Arguments& a, Random& random) {
  const std::int64_t extent = a.integer(4);
  if (a.integer(6) <= 0) {
    throw GeneratorFailure("a stride is at least 1");
  }
  room_for({a.integer(0), a.integer(1), a.integer(2), a.integer(3)});
  Contents contents{{a.integer(0), a.integer(1), a.integer(2), a.integer(3)}, {}};
  for (std::int64_t batch = 0; batch < a.integer(0); ++batch) {
    for (std::int64_t query = 0; query < a.integer(1); ++query) {
      const std::int64_t visible = (query + a.integer(5)) / a.integer(6);
      for (std::int64_t head = 0; head < a.integer(2); ++head) {
        append_padded(contents.values, random, a.integer(3), std::min(std::max<std::int64_t>(1, visible), extent),
                      extent);
      }
    }
  }
  return contents;
}

Contents sparse_topk_positions(const Arguments& a, Random& random) {
  const Numbers lengths = a.sequence(0);
  const std::int64_t queries = a.integer(1);
  room_for({static_cast<std::int64_t>(lengths.size()), queries, a.integer(2)});
  Contents contents{{static_cast<std::int64_t>(lengths.size()), queries, a.integer(2)}, {}};
  for (const std::int64_t length : lengths) {
    for (std::int64_t query = 0; query < queries; ++query) {
      append_padded(contents.values, random, a.integer(2), length - queries + query + 1, -1);
    }
  }
  return contents;
}

const std::map<std::string, Contents (*)(const Arguments&, Random&)>& random_generators() {
  static const std::map<std::string, Contents (*)(const Arguments&, Random&)> generators{
      {"sample_indices", sample_indices},
      {"topk_ids", topk_ids},
      {"random_ids", random_ids},
      {"paged_block_table", paged_block_table},
      {"nsa_block_indices", nsa_block_indices},
      {"nsa_block_counts", nsa_block_counts},
      {"causal_topk_indices", causal_topk_indices},
      {"attn.sparse_topk_positions", sparse_topk_positions},
  };
  return generators;
}

}  // namespace

bool is_random_generator(const std::string& callee) { return random_generators().count(callee) != 0; }

Contents generate_random(const Arguments& arguments, std::uint32_t seed) {
  const auto found = random_generators().find(arguments.callee());
  if (found == random_generators().end()) {
    throw GeneratorFailure("no such generator: " + arguments.callee());
  }
  Random random(seed);
  return found->second(arguments, random);
}

}  // namespace opyard
