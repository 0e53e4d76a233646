// The list of nodes at an operator and dispatch key, and how it is exchanged.
#include <opyard/error.h>
#include <override/override.h>

#include <algorithm>

namespace opyard {
namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

auto has_id(std::uint64_t id) {
  return [id](const std::shared_ptr<const OverrideNode>& node) { return node->id() == id; };
}

}  // namespace

OverrideNode::OverrideNode(std::string name, ConditionProgram condition, bool has_predicate)
    : id_(next_id()), name_(std::move(name)), condition_(std::move(condition)), has_predicate_(has_predicate) {}

std::string OverrideNode::last_reason() const {
  const std::uint32_t reason = last_reason_.load(std::memory_order_relaxed);
  switch (reason) {
    case 0:
      return "";
    case kPredicateFalse:
      return "its predicate is false";
    case kDeclined:
      return "its implementation declined";
    default:
      return "not: " + condition_.limit_text(reason);
  }
}

OverridePoint::OverridePoint(std::string op, std::string overload, c10::DispatchKey key)
    : op_(c10::Dispatcher::singleton().findSchemaOrThrow(op.c_str(), overload.c_str())), key_(key) {}

std::string OverridePoint::text() const { return toString(op_.operator_name()) + " at " + c10::toString(key_); }

OverrideHandle OverridePoint::own(std::shared_ptr<const OverrideNode> node) { return {*this, std::move(node)}; }

void OverridePoint::add(std::shared_ptr<const OverrideNode> node) {
  {
    std::lock_guard<std::mutex> lock(writer_mutex());
    registered_.insert(registered_.begin(), std::move(node));
    publish();
  }
  reclaim();
}

void OverridePoint::remove(std::uint64_t id) {
  {
    std::lock_guard<std::mutex> lock(writer_mutex());
    const auto found = std::find_if(registered_.begin(), registered_.end(), has_id(id));
    if (found == registered_.end()) {
      return;
    }
    registered_.erase(found);
    if (order_) {
      std::erase(order_->ids, id);
    }
    publish();
  }
  reclaim();
}

void OverridePoint::set_order(std::vector<std::uint64_t> ids) {
  {
    std::lock_guard<std::mutex> lock(writer_mutex());
    for (auto id = ids.begin(); id != ids.end(); ++id) {
      const bool known = std::any_of(registered_.begin(), registered_.end(), has_id(*id));
      if (!known || std::find(ids.begin(), id, *id) != id) {
        throw ContractError(SignatureError::Kind::kValue, "an order of overrides does not fit what is registered",
                            {.op = text(),
                             .argument = "ids",
                             .expected = "each the id of a registered override, at most once",
                             .got = std::to_string(*id) + (known ? " twice" : ""),
                             .advice = "take the ids from nodes()"});
      }
    }
    std::vector<std::uint64_t> known;
    for (const auto& node : registered_) {
      known.push_back(node->id());
    }
    order_ = Order{std::move(ids), std::move(known)};
    publish();
  }
  reclaim();
}

void OverridePoint::restore_order() {
  {
    std::lock_guard<std::mutex> lock(writer_mutex());
    order_.reset();
    publish();
  }
  reclaim();
}

void OverridePoint::publish() {
  auto next = std::make_shared<NodeList>();
  for (const auto& node : registered_) {
    if (!order_ || std::find(order_->known.begin(), order_->known.end(), node->id()) == order_->known.end()) {
      next->nodes.push_back(node);
    }
  }
  if (order_) {
    for (const std::uint64_t id : order_->ids) {
      next->nodes.push_back(*std::find_if(registered_.begin(), registered_.end(), has_id(id)));
    }
  }
  // An empty list is a null pointer, so a call without overrides needs no section.
  std::shared_ptr<const NodeList> last = std::exchange(owned_, next->nodes.empty() ? nullptr : std::move(next));
  list_.exchange(owned_.get(), std::memory_order_seq_cst);
  if (last != nullptr) {
    retire(std::move(last));
  }
}

std::vector<NodeReport> OverridePoint::nodes() const {
  std::shared_ptr<const NodeList> list;  // outlives the lock: its nodes may be the last of their kind
  {
    std::lock_guard<std::mutex> lock(writer_mutex());
    list = owned_;
  }
  std::vector<NodeReport> reports;
  if (list != nullptr) {
    for (const auto& node : list->nodes) {
      reports.push_back({node->id(), node->name(), node->condition().text(), node->counts(), node->last_reason()});
    }
  }
  return reports;
}

OverrideHandle::OverrideHandle(OverridePoint& point, std::shared_ptr<const OverrideNode> node) {
  parts_.emplace_back(&point, node);
  point.add(std::move(node));
}

OverrideHandle& OverrideHandle::operator=(OverrideHandle&& other) {
  if (this != &other) {
    remove();
    parts_ = std::exchange(other.parts_, {});
  }
  return *this;
}

void OverrideHandle::merge(OverrideHandle other) {
  for (auto& part : other.parts_) {
    parts_.push_back(std::move(part));
  }
  other.parts_.clear();
}

void OverrideHandle::remove() {
  for (const auto& [point, node] : std::exchange(parts_, {})) {
    point->remove(node->id());
  }
}

OverrideCounts OverrideHandle::counts() const {
  OverrideCounts sum;
  for (const auto& [point, node] : parts_) {
    const OverrideCounts counts = node->counts();
    sum.hits += counts.hits;
    sum.falls += counts.falls;
  }
  return sum;
}

std::vector<std::uint64_t> OverrideHandle::ids() const {
  std::vector<std::uint64_t> ids;
  for (const auto& [point, node] : parts_) {
    ids.push_back(node->id());
  }
  return ids;
}

}  // namespace opyard
