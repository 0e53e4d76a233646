// What a user decides over selection: implementations asked for or banned, for a thread or the process.
#pragma once

#include <opyard/implementation.h>
#include <registry/thread_state.h>

#include <atomic>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace opyard {

/// One decision. An empty operator stands for all of them.
struct Choice {
  enum class Kind : std::uint8_t { kUse, kWithout };
  Kind kind;
  std::string op;
  std::string implementation;
};

/// A set of decisions, immutable and never freed, known by a number that enters call keys.
struct Choices {
  std::uint32_t number = 0;
  std::vector<Choice> all;
  std::map<std::string, std::string> locked;  // operator and call, as `lock_key` writes them → implementation
  bool verify = false;                        // the general implementation runs as well, and the results are compared
  bool record = false;                        // what is selected is written down

  /// Why these decisions set an implementation aside.
  Refusal refusal(const Implementation& implementation, const CallSpec& call) const;
};

/// The same number for equal decisions. 0 for none.
std::uint32_t choices_number(Choices choices);

/// The decisions behind a number; a living empty set for 0.
const Choices& choices_of(std::uint32_t number);

/// Decisions for every thread that are in force now.
extern std::atomic<std::uint32_t> process_choices;

/// Puts decisions in force for this thread, and for those that torch runs parts of its work on while they are:
/// autograd's, and forks of a script. They go where torch's own thread-local state goes.
void set_thread_choices(std::uint32_t number);

/// How many threads have decisions of their own in force; where none has, nothing is carried.
extern std::atomic<std::uint32_t> deciding_threads;
std::uint32_t carried_choices();

inline std::uint32_t thread_choices(const ThreadState& thread) {
  if (thread.choices != 0 || deciding_threads.load(std::memory_order_relaxed) == 0) [[likely]]
    return thread.choices;
  return carried_choices();
}

/// What enters a call's key: 0 where nobody decided anything.
inline std::uint64_t choices_word(const ThreadState& thread) {
  return std::uint64_t{thread_choices(thread)} << 32 | process_choices.load(std::memory_order_relaxed);
}

/// Why a decision of this thread or of the process sets an implementation aside.
Refusal choices_refusal(const Implementation& implementation, const CallSpec& call);

/// Whether one of the sets in force asks for it.
bool choices_verify();
bool choices_record();

/// Writes a selection down, while `choices_record`; bounded.
void record_selection(const std::string& op, const CallSpec& call, const std::string& implementation);
std::map<std::string, std::string> recorded_selections();
void forget_selections();

/// A call in a lock file.
std::string lock_key(std::string_view op, const CallSpec& call);

}  // namespace opyard
