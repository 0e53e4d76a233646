// What stands beside the signature's expressions: roofline, composition, dtype combinations.
#pragma once

#include "manifest/faults.h"
#include "manifest/schema.h"

namespace opyard {

void validate_rows(const Schema& schema, Faults& faults);

}  // namespace opyard
