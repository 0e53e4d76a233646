// What a plain (unquoted) YAML scalar means: the rules of PyYAML's safe loader, which are YAML 1.1's.
#pragma once

#include "manifest/node.h"

namespace opyard {

/// Sets kind and content of `node` from the scalar's text. Returns a reason when the scalar has no place in a manifest.
const char* resolve_plain_scalar(const std::string& text, Node& node);

}  // namespace opyard
