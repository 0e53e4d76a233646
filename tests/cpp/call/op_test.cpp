// Calls from C++: values, errors, undo, threads.
#include <ATen/ATen.h>
#include <call/instance.h>
#include <gtest/gtest.h>
#include <opyard/opyard.h>
#include <registry/registry.h>

#include <atomic>
#include <thread>

namespace opyard {
namespace {

Op norm(double eps = 1e-6) { return make_op("RMSNormFwdOp", {{"normalized_shape", Sequence{8}}, {"eps", eps}}); }

// A registry of its own with RMSNorm and whatever implementations a test adds.
struct OwnRegistry {
  OwnRegistry() { registry.add_operator(Registry::process().find("RMSNormFwdOp").signature); }

  void add(const char* key, std::function<void(KernelCall&)> run, std::atomic<int>& builds) {
    handles.push_back(
        registry.add_implementation({.op = "RMSNormFwdOp", .key = key, .entry_for = [=, &builds](const CallSpec&) {
                                       return Entry{key, [=, &builds] {
                                                      ++builds;
                                                      return make_kernel(run);
                                                    }};
                                     }}));
  }

  std::shared_ptr<Instance> instance(double eps) {
    return Instance::make(registry, "RMSNormFwdOp", {{"normalized_shape", Sequence{8}}, {"eps", eps}});
  }

  Registry registry;
  std::vector<Registration> handles;
};

// A kernel that fails while `broken` says so, and gives ones otherwise.
std::function<void(KernelCall&)> ones_unless(const std::atomic<bool>& broken) {
  return [&broken](KernelCall& call) {
    if (broken) throw std::runtime_error("broken");
    call.output(0).fill_(1);
  };
}

TEST(Op, gives_torchs_answer) {
  const at::Tensor x = at::randn({4, 8}), weight = at::randn({8});
  EXPECT_TRUE(at::allclose(norm()({x, weight}), at::rms_norm(x, {8}, weight, 1e-6), 1e-5, 1e-6));
  EXPECT_TRUE(at::allclose(norm()({x}), at::rms_norm(x, {8}, {}, 1e-6), 1e-5, 1e-6));
}

TEST(Op, explains_and_records_what_ran) {
  const Op op = norm();
  EXPECT_EQ(op.last_call(), nullptr);
  const at::Tensor x = at::randn({4, 8});
  op({x});
  EXPECT_NE(op.explain({x}).find(std::string(op.last_call()->implementation) + ": chosen"), std::string::npos)
      << op.explain({x});
}

TEST(Op, an_unknown_operator_is_named_with_the_nearest_known_one) {
  try {
    make_op("RMSNormFwdop");
    FAIL() << "no exception";
  } catch (const OpNotAvailableError& error) {
    EXPECT_NE(std::string(error.what()).find("'RMSNormFwdOp'"), std::string::npos) << error.what();
  }
}

TEST(Op, too_many_inputs_are_refused) {
  const at::Tensor x = at::randn({8});
  EXPECT_THROW(norm()({x, x, x}), SignatureError);
}

TEST(Op, takes_negative_and_conjugate_views_as_the_values_they_stand_for) {
  const at::Tensor z = at::view_as_complex(at::randn({4, 8, 2}));
  const at::Tensor negative = at::imag(at::conj(z));
  ASSERT_TRUE(negative.is_neg());
  EXPECT_TRUE(at::allclose(norm()({negative}), at::rms_norm(negative.clone(), {8}, {}, 1e-6), 1e-5, 1e-6));
}

TEST(Op, refuses_a_gradient_that_would_be_recorded_where_none_is_declared) {
  EXPECT_THROW(make_op("CumprodFwdOp", {{"dim", 0}})({at::randn({4, 8}).set_requires_grad(true)}), SignatureError);
}

TEST(Op, records_the_gradient_of_a_declared_backward) {
  const at::Tensor x = at::randn({4, 8}).set_requires_grad(true), same = x.detach().set_requires_grad(true);
  norm()({x}).sum().backward();
  at::rms_norm(same, {8}, {}, 1e-6).sum().backward();
  EXPECT_TRUE(at::allclose(x.grad(), same.grad(), 1e-4, 1e-5));
}

TEST(Op, an_empty_write_makes_its_output_on_the_calls_device) {
  const at::Tensor y = norm()({at::empty({0, 8}, at::TensorOptions().device(at::kMeta))});
  EXPECT_TRUE(y.is_meta());
  EXPECT_EQ(y.sizes(), at::IntArrayRef({0, 8}));
}

TEST(Undo, a_first_call_that_fails_in_its_kernel_leaves_nothing_bound_and_nothing_built) {
  OwnRegistry own;
  std::atomic<int> builds{0};
  std::atomic<bool> broken{true};
  own.add("odd", ones_unless(broken), builds);
  const auto instance = own.instance(0.25);
  const Op op(instance);
  const at::Tensor x = at::randn({4, 8});
  EXPECT_THROW(op({x}), std::runtime_error);
  EXPECT_EQ(instance->serving_target(), nullptr);
  EXPECT_EQ(instance->last_call(), nullptr);
  EXPECT_EQ(instance->spec().entries().size(), 0u);
  EXPECT_EQ(instance->spec().plans().size(), 0u);
  broken = false;
  EXPECT_TRUE(at::equal(op({x}), at::ones({4, 8})));
  EXPECT_EQ(builds, 2);
}

TEST(Undo, a_later_call_that_fails_keeps_the_target_the_kernels_and_the_record) {
  OwnRegistry own;
  std::atomic<int> builds{0};
  std::atomic<bool> broken{false};
  own.add("odd", ones_unless(broken), builds);
  const auto instance = own.instance(0.5);
  const Op op(instance);
  op({at::randn({4, 8})});
  const CallRecordPtr before = instance->last_call();
  broken = true;
  EXPECT_THROW(op({at::randn({5, 8})}), std::runtime_error);
  EXPECT_NE(instance->serving_target(), nullptr);
  EXPECT_EQ(instance->last_call(), before);
  EXPECT_EQ(instance->spec().entries().size(), 1u);
  EXPECT_EQ(builds, 1);
}

struct WrongResult {
  const char* fact;
  std::function<void(KernelCall&)> run;
  const char* message;
};

TEST(ResultCheck, names_what_does_not_fit) {
  const WrongResult cases[] = {
      {"shape",
       [](KernelCall& call) {
         call.set_output(0, at::zeros({4, 9}));
       },
       "[4, 9]"},
      {"dtype",
       [](KernelCall& call) {
         call.set_output(0, at::zeros({4, 8}, at::kDouble));
       },
       "float64"},
      {"device",
       [](KernelCall& call) {
         call.set_output(0, at::empty({4, 8}, at::TensorOptions().device(at::kMeta)));
       },
       "meta"},
      {"absence", [](KernelCall&) {}, "nothing"},
      {"an input's storage", [](KernelCall& call) { call.set_output(0, call.input(0)); }, "storage of x"},
  };
  double eps = 1;
  for (const WrongResult& c : cases) {
    OwnRegistry own;
    std::atomic<int> builds{0};
    own.add("odd", c.run, builds);
    try {
      Op(own.instance(eps += 1))({at::zeros({4, 8})});
      ADD_FAILURE() << c.fact << ": no exception";
    } catch (const ContractError& error) {
      EXPECT_NE(std::string(error.what()).find(c.message), std::string::npos) << c.fact << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find("output"), std::string::npos) << c.fact << ": " << error.what();
    }
  }
}

TEST(Threads, first_calls_of_one_instance_build_once_and_all_are_right) {
  OwnRegistry own;
  std::atomic<int> builds{0};
  own.add(
      "twice", [](KernelCall& call) { at::mul_out(call.output(0), call.input(0), at::scalar_tensor(2)); }, builds);
  const Op op(own.instance(0.125));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      at::NoGradGuard no_grad;
      for (int i = 0; i < 200; ++i) {
        const at::Tensor x = at::full({(i + t) % 50 + 1, 8}, 3.0);
        if (!at::equal(op({x}), x * 2)) ++wrong;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(builds, 1);
}

TEST(Specs, instances_constructed_alike_share_plans_and_entries) {
  const Op a = norm(3e-6), b = norm(3e-6), c = norm(4e-6);
  EXPECT_EQ(&a.instance()->spec(), &b.instance()->spec());
  EXPECT_NE(&a.instance()->spec(), &c.instance()->spec());
  EXPECT_NE(a.instance()->key(), b.instance()->key());
}

TEST(Specs, a_text_gives_the_same_spec_again_and_another_declaration_is_refused) {
  const Op op = norm(5e-6);
  const std::string text = op.instance()->spec().text();
  EXPECT_EQ(InstanceSpec::from_text(Registry::process(), text).get(), &op.instance()->spec());
  std::string changed = text;
  const auto digest = changed.find("\"digest\":\"") + 10;
  changed[digest] = changed[digest] == '0' ? '1' : '0';
  EXPECT_THROW(InstanceSpec::from_text(Registry::process(), changed), ManifestError);
  EXPECT_THROW(InstanceSpec::from_text(Registry::process(), "{"), SignatureError);
}

}  // namespace
}  // namespace opyard
