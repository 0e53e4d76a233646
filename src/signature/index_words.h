// The solved indices of a call as plain words, which cost nothing until somebody asks for their names.
#pragma once

#include <opyard/value.h>

#include <optional>

#include "signature/machine.h"
#include "signature/signature.h"

namespace opyard {

/// Appends a value: its kind with a length or a number, then what that leaves out.
void append_words(IndexWords& words, const Val<std::int64_t>& value, const Machine<std::int64_t>& machine);

/// Reads words in the order in which values were appended.
class IndexReader {
 public:
  IndexReader(c10::ArrayRef<std::int64_t> words, const StringTable& strings)
      : next_(words.begin()), strings_(strings) {}

  /// The next value, nothing where the call solved none.
  std::optional<Value> read();

 private:
  Value value_of(ValKind kind, std::int64_t rest);

  const std::int64_t* next_;
  const StringTable& strings_;
};

}  // namespace opyard
