// What makes an out= argument fit to be written, and a result fit to be returned.
#include <ATen/MemoryOverlap.h>
#include <opyard/error.h>
#include <override/out_form.h>

#include <algorithm>
#include <sstream>

namespace opyard {
namespace {

std::string facts_text(c10::IntArrayRef sizes, c10::ScalarType dtype) {
  std::ostringstream text;
  text << c10::toString(dtype) << ' ' << sizes;
  return text.str();
}

}  // namespace

bool expands_to(c10::IntArrayRef from, c10::IntArrayRef to) {
  return from.size() <= to.size() &&
         std::equal(from.rbegin(), from.rend(), to.rbegin(), [](auto a, auto b) { return a == b || a == 1; });
}

bool prepare_out(const at::Tensor& out, const ResultFacts& facts, const at::Tensor* const* inputs, std::size_t count) {
  if (out.scalar_type() != facts.dtype || !out.device().is_cpu() || out.is_conj() || out.is_neg()) {
    return false;
  }
  const bool fits = out.sizes().equals(facts.sizes);
  if (!fits && out.numel() != 0) {
    return false;  // torch resizes it with a warning
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (inputs[i] != nullptr && inputs[i]->storage().is_alias_of(out.storage())) {
      return false;
    }
  }
  if (fits) {
    return out.is_non_overlapping_and_dense() || at::has_internal_overlap(out) == at::MemOverlap::No;
  }
  out.resize_(facts.sizes);
  return true;
}

void check_result(const std::string& name, const at::Tensor& result, const ResultFacts& facts) {
  if (C10_LIKELY(result.defined() && result.scalar_type() == facts.dtype && result.sizes().equals(facts.sizes) &&
                 result.is_contiguous())) {
    return;
  }
  throw ContractError(SignatureError::Kind::kValue, "an override gave another result than its operator",
                      {.argument = name,
                       .expected = facts_text(facts.sizes, facts.dtype) + ", contiguous",
                       .got = result.defined() ? facts_text(result.sizes(), result.scalar_type()) +
                                                     (result.is_contiguous() ? ", contiguous" : ", not contiguous")
                                               : "an undefined tensor",
                       .advice = "correct the override's implementation"});
}

}  // namespace opyard
