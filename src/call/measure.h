// Which implementation is ahead on this machine, found by running the candidates on a user's own tensors.
#pragma once

#include <call/instance.h>

#include <string>
#include <utility>
#include <vector>

namespace opyard {

using CallInputs = std::vector<at::Tensor>;  // in the order of the signature; undefined where absent

struct Measurement {
  std::string chosen;
  std::vector<std::pair<std::string, double>>
      microseconds;  // per candidate, the least time over the rounds for all calls
};

/// Times every implementation that serves the first of `calls`, in turn over all of them, for about `budget_s` seconds,
/// and fixes the fastest for calls like the first (select/measured.h); a lead within noise leaves the declared
/// preference. The calls should be alike and their weights different tensors, so that caches hold no more of them than
/// in earnest. A choice fixed before stays, and nothing is timed. `among`: only these keys, if any are given. Records
/// no call. Throws as a call would.
Measurement measure(Instance& instance, const std::vector<CallInputs>& calls, double budget_s,
                    const std::vector<std::string>& among = {});

/// Fixes an implementation, measured elsewhere, for calls like this one. Throws OpNotAvailableError when it does not
/// serve the call.
void fix_measured(Instance& instance, const CallInputs& call, const std::string& implementation);

}  // namespace opyard
