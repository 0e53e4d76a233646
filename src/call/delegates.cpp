#include <call/delegates.h>
#include <call/instance.h>
#include <registry/fork_lock.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>

namespace opyard {

void Delegates::declare(std::vector<std::string> stages) {
  std::lock_guard guard(lock_of(LockRank::kInstances));
  stages_ = std::move(stages);
}

void Delegates::hold(std::string stage, std::shared_ptr<Instance> instance) {
  std::lock_guard guard(lock_of(LockRank::kInstances));
  held_.push_back({std::move(stage), std::move(instance)});
}

std::vector<Delegates::Held> Delegates::held() const {
  std::lock_guard guard(lock_of(LockRank::kInstances));
  return held_;
}

Stages Delegates::no_stages() const {
  std::lock_guard guard(lock_of(LockRank::kInstances));
  Stages stages;
  for (const std::string& stage : stages_) stages.emplace_back(stage, std::vector<CallRecordPtr>());
  return stages;
}

Stages Delegates::file(const std::string& op, const std::vector<CompletedCall>& completed) const {
  Stages stages = no_stages();
  const std::vector<Held> all = held();
  for (const CompletedCall& call : completed) {
    const auto holder =
        std::find_if(all.begin(), all.end(), [&](const Held& held) { return held.instance.get() == call.instance; });
    if (holder == all.end())
      throw std::runtime_error(op + ": its body called " + call.record->spec.op() + " (" + call.key +
                               "), which it does not hold, so the stages of this call would be partial; hold it by "
                               "delegate_for");
    const auto stage =
        std::find_if(stages.begin(), stages.end(), [&](const auto& item) { return item.first == holder->stage; });
    stage->second.push_back(call.record);
  }
  return stages;
}

}  // namespace opyard
