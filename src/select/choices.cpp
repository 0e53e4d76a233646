#include <ATen/ThreadLocalPythonObjects.h>
#include <registry/fork_lock.h>
#include <select/choices.h>

#include <deque>
#include <mutex>

namespace opyard {
namespace {

// Sets of decisions by number, and their texts. Guarded by LockRank::kRegistry.
struct Known {
  std::deque<Choices> sets{Choices()};
  std::map<std::string, std::uint32_t> numbers;
  std::map<std::string, std::string> recorded;
};

// Of the objects that torch carries from thread to thread, the kind that anyone may name. There is no Python in it.
struct Carried final : c10::SafePyObject {
  explicit Carried(std::uint32_t number) : SafePyObject(nullptr, nullptr), number(number) {}
  std::uint32_t number;
};

const std::string kCarriedKey = "opyard.choices";

constexpr std::size_t kMostRecorded = 100000;

Known& known() {
  static auto& all = *new Known;
  return all;
}

std::string text_of(const Choices& choices) {
  std::string text = std::string(choices.verify ? "verify" : "") + (choices.record ? "record" : "");
  for (const Choice& choice : choices.all)
    text += "|" + std::to_string(static_cast<int>(choice.kind)) + choice.op + ":" + choice.implementation;
  for (const auto& [call, implementation] : choices.locked) text += "\n" + call + "=" + implementation;
  return text;
}

bool in_force(bool Choices::*flag) {
  if (choices_word(this_thread()) == 0) return false;
  return choices_of(thread_choices(this_thread())).*flag || choices_of(process_choices.load()).*flag;
}

}  // namespace

std::atomic<std::uint32_t> process_choices{0};
std::atomic<std::uint32_t> deciding_threads{0};

void set_thread_choices(std::uint32_t number) {
  using Carrier = at::impl::ThreadLocalPythonObjects;
  const std::uint32_t before = std::exchange(this_thread().choices, number);
  if (before == 0 && number != 0) ++deciding_threads;
  if (before != 0 && number == 0) --deciding_threads;
  // No choices are carried as the number 0: older torch cannot take an object out again.
  if (number != 0 || Carrier::contains(kCarriedKey)) Carrier::set(kCarriedKey, std::make_shared<Carried>(number));
}

std::uint32_t carried_choices() {
  using Carrier = at::impl::ThreadLocalPythonObjects;
  return Carrier::contains(kCarriedKey) ? static_cast<const Carried&>(*Carrier::get(kCarriedKey)).number : 0;
}

std::uint32_t choices_number(Choices choices) {
  std::string text = text_of(choices);
  if (text.empty()) return 0;
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  auto& [sets, numbers, recorded] = known();
  const auto [found, fresh] = numbers.try_emplace(std::move(text), static_cast<std::uint32_t>(sets.size()));
  if (fresh) {
    choices.number = found->second;
    sets.push_back(std::move(choices));
  }
  return found->second;
}

const Choices& choices_of(std::uint32_t number) {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  return known().sets[number];
}

Refusal Choices::refusal(const Implementation& implementation, const CallSpec& call) const {
  for (const Choice& choice : all) {
    if (!choice.op.empty() && choice.op != implementation.op) continue;
    const bool named = choice.implementation == implementation.key;
    if (choice.kind == Choice::Kind::kWithout && named) return "opyard.without sets it aside";
    if (choice.kind == Choice::Kind::kUse && !named) return "opyard.use asks for " + choice.implementation;
  }
  if (locked.empty()) return std::nullopt;
  const auto found = locked.find(lock_key(implementation.op, call));
  if (found != locked.end() && found->second != implementation.key)
    return "the selection lock asks for " + found->second;
  return std::nullopt;
}

Refusal choices_refusal(const Implementation& implementation, const CallSpec& call) {
  if (choices_word(this_thread()) == 0) return std::nullopt;
  if (Refusal refusal = choices_of(thread_choices(this_thread())).refusal(implementation, call)) return refusal;
  return choices_of(process_choices.load()).refusal(implementation, call);
}

bool choices_verify() { return in_force(&Choices::verify); }
bool choices_record() { return in_force(&Choices::record); }

void record_selection(const std::string& op, const CallSpec& call, const std::string& implementation) {
  std::string key = lock_key(op, call);
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  if (known().recorded.size() < kMostRecorded) known().recorded.try_emplace(std::move(key), implementation);
}

std::map<std::string, std::string> recorded_selections() {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  return known().recorded;
}

void forget_selections() {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  known().recorded.clear();
}

std::string lock_key(std::string_view op, const CallSpec& call) { return std::string(op) + " for " + call.text(); }

}  // namespace opyard
