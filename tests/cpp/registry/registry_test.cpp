// Operators that a registry compiles when it is first asked for them.
#include <gtest/gtest.h>
#include <manifest/reader.h>
#include <opyard/error.h>
#include <registry/registry.h>

#include <atomic>
#include <thread>

namespace opyard {
namespace {

std::shared_ptr<const Signature> signature_of(const std::string& op) {
  const Node entry = parse_yaml("{family: f, signature: {}}", "f.yaml");
  return Signature::compile(read_entry({op, "f.yaml", entry, Node()}, false));
}

TEST(Registry, compiles_an_operator_once_when_it_is_first_found) {
  Registry registry;
  std::atomic<int> compiled = 0;
  registry.add_operator("AOp", [&] {
    ++compiled;
    return signature_of("AOp");
  });
  EXPECT_EQ(registry.operators(), std::vector<std::string>{"AOp"});
  const Registration handle =
      registry.add_implementation({.op = "AOp", .key = "a", .entry_for = [](const CallSpec&) { return Entry{}; }});
  EXPECT_EQ(registry.implementations("AOp")->size(), 1u);
  EXPECT_EQ(compiled, 0) << "neither its name nor its implementations need its signature";
  std::vector<const Signature*> found(8);
  {
    std::vector<std::jthread> threads;
    for (const Signature*& each : found) threads.emplace_back([&] { each = registry.find("AOp").signature.get(); });
  }
  EXPECT_EQ(compiled, 1);
  EXPECT_EQ(found, std::vector<const Signature*>(8, registry.find("AOp").signature.get()));
}

TEST(Registry, says_of_an_operator_declared_twice_where_it_was_declared_before) {
  Registry registry;
  registry.add_operator("AOp", [] { return signature_of("AOp"); });
  try {
    registry.add_operator(signature_of("AOp"));
    FAIL() << "accepted";
  } catch (const ManifestError& error) {
    EXPECT_EQ(error.facts().op, "AOp");
    EXPECT_EQ(error.facts().got, "declared before at f.yaml:1");
  }
}

TEST(Registry, has_every_built_in_operator) {
  Registry registry;
  add_builtin_operators(registry);
  ASSERT_FALSE(registry.operators().empty());
  for (const std::string& op : registry.operators()) EXPECT_EQ(registry.find(op).signature->op(), op);
}

}  // namespace
}  // namespace opyard
