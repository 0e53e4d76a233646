// Registers an override of any operator, with all its forms.
#pragma once

#include <override/boxed_server.h>
#include <override/condition.h>

#include <memory>
#include <string>

namespace opyard {

/// Where an override stands, and when it serves. The cheapest part of the condition is asked first.
struct OverrideRequest {
  std::string op;  // `aten::relu`
  std::string overload;
  std::string key;  // `CPU`
  std::string name;
  Condition condition;
  std::string expression;  // ArgumentExpression; empty: none
  bool all_forms = true;   // its in-place and out= forms too, where `op` is a functional one
};

/// Throws as point_at, ConditionProgram and ArgumentExpression do; then nothing is registered.
OverrideHandle override_boxed(const OverrideRequest& request, std::shared_ptr<const BoxedServer> server);

}  // namespace opyard
