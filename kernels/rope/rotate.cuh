// Rotations of pairs of columns of each head by the row's number.
#pragma once

#include <lib/cuda/dtypes.cuh>

namespace opyard {

/// A thread has one pair of one row, for all heads: its angle is found once. The angle is taken in float64 and brought
/// into one turn, so that far rows are as exact as near ones. x and y are [rows, heads, width] in one run; row r is
/// number r % length of its sequence.
template <class T, bool kInterleaved>
__global__ void __launch_bounds__(256) rotate(const T* x, T* y, const double* frequencies, long long rows,
                                              long long length, int heads, int width, float amplitude) {
  constexpr double kTurn = 6.283185307179586476925;
  const int half = width / 2;
  const long long index = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= rows * half) {
    return;
  }
  const long long row = index / half;
  const int pair = static_cast<int>(index % half);
  const double angle = static_cast<double>(row % length) * frequencies[pair];
  float sin, cos;
  sincosf(static_cast<float>(angle - kTurn * rint(angle / kTurn)), &sin, &cos);
  sin *= amplitude;
  cos *= amplitude;
  const int first = kInterleaved ? 2 * pair : pair, second = kInterleaved ? 2 * pair + 1 : pair + half;
  for (int head = 0; head < heads; ++head) {
    const long long at = (row * heads + head) * width;
    const float a = to_float(x[at + first]), b = to_float(x[at + second]);
    from_float(a * cos - b * sin, y[at + first]);
    from_float(b * cos + a * sin, y[at + second]);
  }
}

}  // namespace opyard
