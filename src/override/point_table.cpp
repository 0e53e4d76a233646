#include <opyard/error.h>
#include <override/boxed_router.h>
#include <override/matmul_routes.h>
#include <override/point_table.h>
#include <registry/fork_lock.h>
#include <error/nearest_name.h>

#include <mutex>
#include <unordered_map>

namespace opyard {
namespace {

using c10::DispatchKey;

struct Table {
  std::vector<OverridePoint*> points;
  std::unordered_map<std::string, OverridePoint*> by_text;  // OverridePoint::text

  void enter(OverridePoint* point) {
    points.push_back(point);
    by_text.emplace(point->text(), point);
  }
};

// Leaked: torch's table points to the routers until the process is gone. Guarded by the lock of points.
Table& table() {
  static auto& instance = *new Table;
  return instance;
}

ContractError refused(const std::string& op, std::string expected, std::string got, std::string advice) {
  return ContractError(SignatureError::Kind::kValue, "no override can stand there",
                       {.op = op, .expected = std::move(expected), .got = std::move(got), .advice = std::move(advice)});
}

// Keys above the backends are autograd's, autocast's and torch's own layers, through which a call has come already.
const char* why_no_backend(DispatchKey key) {
  if (key == DispatchKey::Meta) {
    return "Meta infers shapes, also those of overrides, and would come back here";
  }
  if (c10::isAliasDispatchKey(key)) {
    return "a composite or alias key stands for many backends, among them Meta";
  }
  switch (c10::toFunctionalityKey(key)) {
    case DispatchKey::Dense:
    case DispatchKey::Quantized:
    case DispatchKey::Sparse:
    case DispatchKey::SparseCsr:
    case DispatchKey::NestedTensor:
      return c10::toBackendComponent(key) == c10::BackendComponent::MetaBit ? "it infers shapes" : nullptr;
    case DispatchKey::MkldnnCPU:
    case DispatchKey::Vulkan:
    case DispatchKey::Metal:
    case DispatchKey::FPGA:
      return nullptr;
    default:
      return "it is a layer above the backends";
  }
}

DispatchKey read_key(const std::string& op, const std::string& key) {
  DispatchKey parsed = DispatchKey::Undefined;
  try {
    parsed = c10::parseDispatchKey(key);
  } catch (const c10::Error&) {
    throw refused(op, "a backend's dispatch key, as CPU or CUDA", "dispatch_key='" + key + "', which torch lacks",
                  "name a backend's key");
  }
  if (const char* reason = why_no_backend(parsed)) {
    throw refused(op, "a backend's dispatch key, as CPU or CUDA", "dispatch_key='" + key + "': " + reason,
                  "name a backend's key");
  }
  return parsed;
}

c10::OperatorHandle find_operator(const std::string& op, const std::string& overload, const std::string& text) {
  if (const auto found = c10::Dispatcher::singleton().findSchema({op, overload})) {
    return *found;
  }
  std::vector<std::string> names;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (name.name.substr(0, name.name.find(':')) == op.substr(0, op.find(':'))) {
      names.push_back(toString(name));
    }
  }
  throw refused(text, "an operator of torch's dispatcher", "no such operator or overload" + nearest_name(text, names),
                "name it as torch's schemas do");
}

// A composite without an own kernel at the key is served through its leaves, gradients included.
void check_leaf(const c10::OperatorHandle& op, DispatchKey key) {
  if (!op.hasKernelForDispatchKey(key) && op.hasKernelForDispatchKey(DispatchKey::CompositeImplicitAutograd)) {
    throw refused(toString(op.operator_name()), "an operator with kernels of its own",
                  "a composite (CompositeImplicitAutograd), whose gradient an override would break",
                  "override the operators that it calls");
  }
}

}  // namespace

OverridePoint& point_at(const std::string& op, const std::string& overload, const std::string& key) {
  const std::string text = overload.empty() ? op : op + "." + overload;
  const DispatchKey dispatch_key = read_key(text, key);
  const c10::OperatorHandle handle = find_operator(op, overload, text);
  check_leaf(handle, dispatch_key);
  make_matmul_routers(handle.operator_name(), dispatch_key);
  std::lock_guard<std::mutex> lock(lock_of(LockRank::kPoints));
  const auto found = table().by_text.find(point_text(handle.operator_name(), dispatch_key));
  if (found != table().by_text.end()) {
    return *found->second;
  }
  std::unique_ptr<OverridePoint> made;
  if (handle.hasComputedKernelForDispatchKey(dispatch_key)) {
    made = make_typed_router(handle.operator_name(), dispatch_key);
  }
  if (made == nullptr) {
    made = std::make_unique<BoxedRouter>(op, overload, dispatch_key);
  }
  table().enter(made.get());
  return *made.release();
}

void enter_point(OverridePoint& point) {
  std::lock_guard<std::mutex> lock(lock_of(LockRank::kPoints));
  table().enter(&point);
}

std::vector<OverridePoint*> points() {
  std::lock_guard<std::mutex> lock(lock_of(LockRank::kPoints));
  return table().points;
}

// An operator of another namespace may be gone once its last kernel is: its router is forgotten, and made anew.
void uninstall_points() {
  for (OverridePoint* point : points()) {
    point->uninstall();
  }
  std::lock_guard<std::mutex> lock(lock_of(LockRank::kPoints));
  std::erase_if(table().by_text, [](const auto& row) { return row.first.rfind("aten::", 0) != 0; });
  table().points.clear();
  for (const auto& [text, point] : table().by_text) {
    table().points.push_back(point);
  }
}

}  // namespace opyard
