// The text of `reference`: Python that states the right value, read only as far as its names.
#pragma once

#include <string>
#include <vector>

#include "manifest/expression.h"

namespace opyard {

/// Throws ManifestError unless the text is a function's dotted name, or an expression with balanced brackets that reads
/// `names` and the modules torch, math and opyard.
void check_reference_text(const Text& text, const std::vector<std::string>& names, const Place& place);

}  // namespace opyard
