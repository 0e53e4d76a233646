// A custom op's kernel that is made when it is first called: most operators of a process never are.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace opyard {

/// Safe from any number of threads: where several are first, one of their kernels is kept.
template <class Kernel>
class LazyKernel : public c10::OperatorKernel {
 public:
  using Make = std::function<std::unique_ptr<Kernel>()>;

  explicit LazyKernel(Make make) : make_(std::move(make)) {}
  ~LazyKernel() override { delete kernel_.load(); }
  LazyKernel(const LazyKernel&) = delete;
  LazyKernel& operator=(const LazyKernel&) = delete;

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    kernel()(op, keys, stack);
  }

 private:
  Kernel& kernel() {
    if (Kernel* made = kernel_.load(std::memory_order_acquire)) return *made;
    std::unique_ptr<Kernel> fresh = make_();
    Kernel* first = nullptr;
    if (kernel_.compare_exchange_strong(first, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
    return *first;
  }

  Make make_;
  std::atomic<Kernel*> kernel_ = nullptr;
};

}  // namespace opyard
