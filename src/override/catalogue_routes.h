// The routes that the manifests' entries declare by `aten`.
#pragma once

#include <override/routes.h>

#include <vector>

namespace opyard {

/// One for each aten operator that an entry names, at the key of each device on which both aten has a kernel and the
/// entry an implementation beside its general one, for the general one is aten itself. Operators that write an input or
/// may return None have none.
std::vector<RouteDeclaration> catalogue_routes();

}  // namespace opyard
