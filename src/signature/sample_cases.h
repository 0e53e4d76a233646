// Calls drawn from an entry: its workloads at test size, their edges, and random ones.
#pragma once

#include "signature/sample_tensor.h"

namespace opyard {

/// What the samples are asked to be.
struct SampleRequest {
  bool small = true;                              // rows shrunk to test size
  std::optional<c10::ScalarType> dtype;           // of the leading DType index, or of a dtype parameter
  std::optional<std::vector<NamedValue>> params;  // held: those of an instance
};

struct SampleCase {
  std::string label;
  WorkloadCase call;
  Layout layout = Layout::kPlain;
  std::string laid_out;  // the tensor that lies so; empty: all of them
};

/// The dtypes that the leading DType index may have, in torch's order; without such an index those of the first dtype
/// parameter; empty where the declaration leaves no choice.
std::vector<c10::ScalarType> sample_dtypes(const Signature& signature);

/// The entry's rows, no call twice.
std::vector<SampleCase> sample_cases(const Signature& signature, const SampleRequest& request);

/// Sizes of 0, 1 and odd ones; ranks and broadcasts; absent and present; every bool and enum; strided, transposed,
/// expanded and offset tensors. What the declaration forbids is left out.
std::vector<SampleCase> edge_cases(const Signature& signature, const SampleRequest& request);

/// Up to `count` different calls with random small sizes, parameters and dtypes, as `seed` decides.
std::vector<SampleCase> random_cases(const Signature& signature, std::size_t count, std::uint64_t seed);

}  // namespace opyard
