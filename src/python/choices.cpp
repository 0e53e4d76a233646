#include <pybind11/stl.h>
#include <python/choices.h>
#include <run/verify.h>
#include <select/choices.h>

namespace opyard::python {
namespace py = pybind11;

namespace {

// Replaces the decisions of this thread or of the process. Each: (kind, operator, implementation).
void set_choices(bool process, const std::vector<std::tuple<std::string, std::string, std::string>>& all, bool verify,
                 bool record, std::map<std::string, std::string> locked) {
  Choices choices;
  for (const auto& [kind, op, implementation] : all)
    choices.all.push_back({kind == "use" ? Choice::Kind::kUse : Choice::Kind::kWithout, op, implementation});
  choices.verify = verify;
  choices.record = record;
  choices.locked = std::move(locked);
  const std::uint32_t number = choices_number(std::move(choices));
  if (process)
    process_choices.store(number);
  else
    set_thread_choices(number);
}

py::tuple differences() {
  std::uint64_t compared = 0;
  py::list rows;
  for (const Difference& d : take_differences(compared))
    rows.append(py::make_tuple(d.op, d.implementation, d.against, d.output, d.call, d.largest, d.allowed));
  return py::make_tuple(compared, rows);
}

}  // namespace

void add_choices(py::module_& module) {
  module.def("set_choices", set_choices);
  module.def("choices_number", [] { return choices_word(this_thread()); });
  module.def("take_differences", differences);
  module.def("recorded_selections", recorded_selections);
  module.def("forget_selections", forget_selections);
}

}  // namespace opyard::python
