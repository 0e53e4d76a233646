#include "manifest/reference_text.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "error/nearest_name.h"

namespace opyard {
namespace {

bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_python_word(const std::string& word) {
  static const std::set<std::string> kWords{"if",   "else",  "and", "or",    "not",   "is",   "in",    "for",  "None",
                                            "True", "False", "len", "int",   "float", "bool", "tuple", "list", "max",
                                            "min",  "abs",   "sum", "range", "torch", "math", "opyard"};
  return kWords.count(word) > 0;
}

class ReferenceText {
 public:
  ReferenceText(const Text& text, const std::vector<std::string>& names, const Place& place)
      : text_(text), names_(names), place_(place) {}

  void check() {
    while (at_ < text_.text.size()) {
      at_ = check_token(at_);
    }
    if (!open_.empty()) {
      fail("a bracket is not closed", open_);
    }
    at_ = 0;
    if (!reads_ && !is_function_) {
      fail("a reference is a function's dotted name, or a call over inputs and parameters", text_.text);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& message, const std::string& got, const std::string& expected = "") const {
    fail_manifest(place_, text_.at(static_cast<std::int32_t>(at_)), message + ": " + text_.text, expected, got);
  }

  std::size_t check_token(std::size_t i) {
    const std::string& text = text_.text;
    const char c = text[i];
    if (c == '\'' || c == '"') {
      const std::size_t close = text.find(c, i + 1);
      if (close == std::string::npos) {
        fail("a string is not closed", text.substr(i));
      }
      return close + 1;
    }
    if (is_name_part(c)) {
      std::size_t end = i;
      while (end < text.size() && is_name_part(text[end])) {
        ++end;
      }
      check_word(text.substr(i, end - i), i, end);
      return end;
    }
    check_bracket(c);
    return i + 1;
  }

  void check_bracket(char c) {
    static const std::string kOpen = "([{";
    static const std::string kClose = ")]}";
    const std::size_t close = kClose.find(c);
    if (kOpen.find(c) != std::string::npos) {
      open_ += c;
    } else if (close != std::string::npos) {
      if (open_.empty() || open_.back() != kOpen[close]) {
        fail("a bracket closes nothing", std::string(1, c));
      }
      open_.pop_back();
    }
  }

  void check_word(const std::string& word, std::size_t begin, std::size_t end) {
    const std::string& text = text_.text;
    const auto skip = [&](std::size_t k) {
      while (k < text.size() && text[k] == ' ') {
        ++k;
      }
      return k < text.size() ? text[k] : '\0';
    };
    const bool attribute = begin > 0 && text[begin - 1] == '.';
    const bool number = std::isdigit(static_cast<unsigned char>(word[0])) != 0;
    const bool keyword = skip(end) == '=' && text.find("==", end) != text.find('=', end) && !open_.empty();
    is_function_ = is_function_ || (attribute && end == text.size() && open_.empty());
    if (attribute || number || keyword) {
      return;
    }
    if (std::find(names_.begin(), names_.end(), word) != names_.end()) {
      reads_ = true;
    } else if (!is_python_word(word) && text.find(" for " + word + " ") == std::string::npos) {
      fail("'" + word + "' is no input or parameter", word, "such a name" + nearest_name(word, names_));
    }
  }

  const Text& text_;
  const std::vector<std::string>& names_;
  const Place& place_;
  std::size_t at_ = 0;        // where the token that is checked starts
  std::string open_;          // brackets that are open
  bool reads_ = false;        // an input or a parameter
  bool is_function_ = false;  // a dotted name ends the text
};

}  // namespace

void check_reference_text(const Text& text, const std::vector<std::string>& names, const Place& place) {
  ReferenceText(text, names, place).check();
}

}  // namespace opyard
