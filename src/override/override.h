// Registering overrides at one operator and dispatch key: nodes, their list, and the handle that owns a registration.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <override/condition.h>
#include <override/outcome.h>
#include <override/read_section.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace opyard {

/// One override in an operator's list: a condition and, in the derived class, an implementation. Immutable but for the
/// last reason.
class OverrideNode {
 public:
  // Reasons besides the number of a failing limit.
  static constexpr std::uint32_t kPredicateFalse = 0xFFFFFFFD;
  static constexpr std::uint32_t kDeclined = 0xFFFFFFFE;
  static constexpr std::uint32_t kCannotStart = 0xFFFFFFFF;

  OverrideNode(std::string name, ConditionProgram condition, bool has_predicate);
  virtual ~OverrideNode() = default;

  std::uint64_t id() const { return id_; }  // never reused; grows
  const std::string& name() const { return name_; }
  const ConditionProgram& condition() const { return condition_; }
  bool has_predicate() const { return has_predicate_; }
  OverrideCounts counts() const { return slot_.sum(); }
  std::string last_reason() const;

  /// Notes that the node passed a call over. Writes the shared line only when the reason is another one.
  void fall(ReadSection& section, std::uint32_t reason) const {
    section.count_fall(slot_.index());
    if (C10_UNLIKELY(last_reason_.load(std::memory_order_relaxed) != reason)) {
      last_reason_.store(reason, std::memory_order_relaxed);
    }
  }
  void fall(ReadSection& section, Outcome outcome) const {
    fall(section, outcome == Outcome::kConditionFalse ? kPredicateFalse
                  : outcome == Outcome::kDeclined     ? kDeclined
                                                      : kCannotStart);
  }
  void hit(ReadSection& section) const { section.count_hit(slot_.index()); }

 private:
  std::uint64_t id_;
  std::string name_;
  ConditionProgram condition_;
  bool has_predicate_;
  CountSlot slot_;
  mutable std::atomic<std::uint32_t> last_reason_{0};
};

/// The nodes in the order tried. Immutable; exchanged as a whole.
struct NodeList {
  std::vector<std::shared_ptr<const OverrideNode>> nodes;
};

/// A node as a person sees it.
struct NodeReport {
  std::uint64_t id = 0;
  std::string name;
  std::string condition;
  OverrideCounts counts;
  std::string last_reason;  // why it last passed a call over; empty when it never did
};

class BoxedServer;
class OverrideHandle;

/// `aten::mm.out at CPU`.
std::string point_text(const c10::OperatorName& op, c10::DispatchKey key);

/// What all routers share: the list at one operator and dispatch key. Every method is safe while other threads call,
/// `uninstall` excepted.
class OverridePoint {
 public:
  OverridePoint(std::string op, std::string overload, c10::DispatchKey key);
  virtual ~OverridePoint() = default;
  OverridePoint(const OverridePoint&) = delete;
  OverridePoint& operator=(const OverridePoint&) = delete;

  const c10::OperatorHandle& op() const { return op_; }
  c10::DispatchKey key() const { return key_; }
  std::string text() const { return point_text(op_.operator_name(), key_); }

  /// Puts the router into torch's table, where it is not yet. Registering an override does it too.
  virtual void install() = 0;

  /// Takes the router out of torch's table. Needs a quiet process: a call from another thread crashes in torch.
  virtual void uninstall() = 0;
  virtual bool installed() const = 0;

  /// Registers an override whose implementation takes boxed arguments.
  virtual OverrideHandle add_boxed(std::string name, ConditionProgram condition,
                                   std::shared_ptr<const BoxedServer> server) = 0;

  /// Where each kernel that may serve a call that falls through was registered; torch's own is last.
  virtual std::vector<std::string> originals() const = 0;

  /// Tries exactly these nodes in this order; those left out are off, those registered later come first. Throws
  /// ContractError, changing nothing, for an id that is not registered or given twice.
  void set_order(std::vector<std::uint64_t> ids);
  void restore_order();

  /// Orders some of the nodes among themselves, first tried first, and switches others off; the rest keeps its place.
  /// Ids that are not registered here are passed over. A later call for the same nodes replaces the arrangement.
  void arrange(const std::vector<std::uint64_t>& ids, const std::vector<std::uint64_t>& off);

  /// The nodes in the order tried, and all that are registered, newest first.
  std::vector<NodeReport> nodes() const;
  std::vector<std::uint64_t> registered() const;

 protected:
  /// Registers a node, which is tried before those registered earlier. It must be of the router's own type.
  OverrideHandle own(std::shared_ptr<const OverrideNode> node);

  /// Null when empty. What it points to lives as long as the ReadSection in which it was loaded.
  const NodeList* list() const { return list_.load(std::memory_order_seq_cst); }

 private:
  struct Registration {
    std::shared_ptr<const OverrideNode> node;
    std::uint64_t place;  // the highest is tried first; the node's id unless arranged
    bool off = false;
  };

  struct Order {
    std::vector<std::uint64_t> ids;
    std::vector<std::uint64_t> known;  // what was registered when the order was given
  };

  friend class OverrideHandle;
  void add(std::shared_ptr<const OverrideNode> node);
  void remove(std::uint64_t id);
  void place(std::uint64_t id, std::uint64_t place, bool off);  // precondition: the writer mutex is held
  void publish();                                               // precondition: the writer mutex is held

  c10::OperatorHandle op_;
  c10::DispatchKey key_;
  std::shared_ptr<const NodeList> owned_;                   // what list_ points to; guarded by the writer mutex
  std::vector<Registration> registered_;                    // by place, highest first; guarded by the writer mutex
  std::optional<Order> order_;                              // guarded by the writer mutex
  alignas(64) std::atomic<const NodeList*> list_{nullptr};  // last: the original of the router follows in its line
};

/// Owns a registration, of one node or of one for each form of an operator; removes it when destroyed. A call that
/// began before may still be served; what it uses is freed by the next registration, removal or `reclaim`.
class OverrideHandle {
 public:
  OverrideHandle() = default;
  OverrideHandle(OverrideHandle&&) noexcept = default;
  OverrideHandle& operator=(OverrideHandle&& other);
  ~OverrideHandle() { remove(); }

  /// Takes over the other's registrations: one handle for all forms of an operator.
  void merge(OverrideHandle other);
  void remove();

  bool active() const { return !parts_.empty(); }
  OverrideCounts counts() const;  // over all forms; zero after removal
  std::vector<std::uint64_t> ids() const;

 private:
  friend class OverridePoint;
  friend void arrange(const std::vector<const OverrideHandle*>& order, const std::vector<const OverrideHandle*>& off);
  OverrideHandle(OverridePoint& point, std::shared_ptr<const OverrideNode> node);

  std::vector<std::pair<OverridePoint*, std::shared_ptr<const OverrideNode>>> parts_;
};

/// OverridePoint::arrange at every point where one of the handles has a node.
void arrange(const std::vector<const OverrideHandle*>& order, const std::vector<const OverrideHandle*>& off);

}  // namespace opyard
