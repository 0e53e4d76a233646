// What a failed declaration, construction or call raises. A declared "no" is a Refusal, not an error.
#pragma once

#include <exception>
#include <string>

namespace opyard {

/// The facts that every error names; an empty field is left out of the text.
struct ErrorFacts {
  std::string op;        // operator, or implementation
  std::string argument;  // argument, parameter or declaration concerned
  std::string expected;
  std::string got;
  std::string declared_at;  // file:line of the declaration
  std::string advice;       // what to do
};

class Error : public std::exception {
 public:
  Error(std::string summary, ErrorFacts facts);
  const char* what() const noexcept override { return text_.c_str(); }
  const ErrorFacts& facts() const { return facts_; }

 private:
  ErrorFacts facts_;
  std::string text_;
};

/// A call or a construction that the declaration forbids.
class SignatureError : public Error {
 public:
  enum class Kind { kType, kValue };  // in Python a TypeError or a ValueError
  SignatureError(Kind kind, std::string summary, ErrorFacts facts)
      : Error(std::move(summary), std::move(facts)), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

/// No implementation or target serves the call; the text lists every candidate with its refusal.
class OpNotAvailableError : public Error {
  using Error::Error;
};

/// Several implementations remain and none is preferred; the text lists them.
class AmbiguousDispatchError : public Error {
  using Error::Error;
};

/// An implementation or operator class that breaks the contract of its interface.
class ContractError : public SignatureError {
  using SignatureError::SignatureError;
};

/// A manifest that cannot be read or is invalid; the text has file:line:column.
class ManifestError : public Error {
  using Error::Error;
};

/// A kernel that could not be built; the compiler's output is kept in a named file.
class BuildError : public Error {
  using Error::Error;
};

}  // namespace opyard
