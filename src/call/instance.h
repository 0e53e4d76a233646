// One constructed operator: its key, what it is bound to, its last call.
#pragma once

#include <call/body.h>
#include <call/delegates.h>
#include <call/instance_spec.h>
#include <record/last_call.h>
#include <target/target.h>

#include <atomic>
#include <memory>
#include <string>

namespace opyard {

class Instance {
 public:
  /// Settles and checks the parameters; selects and builds nothing. Throws SignatureError, OpNotAvailableError.
  Instance(Registry& registry, const std::string& op, const std::vector<NamedValue>& params,
           const std::string& target = {});
  explicit Instance(std::shared_ptr<InstanceSpec> spec);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// The living instance with this key, or null.
  static std::shared_ptr<Instance> by_key(std::string_view key);
  /// Makes an instance reachable by its key while it lives.
  static std::shared_ptr<Instance> make(Registry& registry, const std::string& op,
                                        const std::vector<NamedValue>& params, const std::string& target = {});
  static std::shared_ptr<Instance> make(std::shared_ptr<InstanceSpec> spec);

  InstanceSpec& spec() const { return *spec_; }
  const Signature& signature() const { return spec_->signature(); }
  const std::string& key() const { return key_; }

  /// Null before a call selected it.
  const Target* serving_target() const { return binding_.load(std::memory_order_acquire).target(); }

  /// Whether some call completed on that target: from then on it stays.
  bool is_bound() const { return binding_.load(std::memory_order_acquire).completed(); }

  /// Makes it one whose calls run `body`. Before its first call, and only on a spec of its own.
  void set_body(std::shared_ptr<Body> body) { body_ = std::move(body); }
  /// Null where selection finds what runs.
  const std::shared_ptr<Body>& body() const { return body_; }

  /// From now on, where implementations tie for a call, the faster one is found by measuring (call/tie.h).
  void request_tune() { tunes_.store(true, std::memory_order_relaxed); }
  bool tunes() const { return tunes_.load(std::memory_order_relaxed); }

  Delegates& delegates() { return delegates_; }
  const Delegates& delegates() const { return delegates_; }

  /// Puts the binding back to what construction gave it, those of held sub-operators first, recursively. Plans and
  /// entries go unless instances constructed alike hold them too.
  void reset_binding() noexcept;
  /// The same without the target itself.
  void drop_built() noexcept;

  /// Null before any completed call.
  CallRecordPtr last_call() const { return last_call_.get(); }

  /// Step 7. The caller is inside an EpochScope and holds the record.
  void record(CallRecord& record) { last_call_.set(&record); }

 private:
  friend class CallBinding;

  std::shared_ptr<InstanceSpec> spec_;
  std::shared_ptr<Body> body_;
  Delegates delegates_;
  std::string key_;  // never reused in this process, nor equal to one of another process

  // The target, and whether a call completed on it, exchanged as one: undo must not lose a completed call.
  class Binding {
   public:
    Binding() = default;
    Binding(const Target* target, bool completed)
        : word_(reinterpret_cast<std::uintptr_t>(target) | static_cast<std::uintptr_t>(completed)) {}
    const Target* target() const { return reinterpret_cast<const Target*>(word_ & ~std::uintptr_t{1}); }
    bool completed() const { return (word_ & 1) != 0; }

   private:
    std::uintptr_t word_ = 0;
  };
  std::atomic<Binding> binding_{Binding()};

  LastCall last_call_;
  std::atomic<bool> tunes_{false};
};

}  // namespace opyard
