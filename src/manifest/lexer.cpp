#include "manifest/lexer.h"

#include <array>
#include <cctype>
#include <string_view>

namespace opyard {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t skip_digits(std::string_view text, std::size_t i) {
  while (i < text.size() && is_digit(text[i])) {
    ++i;
  }
  return i;
}

/// The end of the number that starts at `i`; `is_float` when it has a dot or an exponent.
std::size_t number_end(std::string_view text, std::size_t i, bool& is_float) {
  i = skip_digits(text, i);
  if (i < text.size() && text[i] == '.') {
    is_float = true;
    i = skip_digits(text, i + 1);
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t power = i + 1;
    power += power < text.size() && (text[power] == '-' || text[power] == '+') ? 1 : 0;
    const std::size_t end = skip_digits(text, power);
    if (end > power) {
      is_float = true;
      i = end;
    }
  }
  return i;
}

std::size_t symbol_length(std::string_view rest) {
  static constexpr std::array<std::string_view, 5> kPairs{"==", "!=", "<=", ">=", "//"};
  for (const std::string_view pair : kPairs) {
    if (rest.substr(0, 2) == pair) {
      return 2;
    }
  }
  return std::string_view("<>+-*%.,:()[]=|").find(rest[0]) != std::string_view::npos ? 1 : 0;
}

/// The token at `i`, whose length goes to `length`; length 0 where none starts.
Token token_at(const std::string& text, std::size_t i, std::size_t& length) {
  Token token{.offset = static_cast<int>(i)};
  const char c = text[i];
  std::size_t end = i;
  if (is_name_start(c)) {
    while (end < text.size() && (is_name_start(text[end]) || is_digit(text[end]))) {
      ++end;
    }
    token.kind = Token::Kind::kName;
  } else if (is_digit(c) || (c == '.' && i + 1 < text.size() && is_digit(text[i + 1]))) {
    bool is_float = false;
    end = number_end(text, i, is_float);
    token.kind = is_float ? Token::Kind::kFloat : Token::Kind::kInt;
    if (end < text.size() && is_name_start(text[end])) {
      end = i;  // `2x` is no token
    }
  } else if (c == '\'') {
    const std::size_t close = text.find_first_of("'\\\n", i + 1);
    if (close != std::string::npos && text[close] == '\'') {
      length = close + 1 - i;
      token.kind = Token::Kind::kString;
      token.text = text.substr(i + 1, close - i - 1);
      return token;
    }
  } else {
    end = i + symbol_length(std::string_view(text).substr(i));
    token.kind = Token::Kind::kSymbol;
  }
  length = end - i;
  token.text = text.substr(i, length);
  return token;
}

}  // namespace

std::vector<Token> tokenise(const std::string& text, std::optional<int>& bad) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
      continue;
    }
    std::size_t length = 0;
    tokens.push_back(token_at(text, i, length));
    if (length == 0) {
      tokens.pop_back();
      bad = static_cast<int>(i);
      break;
    }
    i += length;
  }
  tokens.push_back(Token{.offset = static_cast<int>(text.size())});
  return tokens;
}

}  // namespace opyard
