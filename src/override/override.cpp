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
  return [id](const auto& registration) { return registration.node->id() == id; };
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
    case kCannotStart:
      return "its implementation cannot start";
    default:
      return "not: " + condition_.limit_text(reason);
  }
}

OverridePoint::OverridePoint(std::string op, std::string overload, c10::DispatchKey key)
    : op_(c10::Dispatcher::singleton().findSchemaOrThrow(op.c_str(), overload.c_str())), key_(key) {}

std::string point_text(const c10::OperatorName& op, c10::DispatchKey key) {
  return toString(op) + " at " + c10::toString(key);
}

OverrideHandle OverridePoint::own(std::shared_ptr<const OverrideNode> node) {
  OverrideHandle handle(*this, std::move(node));
  install();  // after the node is in its list: a router that was taken out has none that is out of date
  return handle;
}

void OverridePoint::add(std::shared_ptr<const OverrideNode> node) {
  {
    std::lock_guard<std::mutex> lock(writer_mutex());
    const std::uint64_t id = node->id();
    registered_.insert(registered_.begin(), {std::move(node), id});
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
    for (const Registration& registration : registered_) {
      known.push_back(registration.node->id());
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

void OverridePoint::arrange(const std::vector<std::uint64_t>& ids, const std::vector<std::uint64_t>& off) {
  {
    std::lock_guard<std::mutex> lock(writer_mutex());
    std::vector<std::uint64_t> places = ids;
    std::sort(places.rbegin(), places.rend());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      place(ids[i], places[i], false);
    }
    for (const std::uint64_t id : off) {
      place(id, id, true);
    }
    std::stable_sort(registered_.begin(), registered_.end(),
                     [](const Registration& a, const Registration& b) { return a.place > b.place; });
    publish();
  }
  reclaim();
}

void OverridePoint::place(std::uint64_t id, std::uint64_t place, bool off) {
  const auto found = std::find_if(registered_.begin(), registered_.end(), has_id(id));
  if (found != registered_.end()) {
    found->place = place;
    found->off = off;
  }
}

void OverridePoint::publish() {
  auto next = std::make_shared<NodeList>();
  const auto is_ordered = [this](std::uint64_t id) {
    return order_ && std::find(order_->known.begin(), order_->known.end(), id) != order_->known.end();
  };
  for (const Registration& registration : registered_) {
    if (!registration.off && !is_ordered(registration.node->id())) {
      next->nodes.push_back(registration.node);
    }
  }
  if (order_) {
    for (const std::uint64_t id : order_->ids) {
      const Registration& registration = *std::find_if(registered_.begin(), registered_.end(), has_id(id));
      if (!registration.off) {
        next->nodes.push_back(registration.node);
      }
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

std::vector<std::uint64_t> OverridePoint::registered() const {
  std::lock_guard<std::mutex> lock(writer_mutex());
  std::vector<std::uint64_t> ids;
  for (const Registration& registration : registered_) {
    ids.push_back(registration.node->id());
  }
  return ids;
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

void arrange(const std::vector<const OverrideHandle*>& order, const std::vector<const OverrideHandle*>& off) {
  struct Part {
    OverridePoint* point;
    std::vector<std::uint64_t> order, off;
  };
  std::vector<Part> parts;
  const auto part_at = [&parts](OverridePoint* point) -> Part& {
    for (Part& part : parts) {
      if (part.point == point) {
        return part;
      }
    }
    return parts.emplace_back(Part{point, {}, {}});
  };
  for (const OverrideHandle* handle : order) {
    for (const auto& [point, node] : handle->parts_) {
      part_at(point).order.push_back(node->id());
    }
  }
  for (const OverrideHandle* handle : off) {
    for (const auto& [point, node] : handle->parts_) {
      part_at(point).off.push_back(node->id());
    }
  }
  for (const Part& part : parts) {
    part.point->arrange(part.order, part.off);
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
