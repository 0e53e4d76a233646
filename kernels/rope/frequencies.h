// What the four rotations by row number share: the frequency of each pair of columns, the amplitude, and tables of
// them.
#pragma once

#include <ATen/ATen.h>
#include <lib/aten_operator.h>

#include <cmath>
#include <numbers>

namespace opyard::kernels::OPYARD_ISA {

struct RowRotation {
  bool interleaved = false;         // pairs are neighbours; otherwise the halves of a head
  std::int64_t width = 0;           // columns of a head
  std::vector<double> frequencies;  // for each pair, in radians a row
  double amplitude = 1.0;
  std::int64_t factors_input = -1;  // an input that divides the frequencies, where one is given

  /// Cosines and sines of the first rows, each [rows, width / 2], times the amplitude, in float64.
  std::pair<at::Tensor, at::Tensor> tables(std::int64_t rows, const at::Tensor& factors = {}) const {
    at::Tensor by_pair = at::tensor(frequencies, at::kDouble);
    if (factors.defined()) {
      by_pair = by_pair / factors.to(at::kCPU, at::kDouble);
    }
    const at::Tensor angles = at::arange(rows, at::kDouble).unsqueeze(1) * by_pair;
    return {angles.cos().mul_(amplitude), angles.sin().mul_(amplitude)};
  }

  static RowRotation of(const CallSpec& spec);
};

/// base^(-2 i / width).
inline std::vector<double> plain_frequencies(double base, std::int64_t width) {
  std::vector<double> frequencies;
  for (std::int64_t i = 0; i < width / 2; ++i) {
    frequencies.push_back(std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(width)));
  }
  return frequencies;
}

/// Llama 3.1: waves longer than the trained context are stretched, short ones stay, those between are blended.
inline void stretch_long_waves(const CallSpec& spec, std::vector<double>& frequencies) {
  const double factor = number(spec.param("scaling_factor")), low = number(spec.param("low_freq_factor"));
  const double high = number(spec.param("high_freq_factor")), context = number(spec.param("original_max_position"));
  for (double& frequency : frequencies) {
    const double wave = 2.0 * std::numbers::pi / frequency;
    const double share = (context / wave - low) / (high - low);
    if (wave < context / high) {
      continue;
    }
    frequency *= wave > context / low ? 1.0 / factor : (1.0 - share) / factor + share;
  }
}

/// YaRN: pairs that turn often in the trained context stay, those that turn seldom are stretched, a ramp lies between.
inline void stretch_by_turns(const CallSpec& spec, std::int64_t width, std::vector<double>& frequencies) {
  const double base = number(spec.param("base")), context = number(spec.param("original_max_position"));
  const auto pair_with_turns = [&](double turns) {
    return static_cast<double>(width) * std::log(context / (turns * 2.0 * std::numbers::pi)) / (2.0 * std::log(base));
  };
  const double first = std::max(std::floor(pair_with_turns(number(spec.param("beta_fast")))), 0.0);
  const double last = std::min(std::ceil(pair_with_turns(number(spec.param("beta_slow")))), width - 1.0);
  const double length = first == last ? 0.001 : last - first;
  const double factor = number(spec.param("scaling_factor"));
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const double stretched = std::clamp((static_cast<double>(i) - first) / length, 0.0, 1.0);
    frequencies[i] *= stretched / factor + (1.0 - stretched);
  }
}

inline RowRotation RowRotation::of(const CallSpec& spec) {
  RowRotation rotation;
  rotation.width = spec.inputs().front().second.sizes.back();
  rotation.frequencies = plain_frequencies(number(spec.param("base")), rotation.width);
  if (const Value* layout = find_param(spec, "rope_layout")) {
    rotation.interleaved = layout->get<std::string>() == "interleaved";
  }
  if (find_param(spec, "low_freq_factor") != nullptr) {
    stretch_long_waves(spec, rotation.frequencies);
  } else if (find_param(spec, "beta_fast") != nullptr) {
    stretch_by_turns(spec, rotation.width, rotation.frequencies);
    const double factor = number(spec.param("scaling_factor"));
    rotation.amplitude = (factor > 1.0 ? 0.1 * std::log(factor) + 1.0 : 1.0) * number(spec.param("attn_factor"));
  } else if (const Value* longest = find_param(spec, "max_position")) {
    const double trained = number(spec.param("original_max_position")), stretch = number(*longest) / trained;
    rotation.amplitude = stretch > 1.0 ? std::sqrt(1.0 + std::log(stretch) / std::log(trained)) : 1.0;
    for (std::size_t i = 0; i < spec.inputs().size(); ++i) {
      if (spec.inputs()[i].first == "rescale_factors" && spec.inputs()[i].second.present) {
        rotation.factors_input = static_cast<std::int64_t>(i);
      }
    }
  }
  return rotation;
}

}  // namespace opyard::kernels::OPYARD_ISA
