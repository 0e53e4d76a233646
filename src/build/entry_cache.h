// (implementation, identity) → built kernel. One build a key over all threads; a failing build reaches every waiter and
// leaves nothing.
#pragma once

#include <opyard/implementation.h>

#include <condition_variable>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

namespace opyard {

class EntryCache {
 public:
  /// Above this many, an entry that no plan holds makes room. Twice the plans of a spec, so that there is one.
  static constexpr std::size_t kDefaultCapacity = 2048;

  explicit EntryCache(std::size_t capacity = kDefaultCapacity) : capacity_(capacity) {}
  EntryCache(const EntryCache&) = delete;
  EntryCache& operator=(const EntryCache&) = delete;

  /// The kernel of `implementation` for `entry.identity`, built by this thread, or awaited from the one that builds.
  /// `built_here` tells which.
  std::shared_ptr<const Kernel> get_or_build(const Implementation& implementation, const Entry& entry,
                                             bool& built_here);

  /// Lets go of an entry that only a failed call used; one that a plan holds stays.
  void drop_unused(const Implementation& implementation, const Value& identity);

  /// Lets go of every entry; those that a plan holds live on with it.
  void clear();

  std::size_t size() const;
  std::uint64_t evictions() const { return evictions_.load(std::memory_order_relaxed); }
  std::uint64_t builds() const { return builds_.load(std::memory_order_relaxed); }

 private:
  /// Points into a Built or a Pending, or at what the caller of a lookup has.
  struct Key {
    const Implementation* implementation;
    const Value* identity;
    bool operator==(const Key& other) const {
      return implementation == other.implementation && *identity == *other.identity;
    }
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return std::hash<const void*>()(key.implementation) * 31 + hash_value(*key.identity);
    }
  };
  struct Built {
    const Implementation* implementation;
    Value identity;
    std::shared_ptr<const Kernel> kernel;
    Key key() const { return {implementation, &identity}; }
  };
  struct Pending;

  std::shared_ptr<const Kernel> build(const Implementation& implementation, const Entry& entry, Pending& pending);

  /// The kernel of an entry that made room, to be destroyed without the lock.
  std::shared_ptr<const Kernel> make_room();

  std::size_t capacity_;

  // All guarded by LockRank::kBuild.
  std::list<Built> built_;  // the next that may make room is first
  std::unordered_map<Key, std::list<Built>::iterator, KeyHash> by_key_;
  std::unordered_map<Key, std::shared_ptr<Pending>, KeyHash> pending_;
  std::atomic<std::uint64_t> builds_{0};
  std::atomic<std::uint64_t> hits_{0};
  std::atomic<std::uint64_t> evictions_{0};
};

}  // namespace opyard
