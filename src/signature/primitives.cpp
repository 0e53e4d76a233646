#include "signature/primitives.h"

namespace opyard {

const PrimitiveRow* find_primitive(const std::string& name) {
  static constexpr PrimitiveRow kRows[] = {
      {"broadcast", Primitive::kBroadcast, 0, -1},
      {"reduced", Primitive::kReduced, 4, 4},
      {"valid_axes", Primitive::kValidAxes, 2, 2},
      {"unique_axes", Primitive::kUniqueAxes, 2, 2},
      {"per_axis", Primitive::kPerAxis, 3, 4, "fallback"},
      {"ceil_div", Primitive::kCeilDiv, 2, 2},
      {"len", Primitive::kLen, 1, 1},
      {"prod", Primitive::kProd, 1, 1},
      {"sum", Primitive::kSum, 1, 1},
      {"max", Primitive::kMax, 1, 2, "default"},
      {"min", Primitive::kMin, 1, 2, "default"},
      {"all", Primitive::kAll, 1, 1},
      {"conv.out", Primitive::kConvOut, 5, 5},
      {"pool.out", Primitive::kPoolOut, 6, 6},
      {"mhc.expansion", Primitive::kMhcExpansion, 1, 1},
      {"promote_int_to_float", Primitive::kPromoteIntToFloat, 1, 1},
      {"coalesce_dtype", Primitive::kCoalesceDtype, 2, 2},
      {"category", Primitive::kCategory, 1, 1},
      {"representable", Primitive::kRepresentable, 2, 2},
      {"balanced_sizes", Primitive::kBalancedSizes, 2, 2},
      {"repeat", Primitive::kRepeat, 2, 2},
  };
  for (const PrimitiveRow& row : kRows) {
    if (name == row.name) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace opyard
