// Random calls: drafts changed at random, kept where the declaration accepts them.
#include <algorithm>
#include <random>
#include <set>

#include "signature/alternatives.h"
#include "signature/complete_row.h"
#include "signature/program.h"
#include "signature/sample_cases.h"
#include "signature/sample_drafts.h"

namespace opyard {
namespace {

constexpr int kTriesForOne = 24;

class RandomDraft {
 public:
  RandomDraft(const Signature& signature, const std::vector<WorkloadRow>& rows, std::mt19937_64& engine)
      : signature_(signature), program_(signature.program()), rows_(rows), engine_(engine) {}

  SampleRow change(SampleRow draft) {
    for (std::size_t i = 0; i < program_.param_types.size(); ++i) {
      change_param(draft, i);
    }
    for (const Discriminant& axis : program_.discriminants) {
      if (axis.kind == Discriminant::Kind::kTensor && one_in(2)) {
        toggle(draft.row.some, program_.inputs[static_cast<std::size_t>(axis.number)].decl->name);
      }
    }
    for (auto& [name, value] : draft.row.indices) {
      change_index(draft, program_.index(name)->kind, value);
    }
    change_dtypes(draft);
    return draft;
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  bool one_in(std::uint64_t chances) { return below(chances) == 0; }
  std::int64_t size() { return one_in(12) ? 0 : static_cast<std::int64_t>(1 + below(6)); }

  static void toggle(std::vector<std::string>& some, const std::string& name) {
    const auto found = std::find(some.begin(), some.end(), name);
    if (found == some.end()) {
      some.push_back(name);
    } else {
      some.erase(found);
    }
  }

  void change_param(SampleRow& draft, std::size_t number) {
    const std::vector<Value> values = alternatives(signature_, rows_, number);
    if (!values.empty() && one_in(2)) {
      set_value(draft.row.params, program_.schema->params[number].name, values[below(values.size())]);
    }
  }

  void change_index(const SampleRow& draft, IndexKind kind, Value& value) {
    if (kind == IndexKind::kDim) {
      value = one_in(3) ? value : Value(size());
      return;
    }
    if (kind == IndexKind::kShape && one_in(2)) {
      if (const Sequence* other = some_shape(draft)) {
        value = broadcast_part(*other);
        return;
      }
    }
    Sequence items;
    for (std::uint64_t rank = below(kind == IndexKind::kShape ? 5 : 4); rank > 0; --rank) {
      items.emplace_back(size());
    }
    if (kind == IndexKind::kShape || !one_in(2)) {
      value = std::move(items);
    }
  }

  /// A shape of the draft: what broadcasts with it is likelier to be accepted than what has nothing to do with it.
  const Sequence* some_shape(const SampleRow& draft) {
    const auto& [name, value] = draft.row.indices[below(draft.row.indices.size())];
    return program_.index(name)->kind == IndexKind::kShape ? value.get_if<Sequence>() : nullptr;
  }

  Sequence broadcast_part(const Sequence& shape) {
    const std::uint64_t dropped = one_in(2) ? 0 : below(shape.size() + 1);
    Sequence part(shape.begin() + static_cast<std::ptrdiff_t>(dropped), shape.end());
    for (Value& item : part) {
      item = one_in(4) ? Value(1) : item;
    }
    return part;
  }

  void change_dtypes(SampleRow& draft) {
    for (auto& [index, dtype] : draft.dtypes) {
      const std::uint64_t allowed = program_.index(index)->dtypes;
      for (int tries = 0; tries < 64 && !one_in(3); ++tries) {
        const auto type = static_cast<c10::ScalarType>(below(static_cast<std::uint64_t>(c10::ScalarType::NumOptions)));
        if ((allowed >> static_cast<int>(type) & 1) != 0) {
          dtype = dtype_name(type);
        }
      }
    }
  }

  const Signature& signature_;
  const Signature::Program& program_;
  const std::vector<WorkloadRow>& rows_;
  std::mt19937_64& engine_;
};

}  // namespace

std::vector<SampleCase> random_cases(const Signature& signature, std::size_t count, std::uint64_t seed) {
  const std::vector<WorkloadRow> rows = plain_rows(signature);
  const std::vector<SampleRow> starts = sample_drafts(signature, rows, {});
  std::vector<SampleCase> cases;
  std::set<std::string> seen;
  std::mt19937_64 engine(seed);
  RandomDraft random(signature, rows, engine);
  for (std::size_t tried = 0; !starts.empty() && cases.size() < count && tried < count * kTriesForOne; ++tried) {
    const auto draft = complete(signature, rows, random.change(starts[engine() % starts.size()]));
    if (draft && seen.insert(content_text(signature, *draft)).second) {
      cases.push_back({"random " + std::to_string(cases.size()), build_case(signature, draft->row, draft->dtypes)});
    }
  }
  return cases;
}

}  // namespace opyard
