#include <ATen/DeviceAccelerator.h>
#include <call/call_device.h>

#include <algorithm>

namespace opyard {

std::optional<c10::Device> call_device(const InstanceSpec& spec, c10::Device solved, const at::Tensor* const* inputs) {
  const Signature& signature = spec.signature();
  for (std::size_t i = 0; i < signature.inputs().size(); ++i)
    if (inputs[i] != nullptr && !signature.inputs()[i].on_cpu) return solved;
  for (std::size_t i = 0; i < signature.params().size(); ++i)
    if (signature.params()[i].name == "device" && !spec.construction().params[i].is_none()) return solved;
  const auto& tensors = spec.construction().tensors;
  if (std::any_of(tensors.begin(), tensors.end(), [](const at::Tensor& tensor) { return tensor.defined(); }))
    return solved;
  return at::getAccelerator().has_value() ? std::optional(solved) : std::nullopt;
}

}  // namespace opyard
