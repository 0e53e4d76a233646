#include "manifest/validate_values.h"

#include <algorithm>
#include <span>

#include "error/nearest_name.h"
#include "manifest/kind_calls.h"

namespace opyard {
namespace {

using Op = Expression::Op;

/// Parameters, a letter each as in kind_calls.h, with w for a word; the rank of the result, or of the contents asked
/// about: -1 is any.
struct ContentsCall {
  const char* name;
  const char* letters;
  int rank;
};

constexpr ContentsCall kGenerators[] = {{"as_tensor", "s", 1},
                                        {"prefix_sum", "s", 1},
                                        {"exclusive_prefix_sum", "s", 1},
                                        {"chunk_offsets", "si", 1},
                                        {"chunk_indices", "si", 2},
                                        {"token_indices", "s", 2},
                                        {"packed_positions", "s", 1},
                                        {"full", "si", -1},
                                        {"key_windows", "siim", 1},
                                        {"sample_indices", "ii", 1},
                                        {"topk_ids", "iii", 2},
                                        {"random_ids", "iii", 2},
                                        {"paged_block_table", "iii", 2},
                                        {"nsa_block_indices", "siii", 3},
                                        {"nsa_block_counts", "iii", 2},
                                        {"causal_topk_indices", "iiiiiii", 4},
                                        {"attn.sparse_topk_positions", "sii", 3},
                                        {"moe.layout_metadata", "lii", 1},
                                        {"moe.masked_routed_metadata", "lii", 1}};

constexpr ContentsCall kPredicates[] = {
    {"prefix_offsets", "i", 1},    {"max_segment", "i", 1},         {"in_range", "ii", -1},
    {"sums_to", "i", 1},           {"exclusive_prefix_of", "s", 1}, {"indices_within", "s", 2},
    {"chunk_offsets_of", "si", 1}, {"attn.paged_fits", "si", 1},    {"moe.layout_valid", "lii", 1}};

const ContentsCall& find_row(std::span<const ContentsCall> rows, const Expression& call, const Text& text,
                             const Place& place) {
  std::vector<std::string> names;
  for (const ContentsCall& row : rows) {
    if (call.is(Op::kCall) && call.text == row.name && call.keywords.empty()) {
      return row;
    }
    names.emplace_back(row.name);
  }
  fail_manifest(place, text.mark, "no such function, or no plain call of it: " + text.text,
                "one call, arguments by position" + nearest_name(call.text, names), call.text);
}

void check_arguments(const ContentsCall& row, const Expression& call, const Text& text, const KindScope& scope,
                     const Place& place) {
  const std::string letters = row.letters;
  if (call.kids.size() != letters.size()) {
    fail_manifest(place, text.mark, std::string(row.name) + " takes another number of arguments: " + text.text,
                  std::to_string(letters.size()), std::to_string(call.kids.size()));
  }
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const Kind kind = infer_kind(call.kids[i], scope, text, place);
    if (!fits(letters[i], kind)) {
      fail_manifest(place, text.at(call.kids[i].offset),
                    "argument " + std::to_string(i + 1) + " of " + row.name + " has the wrong kind: " + text.text, "",
                    to_text(kind));
    }
  }
}

/// A shape in brackets must have that many axes; a family's is compared where a row makes the contents.
bool may_have_rank(const Expression& shape, int rank) {
  const bool spliced =
      std::any_of(shape.kids.begin(), shape.kids.end(), [](const Expression& kid) { return kid.is(Op::kStar); });
  return shape.is(Op::kFamily) || (!spliced && static_cast<int>(shape.kids.size()) == rank);
}

void check_contents_call(const EntryScopes& entry, const TensorDecl& tensor, std::span<const ContentsCall> rows,
                         const Text& text, const KindScope& scope, const std::string& what) {
  const Place place = entry.place(what);
  const Expression call = parse_expression(text, place);
  const ContentsCall& row = find_row(rows, call, text, place);
  check_arguments(row, call, text, scope, place);
  if (tensor.shape.empty()) {
    return;
  }
  if (row.rank >= 0 && !may_have_rank(parse_shape(tensor.shape, place), row.rank)) {
    fail_manifest(place, text.mark, std::string(row.name) + " is about another rank: " + text.text,
                  "a shape of " + std::to_string(row.rank) + " axes", tensor.shape.text);
  }
}

void check_integers(const EntryScopes& entry, const TensorDecl& tensor, const std::string& what) {
  const auto declared = entry.shapes.names.find(tensor.dtype.text);
  const std::set<std::string> dtypes =
      declared == entry.shapes.names.end() ? std::set<std::string>{tensor.dtype.text} : declared->second.members;
  for (const std::string& dtype : dtypes) {
    if (dtype != "int32" && dtype != "int64") {
      fail_manifest(entry.place(what), tensor.dtype.mark, "a tensor with values holds integers", "int32 or int64",
                    dtype);
    }
  }
}

}  // namespace

void validate_values(EntryScopes& entry) {
  KindScope requirements = entry.values;
  for (const auto* tensors : {&entry.schema.construction_tensors, &entry.schema.inputs}) {
    for (const TensorDecl& tensor : *tensors) {
      if (!tensor.values.empty()) {
        requirements.names[tensor.name] = seq_kind(int_kind());  // the contents
      }
    }
  }
  for (const auto* tensors : {&entry.schema.construction_tensors, &entry.schema.inputs}) {
    for (const TensorDecl& tensor : *tensors) {
      const std::string what = "tensor '" + tensor.name + "'";
      if (!tensor.values.empty()) {
        entry.faults.gather([&] {
          check_contents_call(entry, tensor, kGenerators, tensor.values, entry.values, what + " values");
          check_integers(entry, tensor, what + " dtype");
        });
      }
      for (const Text& requirement : tensor.requirements) {
        entry.faults.gather(
            [&] { check_contents_call(entry, tensor, kPredicates, requirement, requirements, what + " requires"); });
      }
    }
  }
}

}  // namespace opyard
