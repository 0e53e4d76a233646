// The sub-operators that a composite holds, by stage.
#pragma once

#include <record/call_stack.h>

#include <memory>
#include <string>
#include <vector>

namespace opyard {

class Instance;

/// Thread-safe. Holds only grow: a sub-operator lives as long as its composite.
class Delegates {
 public:
  struct Held {
    std::string stage;
    std::shared_ptr<Instance> instance;
  };

  /// The declared stages, before the first call.
  void declare(std::vector<std::string> stages);
  void hold(std::string stage, std::shared_ptr<Instance> instance);

  std::vector<Held> held() const;

  /// Every declared stage, without calls.
  Stages no_stages() const;

  /// Step 7: the completed calls under their stages. Throws std::runtime_error for one of an operator that is not
  /// held, for the record would be partial.
  Stages file(const std::string& op, const std::vector<CompletedCall>& completed) const;

 private:
  // Guarded by LockRank::kInstances.
  std::vector<std::string> stages_;
  std::vector<Held> held_;
};

}  // namespace opyard
