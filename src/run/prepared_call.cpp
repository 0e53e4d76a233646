#include <c10/core/DeviceGuard.h>
#include <run/prepared_call.h>

namespace opyard {
namespace {

class PreparedCall final : public Kernel {
 public:
  PreparedCall(std::shared_ptr<const Kernel> kernel, std::size_t input_count, std::vector<TensorFacts> outputs,
               std::vector<std::size_t> strided, c10::Device device)
      : kernel_(std::move(kernel)),
        input_count_(input_count),
        outputs_(std::move(outputs)),
        strided_(std::move(strided)),
        device_(device) {}

  void forward(KernelCall& call) const override {
    const c10::OptionalDeviceGuard guard(device_.is_cpu() ? std::optional<c10::Device>() : device_);
    std::vector<const at::Tensor*> inputs = inputs_of(call, input_count_);
    std::vector<at::Tensor> copies;
    copies.reserve(strided_.size());  // pointers into it are taken
    for (const std::size_t i : strided_) {
      copies.push_back(inputs[i]->contiguous());
      inputs[i] = &copies.back();
    }
    std::vector<at::Tensor> outputs(outputs_.size());
    std::vector<bool> given(outputs_.size());
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if ((given[i] = call.has_output(i))) outputs[i] = call.output(i);
    run_aside(*kernel_, inputs.data(), outputs_, outputs, device_);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].defined() && !given[i]) call.set_output(i, std::move(outputs[i]));
  }

 private:
  std::shared_ptr<const Kernel> kernel_;
  std::size_t input_count_;
  std::vector<TensorFacts> outputs_;
  std::vector<std::size_t> strided_;
  c10::Device device_;
};

}  // namespace

std::shared_ptr<const Kernel> with_guarantees(std::shared_ptr<const Kernel> kernel, std::size_t input_count,
                                              std::vector<TensorFacts> outputs, std::vector<std::size_t> strided,
                                              c10::Device device) {
  return std::make_shared<PreparedCall>(std::move(kernel), input_count, std::move(outputs), std::move(strided), device);
}

void run_aside(const Kernel& kernel, const at::Tensor* const* inputs, const std::vector<TensorFacts>& facts,
               std::vector<at::Tensor>& outputs, c10::Device device) {
  KernelCall call(inputs, outputs.data(), facts.data(), device);
  kernel.forward(call);
}

std::vector<const at::Tensor*> inputs_of(const KernelCall& call, std::size_t count) {
  std::vector<const at::Tensor*> inputs(count, nullptr);
  for (std::size_t i = 0; i < count; ++i)
    if (call.has_input(i)) inputs[i] = &call.input(i);
  return inputs;
}

}  // namespace opyard
