// What a finished build tells whoever listens. Without a listener a build reads no clock and makes no text.
#pragma once

#include <opyard/implementation.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace opyard {

struct BuildEvent {
  std::string op;
  std::string implementation;
  std::string key;  // the build identity
  bool built = false;
  double milliseconds = 0;
  std::uint64_t hits = 0;    // of the cache that the entry goes into: calls that found theirs
  std::uint64_t misses = 0;  // those that built, this one among them
};

using BuildListener = std::function<void(const BuildEvent&)>;

/// The process's one listener, in place of the last; empty for none. It is called by the thread that built, which holds
/// no lock of opyard's, and may not throw.
void set_build_listener(BuildListener listener);

/// Times one build from its construction on.
class BuildWatch {
 public:
  BuildWatch();
  /// Tells the listener, if there was one when the build began.
  void tell(const Implementation& implementation, const Value& identity, bool built, std::uint64_t hits,
            std::uint64_t misses) const;

 private:
  bool heard_;
  std::chrono::steady_clock::time_point begun_;
};

}  // namespace opyard
