// The binding: vectorcall in, exceptions out, and what a person may ask.
#include <boundary/boundary.h>
#include <python/build_events.h>
#include <python/choices.h>
#include <python/control.h>
#include <python/declaration.h>
#include <python/dsl_compilers.h>
#include <python/infer.h>
#include <python/introspect.h>
#include <python/kernel_type.h>
#include <python/manifest.h>
#include <python/op_type.h>
#include <python/overrides.h>
#include <python/samples.h>
#include <python/stub.h>
#include <python/targets.h>
#include <python/translate_error.h>
#include <python/tuning.h>
#include <python/warm_up.h>

PYBIND11_MODULE(_C, module) {
  opyard::python::register_translator();
  opyard::python::add_op_type(module);
  opyard::python::add_introspection(module);
  opyard::python::add_control(module);
  opyard::python::add_infer(module);
  opyard::python::add_manifest(module);
  opyard::python::add_declaration(module);
  opyard::python::add_samples(module);
  opyard::python::add_overrides(module);
  opyard::python::add_stub(module);
  opyard::python::add_targets(module);
  opyard::python::add_kernel_types(module);
  opyard::python::add_choices(module);
  opyard::python::add_build_events(module);
  opyard::python::add_dsl_compilers();
  opyard::python::add_warm_up(module);
  opyard::python::add_tuning(module);
  opyard::define_boundaries(opyard::Registry::process());
}
