// Operators whose computation is written in C++: stages, undo, targets, construction-time tensors.
#include <ATen/ATen.h>
#include <call/instance.h>
#include <call/run_call.h>
#include <gtest/gtest.h>
#include <opyard/opyard.h>
#include <record/call_stack.h>
#include <registry/registry.h>
#include <select/choices.h>
#include <target/target_registry.h>

#include <thread>

namespace opyard {
namespace {

Registry& registry() { return Registry::process(); }

std::shared_ptr<Instance> norm(double eps, const std::string& target = {}) {
  return Instance::make(registry(), "RMSNormFwdOp", {{"normalized_shape", Sequence{8}}, {"eps", eps}}, target);
}

// Normalises twice, by what it holds, and fails when told to.
class Twice final : public Body {
 public:
  Twice(std::shared_ptr<Instance> first, std::shared_ptr<Instance> second)
      : first_(std::move(first)), second_(std::move(second)) {}

  void forward(KernelCall& call) const override {
    collect_stages(this_thread());
    const at::Tensor* inputs[] = {&call.input(0), nullptr};
    at::Tensor middle, result;
    run_call(*first_, inputs, &middle);
    inputs[0] = &middle;
    run_call(*second_, inputs, &result);
    if (fails) {
      this_thread().interrupted = interrupted;
      throw std::runtime_error("the body fails");
    }
    call.set_output(0, std::move(result));
  }

  void reset_binding() noexcept override { ++resets; }
  bool has_kernels() const override { return false; }

  bool fails = false;
  bool interrupted = false;
  int resets = 0;

 private:
  std::shared_ptr<Instance> first_, second_;
};

struct Composite {
  explicit Composite(bool holds_second = true) {
    body = std::make_shared<Twice>(first, second);
    const auto& signature = registry().find("RMSNormFwdOp").signature;
    instance = Instance::make(InstanceSpec::alone(
        registry(), "RMSNormFwdOp", signature->construct({{"normalized_shape", Sequence{8}}, {"eps", 0.5}}), {}));
    instance->set_body(body);
    instance->delegates().declare({"first", "second", "never"});
    instance->delegates().hold("first", first);
    if (holds_second) instance->delegates().hold("second", second);
  }

  at::Tensor operator()(const at::Tensor& x) const { return Op(instance)({x}); }

  // Parameters of their own: an instance constructed alike would hold their kernels, too.
  static double next() {
    static double eps = 0.125;
    return eps += 0.125;
  }
  double first_eps = next(), second_eps = next();
  std::shared_ptr<Instance> first = norm(first_eps), second = norm(second_eps);
  std::shared_ptr<Twice> body;
  std::shared_ptr<Instance> instance;
};

const at::Tensor kX = at::ones({4, 8});

TEST(Body, leaves_the_calls_of_what_it_holds_as_stages) {
  RecordProperty("requirement", "C53 C45 C46");
  const Composite op;
  EXPECT_TRUE(at::allclose(op(kX), at::rms_norm(at::rms_norm(kX, {8}, {}, op.first_eps), {8}, {}, op.second_eps)));
  const Stages& stages = op.instance->last_call()->stages;
  ASSERT_EQ(stages.size(), 3u);
  EXPECT_EQ(stages[0].second, std::vector{op.first->last_call()});
  EXPECT_EQ(stages[1].second, std::vector{op.second->last_call()});
  EXPECT_TRUE(stages[2].second.empty());
  EXPECT_EQ(this_thread().top, nullptr);
}

TEST(Body, that_calls_what_it_does_not_hold_is_an_error) {
  RecordProperty("requirement", "C57");
  const Composite op(false);
  EXPECT_THROW(op(kX), std::runtime_error);
  EXPECT_EQ(op.instance->serving_target(), nullptr);
  EXPECT_EQ(op.first->serving_target(), nullptr);
}

TEST(Body, a_first_call_that_fails_unbinds_all_it_holds) {
  RecordProperty("requirement", "C112 C113 C114 C115");
  const Composite op;
  const at::Tensor* inputs[] = {&kX, nullptr};
  at::Tensor output;
  run_call(*op.second, inputs, &output);
  op.body->fails = true;
  EXPECT_THROW(op(kX), std::runtime_error);
  for (const auto& instance : {op.instance, op.first, op.second}) EXPECT_EQ(instance->serving_target(), nullptr);
  EXPECT_EQ(op.body->resets, 1);
  EXPECT_EQ(op.second->spec().entries().size(), 0u);
  EXPECT_EQ(op.instance->last_call(), nullptr);
  EXPECT_NE(op.second->last_call(), nullptr);
  op.body->fails = false;
  op(kX);
  EXPECT_EQ(op.second->serving_target(), &builtin_target());
}

TEST(Body, a_later_call_that_fails_keeps_everything) {
  RecordProperty("requirement", "C116");
  const Composite op;
  op(kX);
  const auto before = op.instance->last_call();
  op.body->fails = true;
  EXPECT_THROW(op(at::ones({2, 8})), std::runtime_error);
  EXPECT_EQ(op.instance->last_call(), before);
  EXPECT_EQ(op.body->resets, 0);
  for (const auto& instance : {op.instance, op.first, op.second})
    EXPECT_EQ(instance->serving_target(), &builtin_target());
}

TEST(Body, an_interrupt_undoes_nothing) {
  RecordProperty("requirement", "C118 C120");
  const Composite op;
  op.body->fails = op.body->interrupted = true;
  EXPECT_THROW(op(kX), std::runtime_error);
  EXPECT_EQ(op.instance->serving_target(), &builtin_target());
  EXPECT_EQ(op.body->resets, 0);
  EXPECT_EQ(op.instance->last_call(), nullptr);
  EXPECT_EQ(this_thread().top, nullptr);
  op.body->interrupted = false;
  EXPECT_THROW(op(kX), std::runtime_error);  // the target was selected by an earlier call
  EXPECT_EQ(op.instance->serving_target(), &builtin_target());
}

TEST(Target, serves_from_cpp_with_contiguous_inputs) {
  RecordProperty("requirement", "C63 C74 C77");
  int builds = 0;
  const auto handle = TargetRegistry::process().add_builder("probe", "RMSNormFwdOp", [&](const CallSpec&) {
    ++builds;
    return make_kernel([](KernelCall& call) {
      EXPECT_TRUE(call.input(0).is_contiguous());
      call.set_output(0, call.input(0) * 2);
    });
  });
  const Op op(norm(3.0, "probe"));
  const at::Tensor strided = at::randn({8, 4}).t();
  EXPECT_TRUE(at::equal(op({strided}), strided * 2));
  EXPECT_TRUE(at::equal(op({strided.contiguous()}), strided * 2));
  EXPECT_EQ(builds, 1);
  EXPECT_EQ(op.instance()->serving_target()->name, "probe");
}

TEST(Target, first_calls_from_many_threads_build_one_kernel_and_failures_leave_none) {
  RecordProperty("requirement", "C111 C121");
  std::atomic<int> builds{0};
  std::atomic<bool> broken{true};
  const auto handle = TargetRegistry::process().add_builder("probe", "RMSNormFwdOp", [&](const CallSpec&) {
    ++builds;
    if (broken) throw std::runtime_error("no compiler");
    return make_kernel([](KernelCall& call) { call.output(0).fill_(1); });
  });
  const Op op(norm(4.0, "probe"));
  std::atomic<int> failures{0};
  const auto call_from_threads = [&] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        at::NoGradGuard no_grad;
        try {
          op({kX});
        } catch (const std::runtime_error&) {
          ++failures;
        }
      });
    for (auto& thread : threads) thread.join();
  };
  call_from_threads();
  EXPECT_EQ(failures, 8);
  EXPECT_EQ(op.instance()->serving_target(), nullptr);
  EXPECT_EQ(op.instance()->spec().entries().size(), 0u);
  broken = false;
  builds = failures = 0;
  call_from_threads();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(builds, 1);
}

TEST(Choices, enter_the_key_and_leave_no_trace) {
  const Op op(norm(5.0));
  op({kX});
  const std::string selected(op.last_call()->implementation);
  this_thread().choices = choices_number({.all = {{Choice::Kind::kWithout, "RMSNormFwdOp", selected}}});
  op({kX});
  EXPECT_NE(op.last_call()->implementation, selected);
  this_thread().choices = 0;
  op({kX});
  EXPECT_EQ(op.last_call()->implementation, selected);
  EXPECT_EQ(choices_word(this_thread()), 0u);
}

}  // namespace
}  // namespace opyard
