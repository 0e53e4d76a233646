// The known name that a mistyped one most likely means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opyard {

/// `; did you mean 'x'?`, or nothing when no known name is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

}  // namespace opyard
