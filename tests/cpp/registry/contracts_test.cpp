#include <gtest/gtest.h>
#include <opyard/error.h>
#include <registry/operator_entry.h>

namespace opyard {
namespace {

std::shared_ptr<ImplementationEntry> entry(Implementation implementation) {
  auto made = std::make_shared<ImplementationEntry>();
  if (implementation.op.empty()) implementation.entry_for = [](const CallSpec&) { return Entry(); };
  made->declared = std::move(implementation);
  return made;
}

struct Case {
  const char* fact;
  ImplementationTable table;
  const char* message;  // empty: no error
};

TEST(Contracts, each_breach_is_an_error_that_names_the_implementation) {
  const Case cases[] = {
      {"nothing wrong", {entry({.key = "a", .general = true}), entry({.key = "b", .preferred_over = {"a"}})}, ""},
      {"a key twice", {entry({.key = "a"}), entry({.key = "a"})}, "given twice"},
      {"two general ones", {entry({.key = "a", .general = true}), entry({.key = "b", .general = true})}, "general"},
      {"a preference of the general one",
       {entry({.key = "a", .general = true, .preferred_over = {"b"}}), entry({.key = "b"})},
       "general"},
      {"an unknown preference", {entry({.key = "a", .preferred_over = {"z"}})}, "'z'"},
      {"a preference over itself", {entry({.key = "a", .preferred_over = {"a"}})}, "another"},
      {"a ring of two",
       {entry({.key = "a", .preferred_over = {"b"}}), entry({.key = "b", .preferred_over = {"a"}})},
       "cycle"},
      {"a ring of three",
       {entry({.key = "a", .preferred_over = {"b"}}), entry({.key = "b", .preferred_over = {"c"}}),
        entry({.key = "c", .preferred_over = {"a"}})},
       "cycle"},
      {"no entry_for", {entry({.op = "Op", .key = "a"})}, "entry_for"},
  };
  for (const Case& c : cases) {
    try {
      check_contracts("Op", c.table);
      EXPECT_STREQ(c.message, "") << c.fact;
    } catch (const ContractError& error) {
      const std::string text = error.what();
      std::string wanted = c.message;
      wanted.erase(std::remove(wanted.begin(), wanted.end(), '\''), wanted.end());
      EXPECT_FALSE(wanted.empty()) << c.fact << ": " << text;
      EXPECT_NE(text.find(wanted), std::string::npos) << c.fact << ": " << text;
      EXPECT_NE(text.find("Op"), std::string::npos) << c.fact;
    }
  }
}

}  // namespace
}  // namespace opyard
