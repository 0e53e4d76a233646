// One run of the call check over plain or symbolic sizes.
#pragma once

#include <type_traits>

#include "signature/failure.h"
#include "signature/integers.h"
#include "signature/program.h"

namespace opyard {

template <class Int>
class CheckRun {
 public:
  CheckRun(const Signature::Program& program, const CheckPlan& plan, const Construction& construction,
           const at::Tensor* const* inputs);

  SolvedCall<Int> run();
  const Machine<Int>& machine() const { return machine_; }

 private:
  using V = Val<Int>;

  void check_presence() const;
  c10::Device check_devices() const;
  void check_dtypes();
  void check_combos() const;
  void check_ranks() const;
  void run_steps();
  void run_step(const Step& step);
  void bind_affine(const Step& step);
  void bind_splice(const Step& step);
  void check_exact_ranks() const;
  void check_axis(const Step& step);
  void check_splice(const Step& step);
  void check_rules();
  void solve_output(std::size_t i, SolvedOutput<Int>& output);
  bool is_empty_write(const SolvedCall<Int>& call) const;

  c10::ArrayRef<Int> sizes(std::int32_t input) const {
    if constexpr (std::is_same_v<Int, std::int64_t>) {
      return inputs_[input]->sizes();
    } else {
      return inputs_[input]->sym_sizes();
    }
  }
  std::int64_t position(const Step& step) const;
  V value_at(std::int32_t node, const std::string& what, const Text& text);

  [[noreturn]] void fail_axis(const Step& step, std::int64_t axis, const Int& expected) const;
  [[noreturn]] void fail_rank(std::size_t input, const std::string& expected) const;
  [[noreturn]] void fail_dtype(std::size_t input, const std::string& expected) const;
  [[noreturn]] void fail_device(std::size_t input, c10::Device expected, std::size_t first) const;
  std::string bound_text(std::int32_t slot) const;
  std::string bound_elsewhere(std::int32_t input) const;  // the names of its shape that other tensors bind

  const TensorDecl& decl(std::size_t input) const { return *program_.inputs[input].decl; }

  const Signature::Program& program_;
  const CheckPlan& plan_;
  const Construction& construction_;
  const at::Tensor* const* inputs_;
  Machine<Int> machine_;
  Failure fail_;
};

extern template class CheckRun<std::int64_t>;
extern template class CheckRun<c10::SymInt>;

}  // namespace opyard
