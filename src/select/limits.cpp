#include <opyard/error.h>
#include <registry/thread_state.h>
#include <select/choices.h>
#include <select/limits.h>

#include <algorithm>

namespace opyard {
namespace {

template <class Items, class Text>
std::string join(const Items& items, Text text_of) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + std::string(text_of(item));
  return text;
}

template <class Items, class Item>
bool contains(const Items& items, const Item& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

const TensorFacts* first_present(const CallSpec& call) {
  for (const TensorFacts& facts : call.inputs().facts())
    if (facts.present) return &facts;
  return nullptr;
}

bool runs_on_device(const Implementation& implementation, const CallSpec& call) {
  return contains(implementation.devices, call.device.type());
}

bool runs_on_arch(const Implementation& implementation, const CallSpec& call) {
  return !implementation.supported_archs || contains(*implementation.supported_archs, call.arch);
}

bool takes_dtype(const Implementation& implementation, const CallSpec& call) {
  if (implementation.dtypes.empty()) return true;
  const TensorFacts* first = first_present(call);
  return first == nullptr || contains(implementation.dtypes, first->dtype);
}

bool is_opaque(const TensorFacts& facts) { return facts.present && facts.layout != c10::Layout::Strided; }

bool takes_layouts(const Implementation& implementation, const CallSpec& call) {
  const auto inputs = call.inputs().facts();
  return implementation.opaque_inputs || std::none_of(inputs.begin(), inputs.end(), is_opaque);
}

std::string device_text(const Implementation& implementation, const CallSpec& call) {
  const auto name = [](c10::DeviceType device) { return c10::DeviceTypeName(device, true); };
  return "runs on " + join(implementation.devices, name) + ", not on " + call.device.str();
}

std::string arch_text(const Implementation& implementation, const CallSpec& call) {
  const auto name = [](int arch) { return std::to_string(arch); };
  return "needs architecture " + join(*implementation.supported_archs, name) + ", the device has " +
         std::to_string(call.arch);
}

std::string dtype_text(const Implementation& implementation, const CallSpec& call) {
  for (const auto& [name, facts] : call.inputs())
    if (facts.present)
      return name + " is " + dtype_name(facts.dtype) + ", serves " + join(implementation.dtypes, dtype_name);
  return {};
}

std::string layout_text(const CallSpec& call) {
  for (const auto& [name, facts] : call.inputs())
    if (is_opaque(facts)) return name + " is an opaque tensor of oneDNN's; a strided one is needed";
  return {};
}

Refusal own_refusal(const Implementation& implementation, const CallSpec& call) {
  if (!implementation.refusal) return std::nullopt;
  try {
    return implementation.refusal(call);
  } catch (const std::exception& e) {
    if (this_thread().interrupted) throw;  // the user's, not the implementation's
    throw ContractError(SignatureError::Kind::kValue, "an implementation's refusal raised",
                        {.op = implementation.op,
                         .argument = "implementation " + implementation.key,
                         .expected = "a sentence or nothing",
                         .got = e.what()});
  }
}

}  // namespace

bool serves(const Implementation& implementation, const CallSpec& call) {
  return runs_on_device(implementation, call) && runs_on_arch(implementation, call) &&
         !choices_refusal(implementation, call) && takes_dtype(implementation, call) &&
         takes_layouts(implementation, call) && !own_refusal(implementation, call);
}

Refusal refusal_of(const Implementation& implementation, const CallSpec& call) {
  if (!runs_on_device(implementation, call)) return device_text(implementation, call);
  if (!runs_on_arch(implementation, call)) return arch_text(implementation, call);
  if (Refusal refusal = choices_refusal(implementation, call)) return refusal;
  if (!takes_dtype(implementation, call)) return dtype_text(implementation, call);
  if (!takes_layouts(implementation, call)) return layout_text(call);
  return own_refusal(implementation, call);
}

}  // namespace opyard
