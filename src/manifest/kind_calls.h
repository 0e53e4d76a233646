// The kinds of the functions of the expression language.
#pragma once

#include <string>
#include <vector>

#include "manifest/kinds.h"

namespace opyard {

/// A primitive's parameters, a letter each: i Int, b Bool, s sequence, d Int, sequence or None, p per-axis value, t
/// dtype, v number, w dtype or None, x anything that category takes, m mode, l layout.
struct CallKind {
  const char* name;
  const char* required;
  const char* optional;  // may be left out
  bool repeats;          // the first letter, any number of times
  Kind (*result)(const Kind& first);
};

/// nullptr when the language has no such function.
const CallKind* find_call(const std::string& name);

/// The functions' names, for a mistyped one.
std::vector<std::string> call_names();

/// Whether an argument of this kind may stand where the letter does.
bool fits(char letter, const Kind& kind);

}  // namespace opyard
