#include <call/instance.h>
#include <opyard/composite.h>
#include <record/call_stack.h>

namespace opyard {
namespace {

class FunctionBody final : public Body {
 public:
  explicit FunctionBody(std::function<void(KernelCall&)> function) : function_(std::move(function)) {}

  void forward(KernelCall& call) const override {
    collect_stages(this_thread());
    function_(call);
  }
  void reset_binding() noexcept override {}  // its entries are those of what it holds
  bool has_kernels() const override { return false; }

 private:
  std::function<void(KernelCall&)> function_;
};

}  // namespace

Op make_composite(const std::string& op, const std::vector<NamedValue>& params, const std::vector<HeldOp>& held,
                  std::function<void(KernelCall&)> body, const std::string& target) {
  Registry& registry = Registry::process();
  Construction construction = registry.find(op).signature->construct(params);
  auto instance = Instance::make(InstanceSpec::alone(registry, op, std::move(construction), target));
  instance->set_body(std::make_shared<FunctionBody>(std::move(body)));
  std::vector<std::string> stages;
  for (const HeldOp& sub : held) stages.push_back(sub.stage);
  instance->delegates().declare(std::move(stages));
  for (const HeldOp& sub : held) instance->delegates().hold(sub.stage, sub.op.instance());
  return Op(std::move(instance));
}

}  // namespace opyard
