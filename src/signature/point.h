// Points: what is absent, present, true or chosen. Every plan belongs to one point.
#pragma once

#include <opyard/value.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "manifest/expression.h"
#include "manifest/node.h"

namespace opyard {

/// One axis of the space of points.
struct Discriminant {
  enum class Kind : std::uint8_t { kBool, kEnum, kPresence, kAdt, kTensor };
  /// kAdt: a constructor with its enum and Bool fields; no constructor: the parameter is None.
  struct Shape {
    std::string constructor;
    std::vector<std::pair<std::string, Value>> fields;
  };
  Kind kind = Kind::kBool;
  std::int32_t number = 0;           // of the parameter or the input
  std::vector<std::string> choices;  // kEnum
  std::vector<Shape> shapes;         // kAdt

  std::uint64_t size() const;
  std::uint64_t choice(const Value& value) const;  // of a parameter's converted value
  std::string choice_text(std::uint64_t choice) const;
};

/// A point taken apart. Presence: 1 present, 0 absent, -1 not known yet.
struct Point {
  std::vector<std::uint64_t> choices;  // for each discriminant of parameters
  std::vector<int> inputs;             // presence of every input
  int out = 0;
};

struct FamilyProgram {
  struct Case {
    std::vector<Node> when;
    Expression is;
  };
  std::string name;
  std::vector<std::string> formals;
  std::vector<Expression> match;
  std::vector<Case> cases;
  Mark mark;
};

/// Plans by point. Reading takes no lock; of two threads that make the same plan one wins. Entries are never removed.
template <class Plan>
class PointCache {
 public:
  PointCache() = default;
  PointCache(const PointCache&) = delete;
  PointCache& operator=(const PointCache&) = delete;
  ~PointCache() {
    for (const Link* link = first_.load(std::memory_order_relaxed); link != nullptr;) {
      const Link* next = link->next;
      delete link;
      link = next;
    }
  }

  template <class Make>
  const Plan& get(std::uint64_t point, const Make& make) const {
    if (const Plan* plan = find(first_.load(std::memory_order_acquire), point)) {
      return *plan;
    }
    auto made = std::make_unique<Link>(Link{point, make(), nullptr});
    const Link* head = first_.load(std::memory_order_acquire);
    do {
      if (const Plan* plan = find(head, point)) {
        return *plan;
      }
      made->next = head;
    } while (!first_.compare_exchange_weak(head, made.get(), std::memory_order_release, std::memory_order_acquire));
    return made.release()->plan;
  }

 private:
  struct Link {
    std::uint64_t point;
    Plan plan;
    const Link* next;
  };

  static const Plan* find(const Link* link, std::uint64_t point) {
    for (; link != nullptr; link = link->next) {
      if (link->point == point) {
        return &link->plan;
      }
    }
    return nullptr;
  }

  mutable std::atomic<const Link*> first_{nullptr};
};

}  // namespace opyard
