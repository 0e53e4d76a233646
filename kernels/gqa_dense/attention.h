// Inputs and parameters of GQADenseFwdOp as its implementations read them.
#pragma once

#include <c10/util/StringUtil.h>
#include <lib/parameters.h>
#include <opyard/implementation.h>

#include <cmath>
#include <limits>

namespace opyard::kernels::OPYARD_ISA {

enum AttentionInput : std::size_t {
  kQuery,
  kKey,
  kValue,
  kQScale,
  kKScale,
  kVScale,
  kRopeCos,
  kRopeSin,
  kSinks,
  kMask
};

struct Attention {
  double scale;        // of the scores
  double softcap;      // 0: none
  std::int64_t left;   // keys seen before the query's own position; -1: all
  std::int64_t right;  // keys seen after it; -1: all
  c10::ScalarType out_dtype;
  bool interleaved;  // a rotation pairs neighbouring columns, else the halves

  static Attention of(const CallSpec& spec) {
    const double head_width = static_cast<double>(spec.input("q").sizes[3]);
    Attention attention;
    attention.scale = optional_number(spec.param("sm_scale")).value_or(1.0 / std::sqrt(head_width));
    attention.softcap = optional_number(spec.param("softcap")).value_or(0.0);
    attention.left = spec.param("window_size_left").get<std::int64_t>();
    attention.right = spec.param("window_size_right").get<std::int64_t>();
    if (spec.param("is_causal").get<bool>()) {
      attention.right = 0;
    }
    attention.out_dtype = spec.outputs().front().second.dtype;
    attention.interleaved = spec.param("rope_layout").get<std::string>() == "interleaved";
    return attention;
  }

  Value identity() const { return Sequence{scale, softcap, left, right, out_dtype, interleaved}; }

  bool windowed() const { return left >= 0 || right >= 0; }

  /// The keys [first, last) that the window lets query `i` see: its position is aligned to the end of the keys.
  std::pair<std::int64_t, std::int64_t> visible(std::int64_t i, std::int64_t queries, std::int64_t keys) const {
    const std::int64_t position = i + keys - queries;
    const std::int64_t first = left < 0 ? 0 : std::max<std::int64_t>(0, position - left);
    const std::int64_t last = right < 0 ? keys : std::min(keys, position + right + 1);
    return {std::min(first, keys), std::max<std::int64_t>(last, 0)};
  }
};

/// What no implementation here serves.
inline Refusal scales_refusal(const CallSpec& spec) {
  for (const char* name : {"q_scale", "k_scale", "v_scale"}) {
    if (spec.present(name)) {
      return c10::str(name, " is given; this implementation takes unscaled q, k and v");
    }
  }
  return std::nullopt;
}

/// What only the general implementation serves.
inline Refusal extras_refusal(const CallSpec& spec) {
  const std::string& encoding = spec.param("pos_encoding_mode").get<std::string>();
  if (encoding != "none" || spec.present("rope_cos") || spec.present("rope_sin")) {
    return c10::str("pos_encoding_mode is '", encoding,
                    "'; this implementation takes q and k already rotated, with 'none'");
  }
  return scales_refusal(spec);
}

}  // namespace opyard::kernels::OPYARD_ISA
