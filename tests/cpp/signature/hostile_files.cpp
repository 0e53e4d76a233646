#include "hostile_files.h"

namespace opyard {
namespace {

std::string repeated(const std::string& piece, int count) {
  std::string text;
  text.reserve(piece.size() * static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    text += piece;
  }
  return text;
}

/// `piece` with each # replaced by 0, 1, 2, … and each @ by the number that follows.
std::string numbered(const std::string& piece, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    for (const char c : piece) {
      text += c == '#' ? std::to_string(i) : c == '@' ? std::to_string(i + 1) : std::string(1, c);
    }
  }
  return text;
}

/// An entry with an input x [N] of float32, and what else its signature declares.
std::string entry(const std::string& rest) {
  return "AOp:\n  family: a\n  signature:\n    forall: {N: Dim, T: 'DType[float32]'}\n"
         "    inputs: {x: {dtype: T, shape: '[N]'}}\n" +
         rest;
}

std::string rule(const std::string& text) { return entry("    shape_rules: ['" + text + "']\n"); }

/// An entry whose one input holds what a generator makes of the row's L.
std::string contents(const std::string& values, const std::string& row) {
  return "AOp:\n  family: a\n  signature:\n    forall: {N: Dim, L: 'Seq[Int]'}\n"
         "    inputs: {x: {dtype: int32, shape: '[N]', values: '" +
         values + "'}}\n  workloads: [{label: a, " + row + "}]\n";
}

std::string families(const std::string& declarations, const std::string& shape) {
  return entry("    types:\n" + declarations + "    outputs: {y: {dtype: T, shape: '" + shape + "'}}\n");
}

std::string family(const std::string& name, const std::string& is) {
  return "      " + name + ": {params: {n: Dim}, match: 'True', cases: [{when: _, is: '" + is + "'}]}\n";
}

std::vector<HostileFile> yaml_files() {
  return {
      {"deep_lists", [] { return "A: " + repeated("[", 1'000'000); }},
      {"deep_mappings", [] { return repeated("{a: ", 500'000); }},
      {"deep_blocks", [] { return repeated("- ", 500'000); }},
      {"deep_indentation",
       [] {
         std::string text;
         for (int i = 0; i < 1000; ++i) {
           text += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
         }
         return text;
       }},
      {"question_marks", [] { return repeated("? ", 500'000); }},
      {"closing_brackets", [] { return "A: " + repeated("]", 1'000'000); }},
      {"doubling_aliases", [] { return "a: &a [x, x]\n" + numbered("b#: &b@ [*a, *a, *a]\n", 5'000); }},
      {"an_alias_of_itself", [] { return "a: &a [*a]\n"; }},
      {"a_merge_of_itself", [] { return "a: &a\n  <<: *a\n"; }},
      {"many_tags", [] { return "A: [" + repeated("!!str x, ", 100'000) + "]"; }},
      {"many_directives", [] { return repeated("%TAG ! tag:a,2000:\n", 50'000) + "--- a\n"; }},
      {"a_long_scalar", [] { return "A: {family: " + std::string(1'500'000, 'x') + "}"; }},
      {"a_long_key", [] { return std::string(1'500'000, 'x') + ": 1\n"; }},
      {"an_open_quote", [] { return "A: '" + std::string(2'000'000, 'x'); }},
      {"escapes", [] { return "A: \"" + repeated("\\x41", 700'000) + "\""; }},
      {"a_long_folded_text", [] { return "A: >\n" + repeated("  x\n", 500'000); }},
      {"a_long_comment", [] { return "# " + std::string(40'000'000, 'x'); }},
      {"many_values", [] { return "A: [" + repeated("1,", 1'500'000) + "1]"; }},
      {"many_keys", [] { return "{" + numbered("k#: 1, ", 100'000) + "}"; }},
      {"many_documents", [] { return repeated("--- a\n", 500'000); }},
      {"bad_utf8", [] { return std::string("A: {family: \xff\xfe}"); }},
      {"overlong_utf8", [] { return std::string("A: {family: \xc0\xaf}"); }},
      {"a_surrogate", [] { return std::string("A: {family: \xed\xa0\x80}"); }},
      {"utf16", [] { return std::string("\xff\xfe") + std::string("A\0:\0 \0b\0", 8); }},
      {"null_bytes", [] { return std::string("A: \0\0\0", 6); }},
      {"control_characters", [] { return std::string("A: {fam\x01ily: \x1b[0m}"); }},
      {"nothing", [] { return std::string(); }},
  };
}

std::vector<HostileFile> expression_files() {
  return {
      {"a_long_expression", [] { return rule("N" + repeated("+N", 700'000) + " > 0"); }},
      {"a_long_sum", [] { return rule("N" + repeated("+N", 7'000) + " > 0"); }},
      {"deep_parentheses", [] { return rule(repeated("(", 8'000) + "N"); }},
      {"many_nots", [] { return rule(repeated("not ", 4'000) + "N"); }},
      {"many_minuses", [] { return rule(repeated("-", 8'000) + "N > 0"); }},
      {"many_attributes", [] { return rule("N" + repeated(".value", 2'000) + " > 0"); }},
      {"deep_conditionals", [] { return rule(repeated("N if N > 0 else ", 900) + "N"); }},
      {"deep_comprehensions", [] { return rule(repeated("all(", 4'000)); }},
      {"a_circle_of_lets", [] { return entry("    let: {a: b, b: c, c: a}\n"); }},
      {"a_long_chain_of_lets", [] { return entry("    let:\n" + numbered("      l#: l@\n", 1'900)); }},
      {"doubling_lets",
       [] {
         return entry("    let:\n" + numbered("      l#: l@ + l@\n", 60) +
                      "      l60: N + N\n    outputs: {y: {dtype: T, shape: '[l0 + undeclared]'}}\n");
       }},
      {"a_circle_of_families", [] { return families(family("F", "G[n]") + family("G", "F[n]"), "F[N]"); }},
      {"doubling_families",
       [] { return families(numbered(family("F#", "F@[n + n + n + n]"), 14) + family("F14", "[n]"), "F0[N]"); }},
      {"many_choices",
       [] {
         return entry("    params: {" + numbered("p#: {type: bool}, ", 40) + "}\n    shape_rules: ['p0" +
                      numbered(" or p@", 39) + "']\n");
       }},
      {"endless_contents", [] { return contents("packed_positions(L)", "L: [1000000000000]"); }},
      {"endless_repeat", [] { return contents("as_tensor(L)", "L: 'repeat(1, 1000000000000)'"); }},
      {"endless_balance", [] { return contents("as_tensor(L)", "L: 'balanced_sizes(5, 1000000000000)'"); }},
      {"a_tensor_beyond_memory",
       [] {
         return entry(
             "    outputs: {y: {dtype: T, shape: '[N]'}}\n  workloads: [{label: a, N: 4611686018427387904, "
             "dtype_cases: [{T: float32}]}]\n");
       }},
      {"negative_contents", [] { return contents("packed_positions(L)", "L: [-9223372036854775808]"); }},
  };
}

}  // namespace

std::vector<HostileFile> hostile_files() {
  std::vector<HostileFile> files = yaml_files();
  for (HostileFile& file : expression_files()) {
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace opyard
