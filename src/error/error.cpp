#include <opyard/error.h>

namespace opyard {
namespace {

void add_line(std::string& text, const char* label, const std::string& content) {
  if (!content.empty()) {
    text.append("\n  ").append(label).append(": ").append(content);
  }
}

}  // namespace

Error::Error(std::string summary, ErrorFacts facts) : facts_(std::move(facts)), text_(std::move(summary)) {
  add_line(text_, "operator", facts_.op);
  add_line(text_, "argument", facts_.argument);
  add_line(text_, "expected", facts_.expected);
  add_line(text_, "got", facts_.got);
  add_line(text_, "declared at", facts_.declared_at);
  add_line(text_, "what to do", facts_.advice);
}

}  // namespace opyard
