// What reading and validating an entry refuses, and that entries survive as bytes.
#include <gtest/gtest.h>
#include <opyard/error.h>

#include "manifest/builtin.h"
#include "manifest/serialise.h"
#include "manifest/validator.h"

namespace opyard {
namespace {

EntryText entry(const std::string& yaml) {
  Node document = parse_yaml(yaml, "f.yaml");
  return {document.keys.at(0), "f.yaml", document.items.at(0), Node{}};
}

std::string with_signature(const std::string& signature) { return "Op:\n  family: f\n  signature:\n" + signature; }

struct RefusedCase {
  const char* name;
  std::string yaml;
  const char* place;
  const char* reason;
};

class RefusedEntry : public testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedEntry, names_place_and_reason) {
  try {
    validate(*read_entry(entry(GetParam().yaml), false));
    FAIL() << "accepted";
  } catch (const ManifestError& error) {
    EXPECT_EQ(error.facts().declared_at, GetParam().place) << error.what();
    EXPECT_NE(std::string(error.what()).find(GetParam().reason), std::string::npos) << error.what();
    EXPECT_EQ(error.facts().op, "Op");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Entries, RefusedEntry,
    testing::Values(
        RefusedCase{"unknown_key", "Op: {family: f, signature: {}, colour: 1}", "f.yaml:1:32", "unknown key 'colour'"},
        RefusedCase{"no_signature", "Op: {family: f}", "f.yaml:1:5", "'signature' is missing"},
        RefusedCase{"name_twice", with_signature("    forall: {N: Dim}\n    let: {N: \"1\"}\n"), "f.yaml:5:11",
                    "'N' is declared twice"},
        RefusedCase{"optional_false",
                    with_signature("    inputs:\n      x: {dtype: T, shape: '[N]', optional: false}\n"), "f.yaml:5:45",
                    "wrong value"},
        RefusedCase{"tensor_without_shape", with_signature("    inputs:\n      x: {dtype: T}\n"), "f.yaml:5:10",
                    "'shape' is missing"},
        RefusedCase{"device_cuda", with_signature("    inputs:\n      x: {dtype: T, shape: '[N]', device: cuda}\n"),
                    "f.yaml:5:43", "wrong value"},
        RefusedCase{"bad_default", with_signature("    params:\n      p: {type: int, default: true}\n"), "f.yaml:5:31",
                    "default is not of the parameter's type"},
        RefusedCase{"bad_type", with_signature("    params:\n      p: {type: integer}\n"), "f.yaml:5:17",
                    "'integer' is no parameter type"},
        RefusedCase{
            "required_after_optional",
            with_signature("    forall: {T: 'DType[float32]'}\n    inputs:\n"
                           "      x: {dtype: T, shape: '[]', optional: true}\n      y: {dtype: T, shape: '[]'}\n"),
            "f.yaml:7:10", "required input follows an optional one"},
        RefusedCase{"write_only_alone",
                    with_signature("    forall: {T: 'DType[float32]'}\n    inputs:\n"
                                   "      x: {dtype: T, shape: '[]', write_only: true}\n"),
                    "f.yaml:6:10", "mutated"},
        RefusedCase{"alias_of_nothing",
                    with_signature("    forall: {T: 'DType[float32]'}\n    inputs:\n      x: {dtype: T, shape: '[]'}\n"
                                   "    outputs:\n      y: {dtype: T, shape: '[]', alias: x}\n"),
                    "f.yaml:8:10", "an alias names an input that is written"},
        RefusedCase{"empty_family", with_signature("    types: {F: {params: {N: Dim}, match: 'True', cases: []}}\n"),
                    "f.yaml:4:16", "at least one case"}),
    [](const auto& info) { return info.param.name; });

TEST(Entry, survives_as_bytes) {
  const EntryText before = entry(
      "Op: {family: f, ref_api: a.b, signature: {forall: {N: Dim}, params: {p: {type: float, default: -1.5}, "
      "q: {type: 'int | None', default: null}}}, workloads: [{label: x, N: -3, flags: [true, null]}]}");
  const EntryText after = entry_from_bytes(to_bytes(before));
  EXPECT_EQ(after.op, "Op");
  EXPECT_EQ(after.file, "f.yaml");
  EXPECT_EQ(to_text(after.entry), to_text(before.entry));
  EXPECT_EQ(read_entry(after, false)->digest, read_entry(before, false)->digest);
  EXPECT_EQ(after.entry.find("workloads")->mark.column, before.entry.find("workloads")->mark.column);
}

TEST(Entry, damaged_bytes_are_refused) {
  const std::string bytes = to_bytes(entry("Op: {family: f, signature: {}}"));
  EXPECT_THROW(entry_from_bytes(bytes.substr(0, bytes.size() - 2)), ManifestError);
}

TEST(Entry, digest_follows_the_signature_and_not_the_rows) {
  const auto digest = [](const std::string& yaml) { return read_entry(entry(yaml), false)->digest; };
  const std::string plain = digest("Op: {family: f, signature: {forall: {N: Dim}}}");
  EXPECT_EQ(plain, digest("# other\nOp: {family: f, summary: hello, signature: {forall: {N: Dim}}}"));
  EXPECT_NE(plain, digest("Op: {family: f, signature: {forall: {M: Dim}}}"));
  EXPECT_NE(plain, digest("Other: {family: f, signature: {forall: {N: Dim}}}"));
}

TEST(Builtin, every_entry_decodes_and_validates) {
  ASSERT_FALSE(builtin_names().empty());
  for (const std::string& name : builtin_names()) {
    const auto schema = builtin_schema(name);
    ASSERT_NE(schema, nullptr) << name;
    EXPECT_EQ(schema->op, name);
    EXPECT_NO_THROW(validate(*schema)) << name;
    EXPECT_FALSE(schema->summary.empty()) << name;
    EXPECT_FALSE(schema->example.empty()) << name;
  }
  EXPECT_EQ(builtin_schema("NoSuchOp"), nullptr);
}

}  // namespace
}  // namespace opyard
