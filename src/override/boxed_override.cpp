#include <override/boxed_override.h>
#include <override/form.h>
#include <override/guarded_server.h>
#include <override/point_table.h>

namespace opyard {

OverrideHandle override_boxed(const OverrideRequest& request, std::shared_ptr<const BoxedServer> server) {
  OverridePoint& point = point_at(request.op, request.overload, request.key);
  const c10::OperatorHandle& op = point.op();
  ConditionProgram program(request.condition, op.schema());
  if (!request.expression.empty()) {
    server = std::make_shared<const GuardedServer>(ArgumentExpression(request.expression, op.schema()), server);
  }
  OverrideHandle handle = point.add_boxed(request.name, std::move(program), server);
  if (request.all_forms) {
    for (const FormOperator& other : other_forms(op, point.key())) {
      const c10::OperatorName& name = other.op.operator_name();
      handle.merge(point_at(name.name, name.overload_name, request.key)
                       .add_boxed(request.name, ConditionProgram(request.condition, other.op.schema()),
                                  serve_form(other.form, op, server)));
    }
  }
  return handle;
}

}  // namespace opyard
