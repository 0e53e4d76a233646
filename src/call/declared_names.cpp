#include <call/declared_names.h>
#include <signature/composition.h>

namespace opyard {

DeclaredNames::DeclaredNames(std::shared_ptr<const Signature> signature, const Construction& construction)
    : signature_(std::move(signature)) {
  op = signature_->op();
  for (const auto& input : signature_->inputs()) inputs.push_back(input.name);
  if (!construction.tensors.empty())
    for (std::string& name : construction_tensors(*signature_)) inputs.push_back(std::move(name));
  for (const auto& output : signature_->outputs()) outputs.push_back(output.name);
  for (std::size_t i = 0; i < signature_->params().size(); ++i)
    params.emplace_back(signature_->params()[i].name, construction.params[i]);
}

}  // namespace opyard
