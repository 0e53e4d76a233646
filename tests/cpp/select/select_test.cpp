#include <gtest/gtest.h>
#include <opyard/error.h>
#include <select/select.h>

#include <algorithm>

namespace opyard {
namespace {

Entry no_entry(const CallSpec&) { return {}; }

std::shared_ptr<ImplementationEntry> entry(Implementation implementation) {
  auto made = std::make_shared<ImplementationEntry>();
  implementation.op = "Op";
  implementation.entry_for = no_entry;
  made->declared = std::move(implementation);
  return made;
}

CallSpec call_of(c10::ScalarType dtype) {
  CallSpec call("Op", {{"x", {.present = true, .dtype = dtype, .sizes = {4}}}}, {}, {});
  call.arch = 2;
  return call;
}

struct Case {
  const char* fact;
  ImplementationTable table;
  const char* chosen;   // null: an error
  const char* message;  // part of its text
};

TEST(Select, availability_then_applicability_then_precedence) {
  const auto refuses = [](const char* why) { return [why](const CallSpec&) { return Refusal(why); }; };
  const Case cases[] = {
      {"the only one serves", {entry({.key = "a"})}, "a", ""},
      {"the general one is last", {entry({.key = "a", .general = true}), entry({.key = "b"})}, "b", ""},
      {"the general one serves alone",
       {entry({.key = "a", .general = true}), entry({.key = "b", .refusal = refuses("no")})},
       "a",
       ""},
      {"a preferred one wins", {entry({.key = "a"}), entry({.key = "b", .preferred_over = {"a"}})}, "b", ""},
      {"preference is transitive through one that does not serve",
       {entry({.key = "a"}), entry({.key = "b", .preferred_over = {"a"}, .refusal = refuses("no")}),
        entry({.key = "c", .preferred_over = {"b"}})},
       "c",
       ""},
      {"a tie is an error", {entry({.key = "a"}), entry({.key = "b"})}, nullptr, "preferred_over"},
      {"another device",
       {entry({.key = "a", .devices = {c10::DeviceType::CUDA}})},
       nullptr,
       "runs on cuda, not on cpu"},
      {"another architecture", {entry({.key = "a", .supported_archs = {{0, 1}}})}, nullptr, "the device has 2"},
      {"another dtype", {entry({.key = "a", .dtypes = {c10::kHalf}})}, nullptr, "x is float32, serves float16"},
      {"a refusal is quoted",
       {entry({.key = "a", .refusal = refuses("n = 4, needs 8")})},
       nullptr,
       "a: n = 4, needs 8"},
      {"none is declared", {}, nullptr, "none is declared"},
  };
  for (const Case& c : cases) {
    ImplementationTable table = c.table;
    // The order of declaration decides nothing.
    std::sort(table.begin(), table.end());
    do {
      try {
        const ImplementationEntry& chosen = select(table, call_of(c10::kFloat));
        ASSERT_NE(c.chosen, nullptr) << c.fact;
        EXPECT_EQ(chosen.declared.key, c.chosen) << c.fact;
      } catch (const Error& error) {
        ASSERT_EQ(c.chosen, nullptr) << c.fact << ": " << error.what();
        EXPECT_NE(std::string(error.what()).find(c.message), std::string::npos) << c.fact << ": " << error.what();
      }
    } while (std::next_permutation(table.begin(), table.end()));
  }
}

TEST(Select, an_exception_in_a_refusal_names_the_implementation) {
  const ImplementationTable table = {
      entry({.key = "odd", .refusal = [](const CallSpec&) -> Refusal { throw std::runtime_error("oops"); }})};
  try {
    select(table, call_of(c10::kFloat));
    FAIL() << "no exception";
  } catch (const ContractError& error) {
    EXPECT_NE(std::string(error.what()).find("odd"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("oops"), std::string::npos);
  }
}

}  // namespace
}  // namespace opyard
