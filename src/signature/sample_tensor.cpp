#include "signature/sample_tensor.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

namespace opyard {
namespace {

constexpr double kZeros = 1.0 / 16;

at::Tensor random_values(const WorkloadTensor& tensor, std::uint32_t seed) {
  const at::Generator generator = at::detail::createCPUGenerator(seed);
  const auto options = at::TensorOptions().dtype(tensor.dtype);
  if (tensor.dtype == at::kBool) {
    return at::randint(0, 2, tensor.sizes, generator, at::TensorOptions().dtype(at::kInt)).to(tensor.dtype);
  }
  if (c10::isIntegralType(tensor.dtype, false)) {
    const std::int64_t least = tensor.dtype == at::kByte ? 0 : -6;
    return at::randint(least, 7, tensor.sizes, generator, at::TensorOptions().dtype(at::kLong)).to(tensor.dtype);
  }
  const auto wide = c10::isComplexType(tensor.dtype) ? at::kComplexDouble : at::kDouble;
  const at::Tensor values = at::randn(tensor.sizes, generator, options.dtype(wide));
  const at::Tensor zero = at::rand(tensor.sizes, generator, options.dtype(at::kDouble)).lt(kZeros);
  return values.masked_fill(zero, 0).to(tensor.dtype);
}

at::Tensor given_values(const WorkloadTensor& tensor) {
  return at::tensor(tensor.contents->values, at::TensorOptions().dtype(at::kLong)).view(tensor.sizes).to(tensor.dtype);
}

at::Tensor with_gaps(const at::Tensor& plain) {
  std::vector<std::int64_t> wide(plain.sizes().begin(), plain.sizes().end());
  wide.back() *= 2;
  return at::zeros(wide, plain.options()).slice(-1, 0, c10::nullopt, 2).copy_(plain);
}

/// The values of its first slice along the first dim that has several, seen along the whole dim.
at::Tensor repeated(const at::Tensor& plain) {
  for (std::int64_t dim = 0; dim < plain.dim(); ++dim) {
    if (plain.size(dim) > 1) {
      return plain.narrow(dim, 0, 1).clone().expand(plain.sizes());
    }
  }
  return plain;
}

at::Tensor begun_later(const at::Tensor& plain) {
  const at::Tensor storage = at::zeros({plain.numel() + 3}, plain.options());
  return storage.narrow(0, 3, plain.numel()).view(plain.sizes()).copy_(plain);
}

at::Tensor laid_out(const at::Tensor& plain, Layout layout) {
  switch (layout) {
    case Layout::kStrided:
      return plain.dim() == 0 ? plain : with_gaps(plain);
    case Layout::kTransposed:
      return plain.dim() < 2 ? plain : plain.transpose(-1, -2).contiguous().transpose(-1, -2);
    case Layout::kExpanded:
      return repeated(plain);
    case Layout::kOffset:
      return begun_later(plain);
    case Layout::kPlain:
      break;
  }
  return plain;
}

}  // namespace

const char* layout_name(Layout layout) {
  static constexpr const char* kNames[] = {"plain", "strided", "transposed", "expanded", "offset"};
  return kNames[static_cast<std::size_t>(layout)];
}

at::Tensor make_tensor(const WorkloadTensor& tensor, Layout layout, c10::Device device, std::uint32_t seed) {
  const c10::Device place = tensor.on_cpu ? c10::Device(at::kCPU) : device;
  if (place.is_meta()) {
    return laid_out(at::empty(tensor.sizes, at::TensorOptions().dtype(tensor.dtype).device(place)), layout);
  }
  const at::Tensor values = (tensor.contents ? given_values(tensor) : random_values(tensor, seed)).to(place);
  return laid_out(values, layout);
}

}  // namespace opyard
