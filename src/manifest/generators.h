// Contents of integer tensors in workload rows: `values` and `requires`.
#pragma once

#include <opyard/value.h>

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

namespace opyard {

struct Contents {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> values;  // row-major
};

/// Why a generator or predicate has no answer for its arguments.
struct GeneratorFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Arguments of a generator or predicate: integers, sequences of integers, strings; a layout is
/// [constructor, [field, value]…].
class Arguments {
 public:
  Arguments(std::string callee, std::vector<Value> values) : callee_(std::move(callee)), values_(std::move(values)) {}

  const std::string& callee() const { return callee_; }
  std::size_t size() const { return values_.size(); }
  std::int64_t integer(std::size_t i) const;
  std::vector<std::int64_t> sequence(std::size_t i) const;
  const std::string& string(std::size_t i) const;
  const Sequence& layout(std::size_t i) const;

 private:
  const Value& at(std::size_t i) const;
  [[noreturn]] void fail(std::size_t i, const char* expected) const;

  std::string callee_;
  std::vector<Value> values_;
};

/// The product of sizes. Throws GeneratorFailure where one is negative, or contents of that many would fill the memory.
std::int64_t room_for(std::initializer_list<std::int64_t> sizes);

/// The sum of lengths, each from 0; the same limit.
std::int64_t total_of(const std::vector<std::int64_t>& lengths);

/// A field of a layout argument; None when its constructor has no such field.
Value layout_field(const Sequence& layout, const std::string& field);

/// The same where it must be a number; throws GeneratorFailure.
std::int64_t layout_number(const Sequence& layout, const char* field);

/// `seed` decides the random generators' values. Throws GeneratorFailure, also for an unknown generator.
Contents generate(const Arguments& arguments, std::uint32_t seed);

/// Whether contents satisfy a predicate of `requires`. Throws GeneratorFailure for an unknown one.
bool satisfies(const Contents& contents, const Arguments& arguments);

bool is_generator(const std::string& callee);
bool is_predicate(const std::string& callee);

/// The seed of an entry's tensor.
std::uint32_t generator_seed(const std::string& op, const std::string& tensor);

}  // namespace opyard
