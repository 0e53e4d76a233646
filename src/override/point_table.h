// The one router at each operator and dispatch key, made when first asked for and kept.
#pragma once

#include <override/override.h>

#include <memory>
#include <string>
#include <vector>

namespace opyard {

/// Throws ContractError, with the reason, where no override can stand: an unknown operator, a key that is not a
/// backend's, a composite operator without a kernel at the key. Any thread may call.
OverridePoint& point_at(const std::string& op, const std::string& overload, const std::string& key);

/// Enters a router that was made elsewhere and lives forever.
void enter_point(OverridePoint& point);

/// All that were made, in the order of their making.
std::vector<OverridePoint*> points();

/// OverridePoint::uninstall of all points.
void uninstall_points();

/// A typed router where opyard knows the operator's C++ signature, else nullptr. The operator has a kernel at the key.
std::unique_ptr<OverridePoint> make_typed_router(const c10::OperatorName& op, c10::DispatchKey key);

}  // namespace opyard
