#include <error/nearest_name.h>
#include <opyard/error.h>
#include <python/call_arguments.h>
#include <torch/csrc/autograd/python_variable.h>

#include <algorithm>

namespace opyard::python {
namespace py = pybind11;

namespace {

using Kind = SignatureError::Kind;

std::string text_of(PyObject* object) {
  const char* text = PyUnicode_AsUTF8(object);
  return text == nullptr ? "?" : text;
}

std::string inputs_text(const Signature& signature) {
  std::string text;
  for (const auto& input : signature.inputs())
    text += (text.empty() ? "" : ", ") + input.name + (input.optional ? "?" : "");
  return "(" + text + ")";
}

[[noreturn]] void fail(const Signature& signature, std::string summary, std::string argument, std::string expected,
                       std::string got) {
  throw SignatureError(Kind::kType, std::move(summary),
                       {.op = signature.op(),
                        .argument = std::move(argument),
                        .expected = std::move(expected),
                        .got = std::move(got),
                        .declared_at = signature.declared_at()});
}

}  // namespace

inline void CallArguments::set(std::size_t i, PyObject* object) {
  if (object == Py_None) return;
  objects[i] = object;
  if (THPVariable_CheckTypeExact(Py_TYPE(object))) [[likely]]
    tensors[i] = &THPVariable_Unpack(object);
  else
    plain = false;
}

bool CallArguments::place(const OperatorFacts& facts, PyObject* name, PyObject* object) {
  for (std::size_t i = 0; i < facts.names.size(); ++i) {
    if (facts.names[i] != name && PyUnicode_Compare(facts.names[i], name) != 0) continue;
    if (objects[i] != nullptr) return false;
    set(i, object);
    return true;
  }
  return false;
}

bool CallArguments::read(const OperatorFacts& facts, PyObject* const* args, std::size_t positional, PyObject* names) {
  const std::size_t count = facts.names.size();
  if (positional > count) return false;
  std::fill_n(objects, count, nullptr);
  std::fill_n(tensors, count, nullptr);
  for (std::size_t i = 0; i < positional; ++i) set(i, args[i]);
  if (names != nullptr) {
    const Py_ssize_t given = PyTuple_GET_SIZE(names);
    for (Py_ssize_t i = 0; i < given; ++i) {
      PyObject* name = PyTuple_GET_ITEM(names, i);
      const bool twice = std::any_of(facts.names.begin(), facts.names.begin() + static_cast<std::ptrdiff_t>(positional),
                                     [&](PyObject* known) { return PyUnicode_Compare(known, name) == 0; });
      if (twice || !place(facts, name, args[positional + static_cast<std::size_t>(i)])) return false;
    }
  }
  return true;
}

CallArguments read_arguments(const OperatorFacts& facts, const py::tuple& args, const py::dict& kwargs) {
  std::vector<PyObject*> objects;
  for (const auto& arg : args) objects.push_back(arg.ptr());
  py::list names;
  for (const auto& item : kwargs) {
    names.append(item.first);
    objects.push_back(item.second.ptr());
  }
  const py::tuple name_tuple(names);
  CallArguments arguments;
  if (!arguments.read(facts, objects.data(), args.size(), name_tuple.ptr()))
    fail_arguments(facts, objects.data(), args.size(), name_tuple.ptr());
  for (std::size_t i = 0; i < facts.names.size(); ++i)
    if (arguments.objects[i] != nullptr && arguments.tensors[i] == nullptr)
      fail_no_tensor(facts, i, arguments.objects[i]);
  return arguments;
}

void fail_arguments(const OperatorFacts& facts, PyObject* const* args, std::size_t positional, PyObject* names) {
  const Signature& signature = *facts.signature;
  if (positional > facts.names.size())
    fail(signature, "a call gives too many arguments", "", inputs_text(signature),
         std::to_string(positional) + " by position");
  std::vector<std::string> known;
  for (const auto& input : signature.inputs()) known.push_back(input.name);
  for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
    const std::string name = text_of(PyTuple_GET_ITEM(names, i));
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end())
      fail(signature, "a call gives an unknown argument", name, inputs_text(signature) + nearest_name(name, known),
           name);
    if (found - known.begin() < static_cast<std::ptrdiff_t>(positional))
      fail(signature, "a call gives an argument twice", name, "it once", "it by position and by name");
  }
  fail(signature, "a call's arguments do not fit", "", inputs_text(signature),
       std::to_string(positional) + " by position");
}

void fail_no_tensor(const OperatorFacts& facts, std::size_t i, PyObject* object) {
  const auto& input = facts.signature->inputs()[i];
  fail(*facts.signature, "an argument is no tensor", input.name,
       input.optional ? "a torch.Tensor or None" : "a torch.Tensor", Py_TYPE(object)->tp_name);
}

}  // namespace opyard::python
