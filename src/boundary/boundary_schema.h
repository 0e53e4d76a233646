// A custom op's schema as torch's type, from the text that boundary_name.h writes.
#pragma once

#include <ATen/core/function_schema.h>

#include <string_view>

namespace opyard {

/// Equal to what torch's own parser makes of the text, in a fraction of its time: a process defines hundreds.
c10::FunctionSchema parse_boundary_schema(std::string_view text);

}  // namespace opyard
