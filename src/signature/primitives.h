// The functions of the expression language: names, parameters, numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace opyard {

enum class Primitive : std::uint8_t {
  kNone,
  kBroadcast,
  kReduced,
  kValidAxes,
  kUniqueAxes,
  kPerAxis,
  kCeilDiv,
  kLen,
  kProd,
  kSum,
  kMax,
  kMin,
  kAll,
  kConvOut,
  kPoolOut,
  kMhcExpansion,
  kPromoteIntToFloat,
  kCoalesceDtype,
  kCategory,
  kRepresentable,
  kBalancedSizes,
  kRepeat,
};

struct PrimitiveRow {
  const char* name;
  Primitive primitive;
  int required;                   // positional arguments
  int allowed;                    // with optional ones; -1: any number
  const char* keyword = nullptr;  // the optional argument's name
};

/// nullptr when the language has no such function.
const PrimitiveRow* find_primitive(const std::string& name);

}  // namespace opyard
