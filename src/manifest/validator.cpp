#include "manifest/validator.h"

#include <algorithm>

#include "manifest/param_type.h"
#include "manifest/validate_kinds.h"
#include "manifest/validate_rows.h"

namespace opyard {
namespace {

void check_outputs(const Schema& schema) {
  int buffers = 0;
  for (const TensorDecl& output : schema.outputs) {
    const Place place = place_in(schema, "output '" + output.name + "'");
    buffers += output.buffer ? 1 : 0;
    if (buffers > 1 || (output.buffer && !output.alias.empty())) {
      fail_manifest(place, output.mark, "at most one output has a buffer, and that one is no alias");
    }
    if (output.alias.empty()) {
      continue;
    }
    const auto input = std::find_if(schema.inputs.begin(), schema.inputs.end(),
                                    [&](const TensorDecl& candidate) { return candidate.name == output.alias; });
    if (input == schema.inputs.end() || input->mutated.empty()) {
      fail_manifest(place, output.mark, "an alias names an input that is written", "", output.alias);
    }
  }
}

void check_input_order(const Schema& schema) {
  bool optional = false;
  bool kw_only = false;
  for (const TensorDecl& input : schema.inputs) {
    const Place place = place_in(schema, "input '" + input.name + "'");
    const bool own_optional = input.optional || !input.present_when.empty();
    const bool is_out = input.name == "out" && input.write_only && input.kw_only;
    if (!own_optional && optional && !is_out) {
      fail_manifest(place, input.mark, "a required input follows an optional one");
    }
    if (!input.kw_only && kw_only) {
      fail_manifest(place, input.mark, "a positional input follows a keyword-only one");
    }
    if (input.kw_only && !own_optional && !is_out) {
      fail_manifest(place, input.mark, "a keyword-only input is optional");
    }
    if (input.write_only && input.mutated.text != "True") {
      fail_manifest(place, input.mark, "write_only needs mutated: true");
    }
    if (!input.requirements.empty() && input.values.empty()) {
      fail_manifest(place, input.mark, "requires needs values");
    }
    optional = optional || own_optional;
    kw_only = kw_only || input.kw_only;
  }
}

/// `out` is the caller's buffer; only an input that takes that buffer itself may have the name.
void check_out_name(const Schema& schema) {
  const auto refuse = [&](Mark mark) {
    fail_manifest(place_in(schema, "out"), mark, "the name 'out' is the caller's buffer",
                  "a required input that is write_only and kw_only, and that an output aliases");
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

}  // namespace

void validate(const Schema& schema) {
  check_outputs(schema);
  check_out_name(schema);
  check_input_order(schema);
  for (const ParamDecl& param : schema.params) {
    const Place place = place_in(schema, "parameter '" + param.name + "'");
    if (param.is_tensor) {
      continue;
    }
    const ParamType type = parse_param_type(param.type, schema.adts, place);
    if (param.default_value && !convert(type, schema.adts, value_of(*param.default_value))) {
      fail_manifest(place, param.default_value->mark, "the default is not of the parameter's type", param.type.text,
                    to_text(*param.default_value));
    }
  }
  validate_kinds(schema);
  validate_rows(schema);
}

}  // namespace opyard
