#include "manifest/validator.h"

#include <algorithm>

#include "error/nearest_name.h"
#include "manifest/param_type.h"
#include "manifest/validate_kinds.h"
#include "manifest/validate_own_keys.h"
#include "manifest/validate_rows.h"
#include "manifest/validate_unused.h"
#include "manifest/validate_values.h"

namespace opyard {
namespace {

void check_alias(const Schema& schema, const TensorDecl& output) {
  const Place place = place_in(schema, "output '" + output.name + "'");
  std::vector<std::string> written;
  for (const TensorDecl& input : schema.inputs) {
    if (!input.mutated.empty()) {
      written.push_back(input.name);
    }
  }
  if (std::find(written.begin(), written.end(), output.alias) == written.end()) {
    fail_manifest(place, output.mark, "an alias names an input that is written",
                  "an input with 'mutated'" + nearest_name(output.alias, written), output.alias);
  }
}

void check_outputs(const Schema& schema, Faults& faults) {
  int buffers = 0;
  for (const TensorDecl& output : schema.outputs) {
    buffers += output.buffer ? 1 : 0;
    if (buffers > 1 || (output.buffer && !output.alias.empty())) {
      faults.gather([&] {
        fail_manifest(place_in(schema, "output '" + output.name + "'"), output.mark,
                      "at most one output has a buffer, and that one is no alias");
      });
    }
    if (!output.alias.empty()) {
      faults.gather([&] { check_alias(schema, output); });
    }
  }
}

void check_input_order(const Schema& schema, Faults& faults) {
  bool optional = false;
  bool kw_only = false;
  for (const TensorDecl& input : schema.inputs) {
    const auto require = [&](bool holds, const char* message) {
      faults.gather([&] {
        if (!holds) {
          fail_manifest(place_in(schema, "input '" + input.name + "'"), input.mark, message);
        }
      });
    };
    const bool own_optional = input.optional || !input.present_when.empty();
    const bool is_out = input.name == "out" && input.write_only && input.kw_only;
    require(own_optional || !optional || is_out, "a required input follows an optional one");
    require(input.kw_only || !kw_only, "a positional input follows a keyword-only one");
    require(!input.kw_only || own_optional || is_out, "a keyword-only input is optional");
    require(!input.write_only || input.mutated.text == "True", "write_only needs mutated: true");
    require(input.requirements.empty() || !input.values.empty(), "requires needs values");
    optional = optional || own_optional;
    kw_only = kw_only || input.kw_only;
  }
}

/// `out` is the caller's buffer; only an input that takes that buffer itself may have the name.
void check_out_name(const Schema& schema, Faults& faults) {
  const auto refuse = [&](Mark mark) {
    faults.gather([&] {
      fail_manifest(place_in(schema, "out"), mark, "the name 'out' is the caller's buffer",
                    "a required input that is write_only and kw_only, and that an output aliases");
    });
  };
  for (const TensorDecl& input : schema.inputs) {
    const bool aliased = std::any_of(schema.outputs.begin(), schema.outputs.end(),
                                     [](const TensorDecl& output) { return output.alias == "out"; });
    const bool required = !input.optional && input.present_when.empty();
    if (input.name == "out" && !(required && input.write_only && input.kw_only && aliased)) {
      refuse(input.mark);
    }
  }
  for (const TensorDecl& output : schema.outputs) {
    if (output.name == "out") {
      refuse(output.mark);
    }
  }
  for (const ParamDecl& param : schema.params) {
    if (param.name == "out") {
      refuse(param.type.mark);
    }
  }
}

/// `validate_inputs: true` turns on checks of contents, so it is a Bool.
void check_param(const Schema& schema, const ParamDecl& param) {
  const Place place = place_in(schema, "parameter '" + param.name + "'");
  if (param.is_tensor) {
    return;
  }
  const ParamType type = parse_param_type(param.type, schema.adts, place);
  if (param.default_value && !convert(type, schema.adts, value_of(*param.default_value))) {
    fail_manifest(place, param.default_value->mark, "the default is not of the parameter's type", param.type.text,
                  to_text(*param.default_value));
  }
  if (param.name == "validate_inputs" && !type.is_bool()) {
    fail_manifest(place, param.type.mark, "validate_inputs is a bool", "bool", param.type.text);
  }
}

}  // namespace

void validate(const Schema& schema, Faults& faults) {
  check_outputs(schema, faults);
  check_out_name(schema, faults);
  check_input_order(schema, faults);
  for (const ParamDecl& param : schema.params) {
    if (!faults.is_faulty(param.name)) {
      faults.gather([&] { check_param(schema, param); });
    }
  }
  EntryScopes entry(schema, faults);
  validate_kinds(entry);
  validate_values(entry);
  validate_rows(schema, faults);
  validate_unused(schema, faults);
  validate_own_keys(schema, faults);
}

void validate(const Schema& schema) {
  Faults faults;
  validate(schema, faults);
  faults.throw_first();
}

}  // namespace opyard
