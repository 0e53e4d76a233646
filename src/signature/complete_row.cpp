#include "signature/complete_row.h"

#include <opyard/error.h>

#include <algorithm>

#include "signature/program.h"
#include "signature/settled_row.h"

namespace opyard {
namespace {

constexpr std::size_t kMostTries = 96;

class Completer {
 public:
  Completer(const Signature& signature, const std::vector<WorkloadRow>& rows, SampleRow sample)
      : signature_(signature), program_(signature.program()), rows_(rows), sample_(std::move(sample)) {}

  std::optional<SampleRow> run() {
    try {
      RowFit fit = fit_row(signature_, sample_.row, sample_.dtypes);
      drop_idle(fit);
      // A sequence settles what its generators make, so it comes before the other indices.
      std::vector<Blank> blanks = dtype_blanks(fit);
      std::vector<Blank> sequences = index_blanks(fit, true);
      if (!sequences.empty()) {
        fill(sequences, std::vector<std::size_t>(sequences.size(), 0));
        fit = fit_row(signature_, sample_.row, sample_.dtypes);
      }
      for (Blank& blank : index_blanks(fit, false)) {
        blanks.push_back(std::move(blank));
      }
      return try_all(blanks);
    } catch (const ManifestError&) {
      return std::nullopt;  // the parameters alone are refused
    }
  }

 private:
  /// An index without a value, and what it may be.
  struct Blank {
    std::string name;
    bool is_dtype = false;
    std::vector<Value> values;
  };

  static bool holds(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  void drop_idle(const RowFit& fit) {
    auto& indices = sample_.row.indices;
    indices.erase(std::remove_if(indices.begin(), indices.end(),
                                 [&](const NamedValue& index) { return holds(fit.idle, index.first); }),
                  indices.end());
    auto& dtypes = sample_.dtypes;
    dtypes.erase(std::remove_if(dtypes.begin(), dtypes.end(),
                                [&](const auto& assignment) { return !holds(fit.dtypes, assignment.first); }),
                 dtypes.end());
  }

  std::vector<Blank> dtype_blanks(const RowFit& fit) const {
    std::vector<Blank> blanks;
    for (const std::string& name : fit.dtypes) {
      const bool given = std::any_of(sample_.dtypes.begin(), sample_.dtypes.end(),
                                     [&](const auto& assignment) { return assignment.first == name; });
      if (given) {
        continue;
      }
      Blank blank{name, true, {}};
      for (const auto& assignment : sample_.dtypes) {
        blank.values.emplace_back(assignment.second);
      }
      for (std::int8_t type = 0; type < static_cast<std::int8_t>(c10::ScalarType::NumOptions); ++type) {
        if ((program_.index(name)->dtypes >> type & 1) != 0) {
          blank.values.emplace_back(dtype_name(static_cast<c10::ScalarType>(type)));
        }
      }
      blanks.push_back(std::move(blank));
    }
    return blanks;
  }

  std::vector<Blank> index_blanks(const RowFit& fit, bool sequences) const {
    std::vector<Blank> blanks;
    for (const std::string& name : fit.missing) {
      const IndexKind kind = program_.index(name)->kind;
      if ((kind == IndexKind::kIntSequence) != sequences) {
        continue;
      }
      Blank blank{name, false, {}};
      for (const WorkloadRow& row : rows_) {
        const Value* value = find_value(row.indices, name);
        if (value != nullptr && blank.values.size() < 3) {
          blank.values.push_back(*value);
        }
      }
      add_small_values(kind, blank.values);
      blanks.push_back(std::move(blank));
    }
    return blanks;
  }

  void add_small_values(IndexKind kind, std::vector<Value>& values) const {
    if (kind == IndexKind::kDim) {
      values.insert(values.end(), {3, 2, 4, 6, 8, 1, 16, 0});
      return;
    }
    if (kind == IndexKind::kShape) {  // one that broadcasts with another is likely to be accepted
      for (const auto& [name, value] : sample_.row.indices) {
        if (value.get_if<Sequence>() != nullptr) {
          values.push_back(value);
        }
      }
    }
    values.insert(values.end(), {Sequence{3}, Sequence{2, 3}, Sequence{4, 2, 3}, Sequence{}, Sequence{1}});
  }

  void fill(const std::vector<Blank>& blanks, const std::vector<std::size_t>& choice) {
    for (std::size_t i = 0; i < blanks.size(); ++i) {
      const Value& value = blanks[i].values[choice[i]];
      if (!blanks[i].is_dtype) {
        set_value(sample_.row.indices, blanks[i].name, value);
        continue;
      }
      auto& dtypes = sample_.dtypes;
      const auto found = std::find_if(dtypes.begin(), dtypes.end(),
                                      [&](const auto& assignment) { return assignment.first == blanks[i].name; });
      if (found == dtypes.end()) {
        dtypes.emplace_back(blanks[i].name, value.get<std::string>());
      } else {
        found->second = value.get<std::string>();
      }
    }
  }

  std::optional<SampleRow> try_all(const std::vector<Blank>& blanks) {
    std::vector<std::size_t> choice(blanks.size(), 0);
    for (std::size_t tried = 0; tried < kMostTries; ++tried) {
      fill(blanks, choice);
      if (try_case(signature_, sample_)) {
        return sample_;
      }
      std::size_t digit = 0;
      while (digit < blanks.size() && ++choice[digit] == blanks[digit].values.size()) {
        choice[digit++] = 0;
      }
      if (digit == blanks.size()) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  const Signature& signature_;
  const Signature::Program& program_;
  const std::vector<WorkloadRow>& rows_;
  SampleRow sample_;
};

}  // namespace

std::optional<SampleRow> complete(const Signature& signature, const std::vector<WorkloadRow>& rows, SampleRow sample) {
  return Completer(signature, rows, std::move(sample)).run();
}

}  // namespace opyard
