#include <opyard/error.h>
#include <target/resolve.h>

namespace opyard {

const Target& builtin_target() {
  static const auto& target = *new Target{"builtin"};
  return target;
}

const Target& resolve_target(const std::string& op, const std::string& requested, c10::Device /*device*/) {
  if (requested.empty() || requested == builtin_target().name) return builtin_target();
  throw OpNotAvailableError("no target has this name", {.op = op,
                                                        .argument = "target",
                                                        .expected = "one of: " + builtin_target().name,
                                                        .got = requested,
                                                        .advice = "construct the operator with a known target, or with "
                                                                  "None to have one selected from the call's device"});
}

}  // namespace opyard
