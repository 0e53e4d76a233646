#include "manifest/generators.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "manifest/generators_layout.h"
#include "manifest/generators_random.h"

namespace opyard {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t kMostContents = std::int64_t{1} << 24;

std::int64_t count_of(const Numbers& values) { return static_cast<std::int64_t>(values.size()); }

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

Contents vector_of(Numbers values) { return {{count_of(values)}, std::move(values)}; }

Contents as_tensor(const Arguments& arguments) { return vector_of(arguments.sequence(0)); }

Numbers running_sums(const Numbers& lengths) {
  total_of(lengths);
  Numbers sums(lengths.size() + 1, 0);
  std::partial_sum(lengths.begin(), lengths.end(), sums.begin() + 1);
  return sums;
}

Contents prefix_sum(const Arguments& arguments) { return vector_of(running_sums(arguments.sequence(0))); }

Contents exclusive_prefix_sum(const Arguments& arguments) {
  Numbers sums = running_sums(arguments.sequence(0));
  sums.pop_back();
  return vector_of(std::move(sums));
}

Numbers chunk_counts(const Arguments& arguments) {
  Numbers counts = arguments.sequence(0);
  const std::int64_t chunk = arguments.integer(1);
  if (chunk <= 0) {
    throw GeneratorFailure("a chunk has at least one item");
  }
  for (std::int64_t& count : counts) {
    count = ceil_div(count, chunk);
  }
  return counts;
}

Contents chunk_offsets(const Arguments& arguments) { return vector_of(running_sums(chunk_counts(arguments))); }

/// Rows (segment, place inside it).
Contents pairs_of(const Numbers& counts) {
  room_for({total_of(counts), 2});
  Contents contents;
  for (std::int64_t i = 0; i < count_of(counts); ++i) {
    for (std::int64_t k = 0; k < counts[i]; ++k) {
      contents.values.insert(contents.values.end(), {i, k});
    }
  }
  contents.shape = {count_of(contents.values) / 2, 2};
  return contents;
}

Contents chunk_indices(const Arguments& arguments) { return pairs_of(chunk_counts(arguments)); }
Contents token_indices(const Arguments& arguments) { return pairs_of(arguments.sequence(0)); }

Contents packed_positions(const Arguments& arguments) {
  Numbers positions;
  total_of(arguments.sequence(0));
  for (const std::int64_t length : arguments.sequence(0)) {
    for (std::int64_t k = 0; k < length; ++k) {
      positions.push_back(k);
    }
  }
  return vector_of(std::move(positions));
}

Contents full(const Arguments& arguments) {
  const Numbers shape = arguments.sequence(0);
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    count = room_for({count, size});
  }
  return {shape, Numbers(static_cast<std::size_t>(count), arguments.integer(1))};
}

/// For positions first, first + 1, … of the packed sequences: where its sequence starts, or the next position.
Contents key_windows(const Arguments& arguments) {
  const Numbers starts = running_sums(arguments.sequence(0));
  const std::int64_t first = arguments.integer(1);
  const bool from_start = arguments.string(3) == "start";
  Numbers values;
  room_for({arguments.integer(2)});
  for (std::int64_t position = first; position < first + arguments.integer(2); ++position) {
    if (position < 0 || position >= starts.back()) {
      throw GeneratorFailure("position " + std::to_string(position) + " is in no sequence");
    }
    const auto after = std::upper_bound(starts.begin(), starts.end(), position);
    values.push_back(from_start ? *(after - 1) : position + 1);
  }
  return vector_of(std::move(values));
}

using Plain = Contents (*)(const Arguments&);

const std::map<std::string, Plain>& plain_generators() {
  static const std::map<std::string, Plain> generators{
      {"as_tensor", as_tensor},
      {"prefix_sum", prefix_sum},
      {"exclusive_prefix_sum", exclusive_prefix_sum},
      {"chunk_offsets", chunk_offsets},
      {"chunk_indices", chunk_indices},
      {"token_indices", token_indices},
      {"packed_positions", packed_positions},
      {"full", full},
      {"key_windows", key_windows},
      {"moe.layout_metadata", layout_metadata},
      {"moe.masked_routed_metadata", masked_routed_metadata},
  };
  return generators;
}

}  // namespace

const Value& Arguments::at(std::size_t i) const {
  if (i >= values_.size()) {
    throw GeneratorFailure(callee_ + " needs more than " + std::to_string(values_.size()) + " arguments");
  }
  return values_[i];
}

void Arguments::fail(std::size_t i, const char* expected) const {
  throw GeneratorFailure("argument " + std::to_string(i + 1) + " of " + callee_ + " is " + to_text(at(i)) + ", not " +
                         expected);
}

std::int64_t Arguments::integer(std::size_t i) const {
  const auto* number = at(i).get_if<std::int64_t>();
  if (number == nullptr) {
    fail(i, "an integer");
  }
  return *number;
}

std::vector<std::int64_t> Arguments::sequence(std::size_t i) const {
  const Sequence* items = at(i).get_if<Sequence>();
  std::vector<std::int64_t> numbers;
  for (std::size_t k = 0; items != nullptr && k < items->size(); ++k) {
    const auto* number = (*items)[k].get_if<std::int64_t>();
    if (number == nullptr || *number < 0) {
      items = nullptr;
      break;
    }
    numbers.push_back(*number);
  }
  if (items == nullptr) {
    fail(i, "a sequence of integers from 0");
  }
  return numbers;
}

const std::string& Arguments::string(std::size_t i) const {
  const auto* text = at(i).get_if<std::string>();
  if (text == nullptr) {
    fail(i, "a string");
  }
  return *text;
}

const Sequence& Arguments::layout(std::size_t i) const {
  const Sequence* items = at(i).get_if<Sequence>();
  if (items == nullptr || items->empty() || (*items)[0].get_if<std::string>() == nullptr) {
    fail(i, "a layout");
  }
  return *items;
}

std::int64_t room_for(std::initializer_list<std::int64_t> sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count) || count > kMostContents) {
      throw GeneratorFailure("no contents of that size: " + std::to_string(size) + ", of at most " +
                             std::to_string(kMostContents));
    }
  }
  return count;
}

std::int64_t total_of(const Numbers& lengths) {
  std::int64_t total = 0;
  for (const std::int64_t length : lengths) {
    if (length < 0 || __builtin_add_overflow(total, length, &total) || total > kMostContents) {
      throw GeneratorFailure("no contents of that size: lengths that include " + std::to_string(length));
    }
  }
  return total;
}

Value layout_field(const Sequence& layout, const std::string& field) {
  for (std::size_t i = 1; i < layout.size(); ++i) {
    const Sequence& pair = layout[i].get<Sequence>();
    if (pair[0] == Value(field)) {
      return pair[1];
    }
  }
  return {};
}

std::int64_t layout_number(const Sequence& layout, const char* field) {
  const Value value = layout_field(layout, field);
  const auto* number = value.get_if<std::int64_t>();
  if (number == nullptr) {
    throw GeneratorFailure(std::string("the layout has no number ") + field);
  }
  return *number;
}

Contents generate(const Arguments& arguments, std::uint32_t seed) {
  const auto plain = plain_generators().find(arguments.callee());
  return plain != plain_generators().end() ? plain->second(arguments) : generate_random(arguments, seed);
}

bool is_generator(const std::string& callee) {
  return plain_generators().count(callee) != 0 || is_random_generator(callee);
}

std::uint32_t generator_seed(const std::string& op, const std::string& tensor) {
  std::uint32_t crc = 0xffffffff;  // CRC-32 as in zlib
  for (const char c : op + ":" + tensor) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
    }
  }
  return 1235 ^ ~crc;
}

}  // namespace opyard
