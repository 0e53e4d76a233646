#include "signature/failure.h"

namespace opyard {

void Failure::type(const std::string& summary, ErrorFacts facts) const {
  facts.op = program_.schema->op;
  std::string text = facts.op + ": " + summary;
  throw SignatureError(SignatureError::Kind::kType, std::move(text), std::move(facts));
}

void Failure::value(const std::string& summary, ErrorFacts facts) const {
  facts.op = program_.schema->op;
  std::string text = facts.op + ": " + summary;
  throw SignatureError(SignatureError::Kind::kValue, std::move(text), std::move(facts));
}

void Failure::rule(std::int32_t number, const std::string& values) const {
  const RuleDecl& rule = program_.schema->rules[number];
  value(rule.label.empty() ? "a rule does not hold" : rule.label, {.argument = program_.rules[number].what,
                                                                   .expected = rule.rule.text,
                                                                   .got = values,
                                                                   .declared_at = at(rule.rule)});
}

void Failure::rule_evaluation(std::int32_t number, const EvaluationFailure& failure) const {
  rule(number, failure.what());
}

void Failure::evaluation(const std::string& what, const Text& text, const EvaluationFailure& failure) const {
  value(what + " has no value",
        {.argument = what, .expected = text.text, .got = failure.what(), .declared_at = at(text)});
}

}  // namespace opyard
