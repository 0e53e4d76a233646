#include <ATen/Functions.h>
#include <registry/fork_lock.h>
#include <run/prepared_call.h>
#include <run/verify.h>

#include <limits>
#include <mutex>

namespace opyard {
namespace {

// Guarded by LockRank::kRegistry. Bounded: the first differences tell the most.
struct Kept {
  std::vector<Difference> differences;
  std::uint64_t compared = 0;
};
constexpr std::size_t kMostKept = 1000;

Kept& kept() {
  static auto& all = *new Kept;
  return all;
}

// Relative and absolute: what one rounding of the dtype, and sums in another order, may differ by.
double tolerance(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::BFloat16:
      return 1.6e-2;
    case c10::ScalarType::Half:
      return 2e-3;
    case c10::ScalarType::Float:
      return 1e-4;
    case c10::ScalarType::Double:
      return 1e-9;
    default:
      return c10::isFloatingType(dtype) ? 1.3e-1 : 0;  // float8: one step; integers: nothing
  }
}

bool differ(const at::Tensor& got, const at::Tensor& want, Difference& difference) {
  if (got.numel() == 0) return false;
  const double allowed = tolerance(got.scalar_type());
  const at::Tensor a = got.to(at::kDouble), b = want.to(at::kDouble);
  const at::Tensor same = a.eq(b).logical_or(a.isnan().logical_and(b.isnan()));
  const at::Tensor off = at::where(same, 0.0, a.sub(b).abs()).nan_to_num(std::numeric_limits<double>::infinity());
  const at::Tensor limit = b.abs().nan_to_num(0.0, 0.0, 0.0).add(1.0).mul(allowed);
  const at::Tensor excess = off.sub(limit).flatten();
  const auto worst = excess.argmax().item<std::int64_t>();
  if (!(excess[worst].item<double>() > 0)) return false;
  difference.largest = off.flatten()[worst].item<double>();
  difference.allowed = limit.flatten()[worst].item<double>();
  return true;
}

class Verifying final : public Kernel {
 public:
  Verifying(std::shared_ptr<const Kernel> kernel, std::shared_ptr<const Kernel> general, Difference facts,
            const CallSpec& call)
      : kernel_(std::move(kernel)),
        general_(std::move(general)),
        facts_(std::move(facts)),
        inputs_(call.inputs().size()),
        device_(call.device) {
    for (const auto& [name, output] : call.outputs()) {
      names_.push_back(name);
      outputs_.push_back(output);
    }
  }

  void forward(KernelCall& call) const override {
    // First: the selected one may write where the general one reads.
    std::vector<at::Tensor> want(outputs_.size());
    run_aside(*general_, inputs_of(call, inputs_).data(), outputs_, want, device_);
    kernel_->forward(call);
    std::vector<Difference> found;
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (!want[i].defined() || !call.has_output(i)) continue;
      Difference difference = facts_;
      difference.output = names_[i];
      if (differ(call.output(i), want[i], difference)) found.push_back(std::move(difference));
    }
    std::lock_guard guard(lock_of(LockRank::kRegistry));
    ++kept().compared;
    for (auto& difference : found)
      if (kept().differences.size() < kMostKept) kept().differences.push_back(std::move(difference));
  }

 private:
  std::shared_ptr<const Kernel> kernel_, general_;
  Difference facts_;
  std::size_t inputs_;
  c10::Device device_;
  std::vector<std::string> names_;
  std::vector<TensorFacts> outputs_;
};

}  // namespace

std::shared_ptr<const Kernel> verifying(std::shared_ptr<const Kernel> kernel, std::shared_ptr<const Kernel> general,
                                        std::string implementation, std::string against, const CallSpec& call,
                                        std::string op) {
  Difference facts{.op = std::move(op),
                   .implementation = std::move(implementation),
                   .against = std::move(against),
                   .call = call.text()};
  return std::make_shared<Verifying>(std::move(kernel), std::move(general), std::move(facts), call);
}

std::vector<Difference> take_differences(std::uint64_t& compared) {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  compared = std::exchange(kept().compared, 0);
  return std::exchange(kept().differences, {});
}

}  // namespace opyard
