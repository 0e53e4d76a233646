// Scalars as PyYAML's safe loader reads them, and the YAML that a manifest refuses.
#include <gtest/gtest.h>
#include <opyard/error.h>

#include "manifest/node.h"

namespace opyard {
namespace {

struct ScalarCase {
  const char* text;
  Node::Kind kind;
  const char* shown;
};

class Scalar : public testing::TestWithParam<ScalarCase> {};

TEST_P(Scalar, is_read_as_by_pyyaml) {
  const Node node = parse_yaml(std::string("k: ") + GetParam().text, "f.yaml");
  EXPECT_EQ(node.items.at(0).kind, GetParam().kind);
  EXPECT_EQ(to_text(node.items.at(0)), GetParam().shown);
}

using Kind = Node::Kind;
INSTANTIATE_TEST_SUITE_P(
    Scalars, Scalar,
    testing::Values(ScalarCase{"1.0e-6", Kind::kFloat, "1e-06"}, ScalarCase{"1e-6", Kind::kString, "'1e-6'"},
                    ScalarCase{"1.0e6", Kind::kString, "'1.0e6'"}, ScalarCase{"1.", Kind::kFloat, "1.0"},
                    ScalarCase{".5", Kind::kFloat, "0.5"}, ScalarCase{"-.inf", Kind::kFloat, "-inf"},
                    ScalarCase{"+12", Kind::kInt, "12"}, ScalarCase{"1_000", Kind::kInt, "1000"},
                    ScalarCase{"010", Kind::kInt, "8"}, ScalarCase{"0x1F", Kind::kInt, "31"},
                    ScalarCase{"0b101", Kind::kInt, "5"}, ScalarCase{"08", Kind::kString, "'08'"},
                    ScalarCase{"yes", Kind::kBool, "true"}, ScalarCase{"Off", Kind::kBool, "false"},
                    ScalarCase{"y", Kind::kString, "'y'"}, ScalarCase{"~", Kind::kNull, "null"},
                    ScalarCase{"", Kind::kNull, "null"}, ScalarCase{"'2'", Kind::kString, "'2'"},
                    ScalarCase{"\"null\"", Kind::kString, "'null'"}, ScalarCase{"2d", Kind::kString, "'2d'"},
                    ScalarCase{"float16 | None", Kind::kString, "'float16 | None'"}));

struct RefusedCase {
  const char* text;
  const char* place;
  const char* reason;
};

class RefusedYaml : public testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedYaml, names_file_line_and_column) {
  try {
    parse_yaml(GetParam().text, "f.yaml");
    FAIL() << "accepted";
  } catch (const ManifestError& error) {
    EXPECT_EQ(error.facts().declared_at, GetParam().place);
    EXPECT_NE(std::string(error.what()).find(GetParam().reason), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Yaml, RefusedYaml,
                         testing::Values(RefusedCase{"a: 1\nb: 2\na: 3", "f.yaml:3:1", "'a' appears twice"},
                                         RefusedCase{"a: &x 1\nb: *x", "f.yaml:1:4", "anchor"},
                                         RefusedCase{"a: !!str 1", "f.yaml:1:4", "tag"},
                                         RefusedCase{"1: a", "f.yaml:1:1", "no string"},
                                         RefusedCase{"a: 2020-01-02", "f.yaml:1:4", "date"},
                                         RefusedCase{"a: 99999999999999999999", "f.yaml:1:4", "64 bits"},
                                         RefusedCase{"a: \"\xff\"", "f.yaml:1:5", "UTF-8"},
                                         RefusedCase{"a: b: c", "f.yaml:1:5", "map"},
                                         RefusedCase{"a: 1\n---\nb: 2", "f.yaml:1:1", "several documents"}));

TEST(Yaml, a_folded_text_becomes_one_line) {
  EXPECT_EQ(parse_yaml("k: >\n  a +\n  b\n", "f.yaml").items.at(0).text, "a + b\n");
}

TEST(Yaml, marks_count_from_one) {
  const Node node = parse_yaml("a:\n  - x\n  - y\n", "f.yaml");
  EXPECT_EQ(node.items.at(0).items.at(1).mark.line, 3);
  EXPECT_EQ(node.items.at(0).items.at(1).mark.column, 5);
}

}  // namespace
}  // namespace opyard
