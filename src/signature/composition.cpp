#include "signature/composition.h"

#include "signature/program.h"

namespace opyard {

bool is_composite(const Signature& signature) { return !signature.program().schema->composition.is_null(); }

std::vector<std::string> construction_tensors(const Signature& signature) {
  std::vector<std::string> names;
  for (const TensorDecl& tensor : signature.program().schema->construction_tensors) names.push_back(tensor.name);
  return names;
}

}  // namespace opyard
