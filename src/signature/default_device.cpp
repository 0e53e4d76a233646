#include "signature/default_device.h"

#include <ATen/DeviceAccelerator.h>

namespace opyard {
namespace {

c10::Device device_of_text(const Signature::Program& program, const std::string& text) {
  try {
    return c10::Device(text);
  } catch (const c10::Error& error) {
    const ParamDecl& param = program.schema->params[program.param_number.at("device")];
    Failure(program).value("parameter 'device' names no device",
                           {.argument = "device",
                            .expected = param.type.text,
                            .got = "'" + text + "': " + error.what_without_backtrace(),
                            .declared_at = program.declared_at(param.type)});
  }
}

c10::Device with_index(c10::Device device) {
  const auto accelerator = at::getAccelerator();
  return !device.has_index() && accelerator && *accelerator == device.type()
             ? c10::Device(device.type(), at::accelerator::getDeviceIndex())
             : device;
}

}  // namespace

c10::Device default_device(const Signature::Program& program, const Construction& construction) {
  if (const auto param = program.param_number.find("device"); param != program.param_number.end()) {
    const Value& value = construction.params[param->second];
    if (const auto* device = value.get_if<c10::Device>()) {
      return with_index(*device);
    }
    if (const auto* text = value.get_if<std::string>()) {
      return with_index(device_of_text(program, *text));
    }
  }
  std::optional<c10::Device> common;
  for (std::size_t i = 0; i < construction.tensors.size(); ++i) {
    const at::Tensor& tensor = construction.tensors[i];
    if (tensor.defined() && common && *common != tensor.device()) {
      const TensorDecl& decl = program.schema->construction_tensors[i];
      Failure(program).value("the tensors of the construction are on several devices",
                             {.argument = decl.name,
                              .expected = common->str(),
                              .got = tensor.device().str(),
                              .declared_at = declared_at(program.schema->file, decl.mark)});
    }
    common = tensor.defined() ? tensor.device() : common;
  }
  if (common) {
    return *common;
  }
  const auto accelerator = at::getAccelerator();
  return accelerator ? with_index(c10::Device(*accelerator)) : c10::Device(c10::DeviceType::CPU);
}

}  // namespace opyard
