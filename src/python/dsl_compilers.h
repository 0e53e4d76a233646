// Triton, TileLang and CuTe DSL for the library, by the modules of opyard.dsl: imported by the first program compiled.
#pragma once

namespace opyard::python {

/// Once, when the binding loads; imports nothing.
void add_dsl_compilers();

}  // namespace opyard::python
