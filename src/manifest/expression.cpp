#include "manifest/expression.h"

#include <opyard/error.h>

namespace opyard {

void for_each_name(const Expression& expression, const std::function<void(const std::string&)>& visit) {
  if (expression.op == Expression::Op::kName) {
    visit(expression.text);
  }
  if (expression.op == Expression::Op::kComprehension) {
    for_each_name(expression.kids[1], visit);
    for_each_name(expression.kids[0], [&](const std::string& name) {
      if (name != expression.text) {
        visit(name);
      }
    });
    return;
  }
  for (const Expression& kid : expression.kids) {
    for_each_name(kid, visit);
  }
}

std::string declared_at(const std::string& file, Mark mark) { return file + ":" + std::to_string(mark.line); }

void fail_manifest(const Place& place, Mark mark, const std::string& message, std::string expected, std::string got,
                   std::string advice) {
  const std::string at = declared_at(place.file, mark) + ":" + std::to_string(mark.column);
  const std::string where = place.what.empty() ? "" : place.what + ": ";
  throw ManifestError(at + ": " + where + message, {.op = place.op,
                                                    .argument = place.what,
                                                    .expected = std::move(expected),
                                                    .got = std::move(got),
                                                    .declared_at = at,
                                                    .advice = std::move(advice)});
}

}  // namespace opyard
