#include <opyard/error.h>
#include <registry/thread_state.h>
#include <select/choices.h>
#include <select/measured.h>
#include <select/select.h>

#include <algorithm>
#include <set>

namespace opyard {
namespace {

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

Refusal unavailable(const Implementation& implementation, const CallSpec& call) {
  const auto& devices = implementation.devices;
  if (std::find(devices.begin(), devices.end(), call.device.type()) == devices.end()) {
    std::vector<std::string> names;
    for (const auto device : devices) names.push_back(c10::DeviceTypeName(device, true));
    return "runs on " + join(names) + ", not on " + call.device.str();
  }
  if (implementation.supported_archs &&
      std::find(implementation.supported_archs->begin(), implementation.supported_archs->end(), call.arch) ==
          implementation.supported_archs->end()) {
    std::vector<std::string> names;
    for (const int arch : *implementation.supported_archs) names.push_back(std::to_string(arch));
    return "needs architecture " + join(names) + ", the device has " + std::to_string(call.arch);
  }
  return std::nullopt;
}

Refusal dtype_refusal(const Implementation& implementation, const CallSpec& call) {
  if (implementation.dtypes.empty()) return std::nullopt;
  for (const auto& [name, facts] : call.inputs) {
    if (!facts.present) continue;
    const auto& dtypes = implementation.dtypes;
    if (std::find(dtypes.begin(), dtypes.end(), facts.dtype) != dtypes.end()) return std::nullopt;
    std::vector<std::string> names;
    for (const auto dtype : dtypes) names.emplace_back(dtype_name(dtype));
    return name + " is " + dtype_name(facts.dtype) + ", serves " + join(names);
  }
  return std::nullopt;
}

Refusal opaque_refusal(const Implementation& implementation, const CallSpec& call) {
  if (implementation.opaque_inputs) return std::nullopt;
  for (const auto& [name, facts] : call.inputs)
    if (facts.present && facts.layout != c10::Layout::Strided)
      return name + " is an opaque tensor of oneDNN's; a strided one is needed";
  return std::nullopt;
}

Refusal refusal_of(const Implementation& implementation, const CallSpec& call) {
  if (Refusal refusal = unavailable(implementation, call)) return refusal;
  if (Refusal refusal = choices_refusal(implementation, call)) return refusal;
  if (Refusal refusal = dtype_refusal(implementation, call)) return refusal;
  if (Refusal refusal = opaque_refusal(implementation, call)) return refusal;
  if (!implementation.refusal) return std::nullopt;
  try {
    return implementation.refusal(call);
  } catch (const std::exception& e) {
    if (this_thread().interrupted) throw;  // the user's, not the implementation's
    throw ContractError(SignatureError::Kind::kValue, "an implementation's refusal raised",
                        {.op = implementation.op,
                         .argument = "implementation " + implementation.key,
                         .expected = "a sentence or nothing",
                         .got = e.what()});
  }
}

// Every key that `from` wins over, through keys that do not serve the call as well.
std::set<std::string> preferred_over(const ImplementationTable& table, const Implementation& from) {
  std::set<std::string> reached;
  std::vector<const Implementation*> open = {&from};
  while (!open.empty()) {
    const Implementation* next = open.back();
    open.pop_back();
    for (const auto& key : next->preferred_over) {
      if (!reached.insert(key).second) continue;
      for (const auto& entry : table)
        if (entry->declared.key == key) open.push_back(&entry->declared);
    }
  }
  return reached;
}

using Remaining = std::vector<Candidate*>;

void apply_precedence(const ImplementationTable& table, Remaining& remaining) {
  std::set<std::string> beaten;
  std::map<std::string, std::string> winner;
  for (const Candidate* candidate : remaining)
    for (const auto& key : preferred_over(table, candidate->entry->declared))
      if (beaten.insert(key).second) winner[key] = candidate->entry->declared.key;
  const bool only_general =
      std::all_of(remaining.begin(), remaining.end(), [](const Candidate* c) { return c->entry->declared.general; });
  std::erase_if(remaining, [&](Candidate* candidate) {
    const Implementation& declared = candidate->entry->declared;
    if (beaten.contains(declared.key)) {
      candidate->passed_over = winner[declared.key] + " is preferred over it";
    } else if (declared.general && !only_general) {
      candidate->passed_over = "it is the general one, and another serves";
    } else {
      return false;
    }
    return true;
  });
}

}  // namespace

Selection reason(const ImplementationTable& table, const CallSpec& call) {
  Selection selection;
  for (const auto& entry : table) selection.candidates.push_back({entry.get(), refusal_of(entry->declared, call), {}});
  Remaining remaining;
  for (auto& candidate : selection.candidates)
    if (!candidate.refusal) remaining.push_back(&candidate);
  if (remaining.empty()) return selection;

  if (const auto measured = MeasuredChoices::process().find(remaining.front()->entry->declared.op, call)) {
    for (Candidate* candidate : remaining) {
      if (candidate->entry->declared.key == *measured) {
        selection.chosen = candidate->entry;
        selection.measured = true;
      }
    }
    if (selection.chosen != nullptr) {
      for (Candidate* candidate : remaining)
        if (candidate->entry != selection.chosen) candidate->passed_over = *measured + " was measured to be ahead";
      return selection;
    }
  }

  apply_precedence(table, remaining);
  if (remaining.size() == 1) {
    selection.chosen = remaining.front()->entry;
  } else {
    std::vector<std::string> keys;
    for (const Candidate* candidate : remaining) keys.push_back(candidate->entry->declared.key);
    selection.tie = join(keys);
  }
  return selection;
}

const ImplementationEntry& select(const std::string& op, const ImplementationTable& table, const CallSpec& call) {
  const Selection selection = reason(table, call);
  if (selection.chosen != nullptr) return *selection.chosen;
  if (!selection.tie.empty())
    throw AmbiguousDispatchError("several implementations serve this call and none is preferred",
                                 {.op = op,
                                  .expected = "one implementation",
                                  .got = selection.tie + " for " + call.text(),
                                  .advice = "state preferred_over in one of them"});
  std::string refusals;
  for (const auto& candidate : selection.candidates)
    refusals += (refusals.empty() ? "" : "; ") + candidate.entry->declared.key + ": " + *candidate.refusal;
  throw OpNotAvailableError(
      "no implementation serves this call",
      {.op = op,
       .expected = table.empty() ? "an implementation; none is declared" : "a call that one serves",
       .got = call.text() + (refusals.empty() ? "" : "; refusals: " + refusals)});
}

}  // namespace opyard
