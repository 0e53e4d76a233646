#include "manifest/digest.h"

namespace opyard {

std::string fingerprint(std::string_view text) {
  __extension__ using Wide = unsigned __int128;
  constexpr Wide kPrime = (Wide{1} << 88) + 0x13b;
  Wide hash = (Wide{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  }
  std::string digits(32, '0');
  for (std::size_t i = digits.size(); i-- > 0; hash >>= 4) {
    digits[i] = "0123456789abcdef"[static_cast<unsigned>(hash) & 15];
  }
  return digits;
}

}  // namespace opyard
