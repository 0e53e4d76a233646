// GEMMFwdOp and BMMFwdOp in front of aten's matrix products on CPU: what of them an entry's argument map cannot say,
// and where boxing would cost too much.
#pragma once

#include <override/routes.h>

#include <cstddef>
#include <functional>
#include <string>

namespace opyard {

/// RouteDeclaration::install for such a product; empty for every other route. float64 stays with torch.
std::function<OverrideHandle(std::size_t number)> matmul_installer(const std::string& op, const std::string& aten,
                                                                   const std::string& key);

}  // namespace opyard
