// Signatures of small entries written in a test.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "manifest/builtin.h"
#include "manifest/reader.h"
#include "signature/signature.h"

namespace opyard {

/// The signature whose YAML (the value of the key `signature`) is given.
inline std::shared_ptr<const Signature> signature_of(const std::string& signature) {
  EntryText text{"Op", "f.yaml", parse_yaml("{family: f, signature: " + signature + "}", "f.yaml"), Node{}};
  return Signature::compile(read_entry(text, false));
}

inline std::shared_ptr<const Signature> builtin_signature(const char* op) {
  return Signature::compile(builtin_schema(op));
}

/// Pointers to tensors; an undefined tensor is an absent one.
class Inputs {
 public:
  Inputs(std::initializer_list<at::Tensor> tensors) : tensors_(tensors) {
    for (const at::Tensor& tensor : tensors_) {
      pointers_.push_back(tensor.defined() ? &tensor : nullptr);
    }
  }
  const at::Tensor* const* data() const { return pointers_.data(); }

 private:
  std::vector<at::Tensor> tensors_;
  std::vector<const at::Tensor*> pointers_;
};

/// A solved index of a call, as text; "" when it has none.
inline std::string index_text(const Signature& signature, const Construction& construction, const Inputs& inputs,
                              const std::string& name) {
  const auto call = signature.check(construction, inputs.data());
  for (const auto& [index, value] : signature.named_indices(call.index_words)) {
    if (index == name) {
      return to_text(value);
    }
  }
  return "";
}

}  // namespace opyard
