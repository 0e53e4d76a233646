// Two implementations run on one call, and what differs between their results.
#pragma once

#include <opyard/implementation.h>

#include <memory>
#include <string>
#include <vector>

namespace opyard {

/// One output of one call on which two implementations disagree by more than the dtype's tolerance.
struct Difference {
  std::string op;
  std::string implementation;
  std::string against;
  std::string output;
  std::string call;
  double largest = 0;  // of the absolute differences; NaN against a number: infinite
  double allowed = 0;  // at that place
};

/// A kernel that runs `kernel`, whose results the call gets, and `general` beside it, and keeps the differences.
std::shared_ptr<const Kernel> verifying(std::shared_ptr<const Kernel> kernel, std::shared_ptr<const Kernel> general,
                                        std::string implementation, std::string against, const CallSpec& call,
                                        std::string op);

/// Takes the differences kept so far, and how many calls were compared.
std::vector<Difference> take_differences(std::uint64_t& compared);

}  // namespace opyard
