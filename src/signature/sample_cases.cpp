#include "signature/sample_cases.h"

#include <c10/util/accumulate.h>

#include <algorithm>
#include <map>
#include <set>

#include "signature/alternatives.h"
#include "signature/program.h"
#include "signature/sample_drafts.h"
#include "signature/size_edges.h"

namespace opyard {
namespace {

constexpr std::size_t kMostStarts = 4;

std::int64_t elements(const WorkloadCase& call) {
  std::int64_t sum = 0;
  for (const WorkloadTensor& input : call.inputs) {
    sum += input.present ? c10::multiply_integers(input.sizes) : 0;
  }
  return sum;
}

/// Where edges start: of the drafts with equal parameters and optional tensors the largest, since a layout needs room.
std::vector<SampleRow> different_starts(const Signature& signature, std::vector<SampleRow> drafts) {
  std::vector<std::pair<std::int64_t, SampleRow>> starts;
  std::map<std::string, std::size_t> known;
  for (SampleRow& draft : drafts) {
    SampleRow point = draft;
    point.row.indices.clear();
    point.dtypes.clear();
    for (const RowNumber& number : numbers_of(point.row, true)) {
      set_number(point.row, number, 0);  // a size among the parameters makes no other point
    }
    const std::int64_t size = elements(build_case(signature, draft.row, draft.dtypes));
    const auto [found, is_new] = known.emplace(content_text(signature, point), starts.size());
    if (is_new && starts.size() < kMostStarts) {
      starts.emplace_back(size, std::move(draft));
    } else if (found->second < starts.size() && size > starts[found->second].first) {
      starts[found->second] = {size, std::move(draft)};
    }
  }
  std::vector<SampleRow> rows;
  for (auto& [size, draft] : starts) {
    rows.push_back(std::move(draft));
  }
  return rows;
}

class EdgeCases {
 public:
  EdgeCases(const Signature& signature, const SampleRequest& request)
      : signature_(signature), rows_(plain_rows(signature)), with_params_(!request.params) {
    SampleRequest small = request;
    small.small = true;
    starts_ = different_starts(signature, sample_drafts(signature, rows_, small));
  }

  std::vector<SampleCase> run() {
    for (const SampleRow& start : starts_) {
      seen_.insert(content_text(signature_, start));  // a sample, not an edge
    }
    for (const SampleRow& draft : point_drafts(signature_, rows_, starts_, with_params_)) {
      add(draft, "");
    }
    for (const SampleRow& start : starts_) {
      for (const SampleRow& draft : size_edges(signature_, rows_, start, with_params_)) {
        add(draft, start.label + " ");
      }
      add_layouts(start);
    }
    return std::move(cases_);
  }

 private:
  void add(const SampleRow& draft, const std::string& prefix) {
    if (!seen_.insert(content_text(signature_, draft)).second) {
      return;
    }
    if (auto call = try_case(signature_, draft)) {
      cases_.push_back({prefix + draft.label, std::move(*call)});
    }
  }

  void add_layouts(const SampleRow& start) {
    const auto call = try_case(signature_, start);
    for (const Layout layout : {Layout::kStrided, Layout::kTransposed, Layout::kExpanded, Layout::kOffset}) {
      bool all = true;
      for (std::size_t i = 0; i < call->inputs.size(); ++i) {
        const WorkloadTensor& input = call->inputs[i];
        if (!input.present) {
          continue;
        }
        if (may_lie(signature_.program().inputs[i], input, layout)) {
          cases_.push_back({start.label + " " + input.name + " " + layout_name(layout), *call, layout, input.name});
        } else {
          all = false;
        }
      }
      if (all && call->inputs.size() > 1) {
        cases_.push_back({start.label + " all " + layout_name(layout), *call, layout});
      }
    }
  }

  /// Whether the declaration lets the tensor lie so, and it would differ from the plain one.
  static bool may_lie(const TensorProgram& input, const WorkloadTensor& tensor, Layout layout) {
    const bool several = std::any_of(tensor.sizes.begin(), tensor.sizes.end(), [](auto size) { return size > 1; });
    const bool empty = std::any_of(tensor.sizes.begin(), tensor.sizes.end(), [](auto size) { return size == 0; });
    if (layout == Layout::kOffset) {
      return !empty;
    }
    if (input.decl->contiguous || empty || !several) {
      return false;
    }
    if (layout == Layout::kExpanded) {  // repeats values: not where they are demanded, nor where they are written
      return !tensor.contents && input.decl->mutated.empty();
    }
    return layout == Layout::kStrided || tensor.sizes.size() >= 2;
  }

  const Signature& signature_;
  const std::vector<WorkloadRow> rows_;
  const bool with_params_;
  std::vector<SampleRow> starts_;
  std::set<std::string> seen_;
  std::vector<SampleCase> cases_;
};

}  // namespace

std::vector<SampleCase> sample_cases(const Signature& signature, const SampleRequest& request) {
  std::vector<SampleCase> cases;
  for (const SampleRow& draft : sample_drafts(signature, plain_rows(signature), request)) {
    WorkloadCase call = build_case(signature, draft.row, draft.dtypes);
    std::string label = call.id;
    cases.push_back({std::move(label), std::move(call)});
  }
  return cases;
}

std::vector<SampleCase> edge_cases(const Signature& signature, const SampleRequest& request) {
  return EdgeCases(signature, request).run();
}

}  // namespace opyard
