#include <registry/fork_lock.h>
#include <select/measured.h>

#include <mutex>

namespace opyard {

MeasuredChoices& MeasuredChoices::process() {
  static auto& instance = *new MeasuredChoices;
  return instance;
}

int MeasuredChoices::band(std::int64_t rows) {
  if (rows <= 1) return 0;
  if (rows <= 4) return 1;
  return rows <= 16 ? 2 : 3;
}

std::string MeasuredChoices::class_of(const CallSpec& call) {
  std::string text = call.device.str();
  for (const auto& [name, facts] : call.inputs())
    text +=
        facts.present ? std::string("|") + dtype_name(facts.dtype) + (facts.contiguous ? "" : "*") : std::string("|-");
  for (const auto& [name, value] : call.params()) text += "|" + name + "=" + to_text(value);
  bool rows = true;
  for (const auto& [name, value] : call.indices()) {
    const auto* dim = value.get_if<std::int64_t>();
    if (dim == nullptr) continue;
    text += "|" + name + (rows ? "~" + std::to_string(band(*dim)) : "=" + std::to_string(*dim));
    rows = false;
  }
  return text;
}

std::optional<std::string> MeasuredChoices::find(const CallSpec& call) const {
  if (!any_.load(std::memory_order_acquire)) return std::nullopt;
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  const auto of_op = choices_.find(call.op());
  if (of_op == choices_.end()) return std::nullopt;
  const auto found = of_op->second.find(class_of(call));
  return found == of_op->second.end() ? std::nullopt : std::optional(found->second);
}

void MeasuredChoices::fix(const CallSpec& call, std::string key) {
  std::string name = class_of(call);
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  choices_[call.op()].emplace(std::move(name), std::move(key));
  any_.store(true, std::memory_order_release);
}

}  // namespace opyard
