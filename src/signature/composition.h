// What an entry says apart from its signature's arguments: whether it is made of others, and its construction tensors.
#pragma once

#include <string>
#include <vector>

#include "signature/signature.h"

namespace opyard {

/// Made of other operators: it has no boundary of its own.
bool is_composite(const Signature& signature);

/// Names of the tensors that are parameters, in the order of Construction::tensors.
std::vector<std::string> construction_tensors(const Signature& signature);

}  // namespace opyard
