// The forms of an operator beside its functional one, and how an override of the functional form serves them.
#pragma once

#include <override/boxed_server.h>

#include <memory>
#include <vector>

namespace opyard {

enum class Form : std::uint8_t {
  kInPlace,  // `add_.Tensor`: the first argument is written and returned
  kOut,      // `add.out`: the results are written into arguments that follow the others
};

struct FormOperator {
  c10::OperatorHandle op;
  Form form;
};

/// Those that have kernels of their own at the key: the others call the functional form themselves. Empty when `op` is
/// no functional form.
std::vector<FormOperator> other_forms(const c10::OperatorHandle& op, c10::DispatchKey key);

/// Serves a form by the server of the functional operator: its results are copied. It declines where torch would raise
/// or warn: results of another dtype or device, a size that does not fit, memory that overlaps.
std::shared_ptr<const BoxedServer> serve_form(Form form, c10::OperatorHandle functional,
                                              std::shared_ptr<const BoxedServer> server);

}  // namespace opyard
