#include <opyard/override.h>
#include <override/boxed_override.h>

namespace opyard {

Registration register_override(Override override) {
  OverrideRequest request;
  request.op = override.op.substr(0, override.op.find('.'));
  if (request.op.size() < override.op.size()) request.overload = override.op.substr(request.op.size() + 1);
  request.key = c10::toString(override.key);
  request.name = override.name;
  request.expression = override.when;
  request.all_forms = override.all_forms;
  auto server = std::make_shared<const BoxedFunctions>(
      request.name, nullptr,
      [serve = std::move(override.serve)](const c10::OperatorHandle&, c10::ArrayRef<c10::IValue> arguments,
                                          torch::jit::Stack& results) { return serve(arguments, results); });
  // Shared, since a Registration's function is copyable and a handle is not.
  auto handle = std::make_shared<OverrideHandle>(override_boxed(request, std::move(server)));
  return Registration([handle] { handle->remove(); });
}

}  // namespace opyard
