// The tokens of one expression, read from the front: what a parser asks of them, and the error at where it stands.
#pragma once

#include <string>
#include <vector>

#include "manifest/expression.h"
#include "manifest/lexer.h"

namespace opyard {

class TokenReader {
 public:
  /// Throws ManifestError at a character outside of the language.
  TokenReader(const Text& source, const Place& place);

 protected:
  const Token& peek() const { return tokens_[at_]; }
  const Token& peek_second() const { return tokens_[at_ + 1]; }  // not at the end
  const Token& next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }

  /// Steps over the symbol, or the word, where it stands here.
  bool accept(const char* symbol);
  bool accept_word(const char* word);

  void expect(const char* symbol);
  void expect_end() const;

  /// ManifestError with the expression, and what stands here.
  [[noreturn]] void fail(const std::string& message, std::string expected = "") const;

 private:
  const Text& source_;
  const Place& place_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace opyard
