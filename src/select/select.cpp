#include <opyard/error.h>
#include <select/limits.h>
#include <select/measured.h>
#include <select/precedence.h>
#include <select/select.h>

namespace opyard {
namespace {

std::string join(const ImplementationTable& table, c10::ArrayRef<std::int32_t> numbers) {
  std::string text;
  for (const std::int32_t i : numbers)
    text += (text.empty() ? "" : ", ") + table[static_cast<std::size_t>(i)]->declared.key;
  return text;
}

using Serves = c10::SmallVector<bool, 16>;

// The one that a recorded measurement found ahead, if it serves the call.
const ImplementationEntry* measured_among(const ImplementationTable& table, const Serves& serves,
                                          const CallSpec& call) {
  const auto key = MeasuredChoices::process().find(call);
  if (!key) return nullptr;
  for (std::size_t i = 0; i < table.size(); ++i)
    if (serves[i] && table[i]->declared.key == *key) return table[i].get();
  return nullptr;
}

void pass_over(const ImplementationTable& table, const Precedence& order, Selection& selection) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    Candidate& candidate = selection.candidates[i];
    if (candidate.refusal) continue;
    if (order.beaten_by[i] >= 0)
      candidate.passed_over =
          table[static_cast<std::size_t>(order.beaten_by[i])]->declared.key + " is preferred over it";
    else if (candidate.entry->declared.general && candidate.entry != selection.chosen)
      candidate.passed_over = "it is the general one, and another serves";
  }
}

[[noreturn]] void fail_selection(const ImplementationTable& table, const CallSpec& call) {
  const Selection selection = reason(table, call);
  if (!selection.tie.empty())
    throw AmbiguousDispatchError("several implementations serve this call and none is preferred",
                                 {.op = call.op(),
                                  .expected = "one implementation",
                                  .got = selection.tie + " for " + call.text(),
                                  .advice = "state preferred_over in one of them"});
  std::string refusals;
  for (const auto& candidate : selection.candidates)
    refusals += (refusals.empty() ? "" : "; ") + candidate.entry->declared.key + ": " +
                candidate.refusal.value_or("serves now, and refused before");
  throw OpNotAvailableError(
      "no implementation serves this call",
      {.op = call.op(),
       .expected = table.empty() ? "an implementation; none is declared" : "a call that one serves",
       .got = call.text() + (refusals.empty() ? "" : "; refusals: " + refusals)});
}

}  // namespace

Selection reason(const ImplementationTable& table, const CallSpec& call) {
  Selection selection;
  Serves serving;
  for (const auto& entry : table) {
    selection.candidates.push_back({entry.get(), refusal_of(entry->declared, call), {}});
    serving.push_back(!selection.candidates.back().refusal);
  }
  selection.chosen = measured_among(table, serving, call);
  if (selection.chosen != nullptr) {
    selection.measured = true;
    for (Candidate& candidate : selection.candidates)
      if (!candidate.refusal && candidate.entry != selection.chosen)
        candidate.passed_over = selection.chosen->declared.key + " was measured to be ahead";
    return selection;
  }
  const Precedence order = precedence(table, serving);
  if (order.left.size() == 1)
    selection.chosen = table[static_cast<std::size_t>(order.left.front())].get();
  else
    selection.tie = join(table, order.left);
  pass_over(table, order, selection);
  return selection;
}

const ImplementationEntry& select(const ImplementationTable& table, const CallSpec& call) {
  Serves serving;
  for (const auto& entry : table) serving.push_back(serves(entry->declared, call));
  if (const ImplementationEntry* measured = measured_among(table, serving, call)) return *measured;
  const Precedence order = precedence(table, serving);
  if (order.left.size() != 1) fail_selection(table, call);
  return *table[static_cast<std::size_t>(order.left.front())];
}

}  // namespace opyard
