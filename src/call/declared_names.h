// The names and parameters that the calls of one instance spec share.
#pragma once

#include <opyard/call_spec.h>
#include <signature/signature.h>

namespace opyard {

class DeclaredNames final : public CallNames {
 public:
  DeclaredNames(std::shared_ptr<const Signature> signature, const Construction& construction);
  std::vector<NamedValue> indices(c10::ArrayRef<std::int64_t> words) const override {
    return signature_->named_indices(words);
  }

 private:
  std::shared_ptr<const Signature> signature_;
};

}  // namespace opyard
