#include <build/artefact_store.h>
#include <build/nvrtc.h>
#include <call/warm_up.h>
#include <pybind11/stl.h>
#include <python/op_type.h>
#include <python/value_caster.h>
#include <python/warm_up.h>

namespace opyard::python {
namespace py = pybind11;

namespace {

/// Tensors without memory, from (shape, dtype, device) or None for each input.
class Described {
 public:
  Described(const std::string& op, const py::list& facts) {
    tensors_.reserve(facts.size());
    for (const auto row : facts) tensors_.push_back(row.is_none() ? at::Tensor() : tensor(op, row));
    for (const at::Tensor& tensor : tensors_) inputs_.push_back(tensor.defined() ? &tensor : nullptr);
  }
  const at::Tensor* const* inputs() const { return inputs_.data(); }

 private:
  static at::Tensor tensor(const std::string& op, py::handle facts) {
    const auto row = py::reinterpret_borrow<py::tuple>(facts);
    return without_memory(row[0].cast<std::vector<std::int64_t>>(),
                          to_value(row[1], op, "dtype").get<c10::ScalarType>(),
                          to_value(row[2], op, "device").get<c10::Device>());
  }

  std::vector<at::Tensor> tensors_;
  std::vector<const at::Tensor*> inputs_;
};

py::list stored(bool drop_broken) {
  py::list rows;
  for (const auto& row : ArtefactStore::process().list(drop_broken))
    rows.append(py::make_tuple(row.path.string(), row.bytes, row.whole, row.key));
  return rows;
}

py::dict counts() {
  const StoreCounts counts = ArtefactStore::process().counts();
  py::dict all;
  all["hits"] = counts.hits;
  all["builds"] = counts.builds;
  all["dropped"] = counts.dropped;
  all["unwritten"] = counts.unwritten;
  return all;
}

}  // namespace

void add_warm_up(py::module_& module) {
  module.def("warm_up", [](py::handle op, const py::list& facts) {
    const std::shared_ptr<Instance> instance = instance_of(op);
    const Described call(instance->signature().op(), facts);
    const py::gil_scoped_release released;
    warm_up(*instance, call.inputs());
  });
  module.def("compile_ahead", [](py::handle op, const py::list& facts, const std::string& arch) {
    const std::shared_ptr<Instance> instance = instance_of(op);
    const Described call(instance->signature().op(), facts);
    const py::gil_scoped_release released;
    return compile_ahead(*instance, call.inputs(), arch);
  });
  module.def("compile_cuda",
             [](std::string source, std::string function, const std::string& arch, std::vector<std::string> options) {
               const cuda::Program program = {std::move(source), std::move(function), std::move(options)};
               const auto cubin = [&] {
                 const py::gil_scoped_release released;
                 return cuda::nvrtc_compile(program, arch);
               }();
               return py::make_tuple(cubin.function, py::bytes(cubin.image));
             });
  module.def("stored", stored);
  module.def("store_counts", counts);
  module.def("store_folder", [] { return ArtefactStore::process().folder().string(); });
  module.def("store_refusal", [] { return ArtefactStore::process().refusal(); });
  module.def("clear_store", [] { return ArtefactStore::process().clear(); });
}

}  // namespace opyard::python
