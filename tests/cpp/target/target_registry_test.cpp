// The registry of targets: equal states whatever led to them, and who serves a device.
#include <gtest/gtest.h>
#include <opyard/error.h>
#include <target/target_registry.h>

#include <algorithm>
#include <map>

namespace opyard {
namespace {

const c10::Device kCpu(c10::kCPU);

KernelBuilder no_kernel() {
  return [](const CallSpec&) { return make_kernel([](KernelCall&) {}); };
}

TEST(TargetRegistry, registrations_and_removals_in_every_order_give_equal_states) {
  RecordProperty("requirement", "C60 C94");
  struct Step {
    const char* name;
    std::function<Registration(TargetRegistry&)> add;
  };
  const Step steps[] = {
      {"a detects", [](TargetRegistry& r) { return r.add_detector("a", [](c10::Device) { return false; }); }},
      {"a builds", [](TargetRegistry& r) { return r.add_builder("a", "Norm", no_kernel()); }},
      {"b builds", [](TargetRegistry& r) { return r.add_builder("b", "Norm", no_kernel()); }},
  };
  std::map<unsigned, std::string> dumps;  // by the set of registrations in force
  std::vector<std::size_t> order = {0, 1, 2};
  do {
    std::vector<std::size_t> removal = {0, 1, 2};
    do {
      TargetRegistry registry;
      Registration handles[3];
      unsigned present = 0;
      const auto same_as_ever = [&] {
        const auto [known, fresh] = dumps.try_emplace(present, registry.dump());
        EXPECT_EQ(known->second, registry.dump()) << present;
      };
      for (const std::size_t i : order) {
        handles[i] = steps[i].add(registry);
        present |= 1u << i;
        EXPECT_THROW((void)steps[i].add(registry), SignatureError) << steps[i].name;
        same_as_ever();
      }
      for (const std::size_t i : removal) {
        handles[i].remove();
        handles[i].remove();
        present &= ~(1u << i);
        same_as_ever();
      }
      EXPECT_EQ(registry.dump(), TargetRegistry().dump());
    } while (std::next_permutation(removal.begin(), removal.end()));
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(dumps.size(), 8u);
}

TEST(TargetRegistry, names_who_serves) {
  RecordProperty("requirement", "C61 C62 C76 C78 C79");
  TargetRegistry registry;
  EXPECT_EQ(&registry.resolve("Norm", "", kCpu), &builtin_target());
  const auto never = registry.add_detector("never", [](c10::Device) { return false; });
  const auto meta = registry.add_detector("meta", [](c10::Device device) { return device.is_meta(); });
  EXPECT_EQ(&registry.resolve("Norm", "", kCpu), &builtin_target());
  EXPECT_EQ(registry.resolve("Norm", "", c10::Device(c10::kMeta)).name, "meta");
  EXPECT_EQ(&registry.resolve("Norm", "", std::nullopt), &builtin_target());
  EXPECT_EQ(registry.resolve("Norm", "never", kCpu).name, "never");
  registry.set_default("never");
  EXPECT_EQ(registry.resolve("Norm", "", c10::Device(c10::kMeta)).name, "never");
  EXPECT_EQ(&registry.resolve("Norm", "builtin", kCpu), &builtin_target());
  registry.set_default("");
  EXPECT_THROW(registry.resolve("Norm", "metta", kCpu), OpNotAvailableError);
  EXPECT_THROW(registry.set_default("metta"), OpNotAvailableError);
  const auto both = registry.add_detector("both", [](c10::Device) { return true; });
  EXPECT_THROW(registry.resolve("Norm", "", c10::Device(c10::kMeta)), AmbiguousDispatchError);
}

TEST(TargetRegistry, a_detector_that_throws_is_an_error_that_names_its_target) {
  RecordProperty("requirement", "C76");
  TargetRegistry registry;
  const auto handle = registry.add_detector("odd", [](c10::Device) -> bool { throw std::runtime_error("no driver"); });
  try {
    registry.resolve("Norm", "", kCpu);
    FAIL() << "no exception";
  } catch (const ContractError& error) {
    EXPECT_NE(std::string(error.what()).find("target odd"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("no driver"), std::string::npos) << error.what();
  }
}

CallSpec call(std::vector<std::int64_t> sizes, c10::ScalarType dtype, bool optional,
              const CallSpec::Tensors& outputs = {}) {
  TensorFacts x;
  x.present = true;
  x.dtype = dtype;
  x.sizes.assign(sizes.begin(), sizes.end());
  return {"Norm", {{"x", x}, {"weight", optional ? x : TensorFacts()}}, outputs, {}};
}

TEST(TargetRegistry, a_kernels_identity_is_the_device_and_each_inputs_dtype_and_shape) {
  RecordProperty("requirement", "C71 C72");
  TargetRegistry registry;
  const auto handle = registry.add_builder("a", "Norm", no_kernel());
  const auto builder = registry.builder(registry.resolve("Norm", "a", kCpu), "Norm");
  ASSERT_NE(builder, nullptr);
  const CallSpec base = call({2, 3}, c10::kFloat, true);
  const auto identity = [&](const CallSpec& spec) { return builder->entry_for(spec).identity; };
  CallSpec strided = base, other_device = base;
  strided.tensors.front().contiguous = false;
  other_device.device = c10::Device(c10::kMeta);
  const CallSpec with_output = call({2, 3}, c10::kFloat, true, {{"out", base.tensors.front()}});
  EXPECT_EQ(identity(base), identity(strided));
  EXPECT_EQ(identity(base), identity(with_output));
  for (const CallSpec& other : {call({3, 2}, c10::kFloat, true), call({2, 3, 1}, c10::kFloat, true),
                                call({2, 3}, c10::kHalf, true), call({2, 3}, c10::kFloat, false), other_device})
    EXPECT_FALSE(identity(base) == identity(other)) << other.text();
}

}  // namespace
}  // namespace opyard
