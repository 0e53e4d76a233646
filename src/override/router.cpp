// Installing a kernel without torch's warning, and the errors that a router raises.
#include <c10/util/Exception.h>
#include <opyard/error.h>
#include <override/raise.h>
#include <override/router.h>

namespace opyard {
namespace {

// torch announces the first replaced kernel of a process on stderr; replacing is what a router is for.
class DropReplacementWarning final : public c10::WarningHandler {
 public:
  explicit DropReplacementWarning(c10::WarningHandler* next) : next_(next) {}

  void process(const c10::Warning& warning) override {
    if (warning.msg().find("Overriding a previously registered kernel") == std::string::npos) {
      next_->process(warning);
    }
  }

 private:
  c10::WarningHandler* next_;
};

}  // namespace

std::unique_ptr<torch::Library> install_kernel(const c10::OperatorHandle& op, c10::DispatchKey key,
                                               torch::CppFunction kernel) {
  DropReplacementWarning handler(c10::WarningUtils::get_warning_handler());
  c10::WarningUtils::WarningHandlerGuard guard(&handler);
  const c10::OperatorName& name = op.operator_name();
  const std::string space = name.name.substr(0, name.name.find("::"));
  auto library = std::make_unique<torch::Library>(torch::Library::IMPL, space, key, "opyard's router", 0);
  library->impl(toString(name).c_str(), std::move(kernel));
  return library;
}

void throw_endless_recursion(const std::string& point, const std::string& node) {
  raise(EndlessRecursion(SignatureError::Kind::kValue, "an override calls its own operator without end",
                         {.op = point,
                          .argument = node,
                          .expected = "at most " + std::to_string(kMaxDepth) + " calls inside each other",
                          .got = "one more",
                          .advice = "call another operator in the implementation, or hold an AtenOriginal there"}));
}

void throw_predicate_failed(const std::string& node, const char* what) {
  raise(ContractError(SignatureError::Kind::kValue, "the predicate of an override raised",
                      {.argument = node,
                       .expected = "true or false",
                       .got = what,
                       .advice = "give false for calls that it does not serve"}));
}

}  // namespace opyard
