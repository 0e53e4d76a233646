// Cuts an expression's text into tokens.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace opyard {

struct Token {
  enum class Kind { kName, kInt, kFloat, kString, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;  // a string's content; otherwise as written
  int offset = 0;

  bool symbol(const char* wanted) const { return kind == Kind::kSymbol && text == wanted; }
  bool word(const char* wanted) const { return kind == Kind::kName && text == wanted; }
};

/// The tokens, ended by kEnd. On a character outside the language: its offset in `bad`, tokens up to it.
std::vector<Token> tokenise(const std::string& text, std::optional<int>& bad);

}  // namespace opyard
