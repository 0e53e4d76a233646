// A catalogue operator as the implementation of an aten operator: its entry's argument map, read once.
#pragma once

#include <call/instance.h>
#include <manifest/node.h>
#include <override/boxed_server.h>
#include <signature/signature.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace opyard {

/// Serves a call where its arguments are what the map allows, its tensors contiguous, its check accepts it, and an
/// implementation is ahead of the general one. Everything else it declines, so that torch's errors stay torch's.
class CatalogueServer final : public BoxedServer {
 public:
  /// `arguments`: the aten operator's entry in the catalogue entry's `aten`. `route`: its number.
  CatalogueServer(std::shared_ptr<const Signature> signature, const Node& arguments, const c10::OperatorHandle& op,
                  std::size_t route);

  Outcome serve(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                torch::jit::Stack& results) const override;

 private:
  struct Fixed {
    std::size_t argument;
    c10::IValue value;
  };
  struct Made {
    std::vector<c10::IValue> values;  // of the arguments that give parameters
    std::shared_ptr<Instance> instance;
  };
  // Above this many combinations of parameters, calls are aten's.
  static constexpr std::size_t kMostInstances = 64;

  void read_argument(const Node& arguments, const c10::Argument& argument, std::size_t number);
  void read_literals(const Node& arguments, const c10::FunctionSchema& schema);
  bool fits(c10::ArrayRef<c10::IValue> arguments, std::vector<const at::Tensor*>& inputs) const;
  bool unread_fit(c10::ArrayRef<c10::IValue> arguments, const at::Tensor& result) const;
  Instance* instance_for(c10::ArrayRef<c10::IValue> arguments) const;
  Instance* find(c10::ArrayRef<c10::IValue> arguments) const;

  std::shared_ptr<const Signature> signature_;
  std::size_t route_;
  std::vector<std::pair<std::size_t, std::size_t>> inputs_;  // argument, input
  std::vector<std::pair<std::size_t, std::string>> params_;  // argument, parameter
  std::vector<std::pair<std::string, Value>> literals_;      // parameter, value
  std::vector<std::size_t> unread_;                          // tensors that have no say
  std::vector<Fixed> fixed_;                                 // the one value an argument may have
  mutable std::array<Made, kMostInstances> made_;            // filled under LockRank::kRoutes, from the front
  mutable std::atomic<std::size_t> count_{0};                // how many of them may be read without it
};

}  // namespace opyard
