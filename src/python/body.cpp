#include <opyard/error.h>
#include <python/body.h>
#include <python/hold.h>
#include <python/tensor_list.h>
#include <record/call_stack.h>

namespace opyard::python {
namespace py = pybind11;

void PythonBody::forward(KernelCall& call) const {
  collect_stages(this_thread());
  with_interpreter([&] {
    if (self_ == nullptr)
      throw SignatureError(SignatureError::Kind::kValue, "the operator instance of this call is gone",
                           {.op = signature_->op(), .advice = "keep the instance while something calls it"});
    const auto self = py::reinterpret_borrow<py::object>(self_);
    Passing passing{{}, signature_->outputs().size(), signature_->op() + ", forward"};
    for (const auto& input : signature_->inputs()) passing.names.push_back(input.name);
    call_with_tensors(self.attr("forward"), passing, call);
  });
}

void PythonBody::reset_binding() noexcept {
  if (!Py_IsInitialized() || _Py_IsFinalizing()) return;
  py::gil_scoped_acquire locked;
  if (self_ == nullptr) return;
  try {
    py::reinterpret_borrow<py::object>(self_).attr("_drop_entries")();
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("opyard: undoing a failed call");
  }
}

}  // namespace opyard::python
