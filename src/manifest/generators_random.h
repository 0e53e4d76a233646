// Generators whose contents are random but the same on every machine.
#pragma once

#include "manifest/generators.h"

namespace opyard {

bool is_random_generator(const std::string& callee);

/// Throws GeneratorFailure when there is no such generator.
Contents generate_random(const Arguments& arguments, std::uint32_t seed);

}  // namespace opyard
