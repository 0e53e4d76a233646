#include "signature/workload_coverage.h"

#include <algorithm>

#include "signature/plan_builder.h"

namespace opyard {
namespace {

/// Whether a rule about this tensor alone forbids to pass it.
bool is_never_passed(const Signature::Program& program, std::int32_t number) {
  const TensorProgram& tensor = program.inputs[number];
  Point point = decode_point(program, 0, true);
  point.inputs[number] = 1;
  const Folder folder(program, point);
  return std::any_of(program.rules.begin(), program.rules.end(), [&](const Declared& rule) {
    bool about_it_alone = true;
    for_each_name(rule.expression,
                  [&](const std::string& name) { about_it_alone = about_it_alone && name == tensor.decl->name; });
    return about_it_alone && folder.decide(rule) == false;
  });
}

}  // namespace

void check_coverage(const Signature::Program& program, const std::vector<WorkloadRow>& rows, Faults& faults) {
  const Schema& schema = *program.schema;
  for (const Discriminant& axis : program.discriminants) {
    if (axis.kind != Discriminant::Kind::kTensor || is_never_passed(program, axis.number)) {
      continue;
    }
    const std::string& tensor = program.inputs[axis.number].decl->name;
    const auto passed = std::count_if(rows.begin(), rows.end(), [&](const WorkloadRow& row) {
      return std::count(row.some.begin(), row.some.end(), tensor) > 0;
    });
    if (passed == 0 || passed == static_cast<std::ptrdiff_t>(rows.size())) {
      faults.gather([&] {
        fail_manifest(place_in(schema, "workloads"), schema.workloads.mark,
                      "an optional tensor is passed in some row and omitted in another", tensor,
                      passed == 0 ? "no row passes it" : "every row passes it", "name it in 'some' of a row");
      });
    }
  }
}

}  // namespace opyard
