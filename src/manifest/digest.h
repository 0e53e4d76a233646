// A 128-bit fingerprint of text: tells manifests apart, is no protection against forgery.
#pragma once

#include <string>
#include <string_view>

namespace opyard {

/// 32 hexadecimal digits (FNV-1a).
std::string fingerprint(std::string_view text);

}  // namespace opyard
