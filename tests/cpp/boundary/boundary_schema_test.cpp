// The schemas that the build writes for the built-in operators are those of their declarations, and are read as torch
// reads them.
#include <boundary/boundary_name.h>
#include <boundary/boundary_schema.h>
#include <gtest/gtest.h>
#include <manifest/builtin.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include <sstream>

namespace opyard {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(BoundarySchema, of_a_built_in_operator_is_that_of_its_declaration) {
  const BuiltinTable table = builtin_table();
  ASSERT_GT(table.count, 0u);
  for (std::size_t i = 0; i < table.count; ++i) {
    const auto signature = Signature::compile(builtin_schema(table.entries[i].op));
    std::vector<std::string> declared;
    if (!compile_op_names(*signature).empty())
      for (const Effects& effects : effect_branches(*signature))
        declared.push_back(boundary_schema(*signature, effects));
    EXPECT_EQ(lines_of(table.entries[i].boundaries), declared) << table.entries[i].op;
  }
}

class SchemaText : public testing::TestWithParam<const char*> {};

TEST_P(SchemaText, is_read_as_by_torch) {
  const c10::FunctionSchema read = parse_boundary_schema(GetParam());
  EXPECT_EQ(read, torch::jit::parseSchema(GetParam()));
  EXPECT_EQ(toString(read), toString(torch::jit::parseSchema(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Texts, SchemaText,
                         testing::Values("f(Tensor x, str instance_key) -> Tensor",
                                         "f(Tensor x, Tensor? weight, str instance_key) -> Tensor",
                                         "f(Tensor? x, str instance_key) -> ()",
                                         "f(Tensor x, str instance_key) -> (Tensor, Tensor, Tensor)",
                                         "f(Tensor(a!) x, Tensor(b!)? y, str instance_key) -> ()",
                                         "f(Tensor x, Tensor(a!) y, str instance_key) -> Tensor"));

TEST(BoundarySchema, of_every_built_in_operator_is_read_as_by_torch) {
  const BuiltinTable table = builtin_table();
  for (std::size_t i = 0; i < table.count; ++i)
    for (const std::string& line : lines_of(table.entries[i].boundaries))
      EXPECT_EQ(parse_boundary_schema(line), torch::jit::parseSchema(line)) << line;
}

}  // namespace
}  // namespace opyard
