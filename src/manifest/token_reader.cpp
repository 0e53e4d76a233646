#include "manifest/token_reader.h"

#include <algorithm>
#include <optional>

namespace opyard {

TokenReader::TokenReader(const Text& source, const Place& place) : source_(source), place_(place) {
  std::optional<int> bad;
  tokens_ = tokenise(source.text, bad);
  if (bad) {
    at_ = tokens_.size() - 1;
    tokens_.back().offset = *bad;
    fail("a character outside the expression language");
  }
}

bool TokenReader::accept(const char* symbol) {
  const bool found = peek().symbol(symbol);
  at_ += found ? 1 : 0;
  return found;
}

bool TokenReader::accept_word(const char* word) {
  const bool found = peek().word(word);
  at_ += found ? 1 : 0;
  return found;
}

void TokenReader::expect(const char* symbol) {
  if (!accept(symbol)) {
    fail("not an expression of the manifest language", std::string("'") + symbol + "'");
  }
}

void TokenReader::expect_end() const {
  if (peek().kind != Token::Kind::kEnd) {
    fail("not an expression of the manifest language", "the end of the expression");
  }
}

void TokenReader::fail(const std::string& message, std::string expected) const {
  const std::string rest = source_.text.substr(std::min<std::size_t>(peek().offset, source_.text.size()), 20);
  fail_manifest(place_, source_.at(peek().offset), message + ": " + source_.text, std::move(expected),
                rest.empty() ? "the end" : "'" + rest + "' at character " + std::to_string(peek().offset + 1));
}

}  // namespace opyard
