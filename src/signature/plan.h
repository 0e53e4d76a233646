// What to do at one point: which names a construction or a call solves, in which order, and what it checks.
#pragma once

#include <c10/util/SmallVector.h>

#include <memory>
#include <string>
#include <vector>

#include "signature/code.h"

namespace opyard {

/// An axis or a splice of a declared shape.
struct ShapeElement {
  bool splice = false;
  std::int32_t slot = -1;  // a bare name's, or where a splice's value is kept
  std::int32_t node = -1;  // an expression; -1 for a bare name
  bool dim = false;        // provably not negative
};

/// Where an element lies: `axes` and the lengths of `splices` away from the tensor's first axis, or from its last.
struct ElementPlace {
  bool from_right = false;
  std::int32_t axes = 0;
  c10::SmallVector<std::int32_t, 2> splices;
};

struct Step {
  enum class Kind : std::uint8_t {
    kLet,         // slot := node
    kSplice,      // slot := node, a splice's sequence
    kBindAxis,    // slot := the axis
    kBindAffine,  // slot := the n for which the axis is affine; node at n = 0, node_at_one at n = 1
    kBindSplice,  // slot := the axes at this place
    kCheckAxis,
    kCheckSplice,
  };
  Kind kind = Kind::kLet;
  std::int32_t slot = -1;
  std::int32_t node = -1;
  std::int32_t node_at_one = -1;
  std::int32_t input = -1;
  std::int32_t element = -1;
  ElementPlace place;
};

struct TensorPlan {
  bool present = true;
  std::int32_t axes = 0;
  bool spliced = false;
  std::vector<ShapeElement> elements;
  std::int32_t dtype_slot = -1;  // a bare DType index or dtype parameter
  std::uint64_t dtypes = 0;      // not 0: this tensor binds the index to one of these
  std::int32_t dtype_node = -1;  // any other dtype expression
};

struct RuleCheck {
  std::int32_t rule = -1;
  std::int32_t node = -1;
};

struct CheckPlan {
  std::int32_t excluded_by = -1;  // a rule that is false at this point
  Code code;
  std::int32_t slot_count = 0;
  std::vector<TensorPlan> inputs;
  std::vector<Step> steps;
  std::vector<RuleCheck> rules;
  std::vector<TensorPlan> outputs;
  bool compare_combos = false;
  bool may_write = false;                                       // an input is written, or an output returned
  std::vector<bool> written;                                    // for each input
  std::vector<std::pair<std::int32_t, std::int32_t>> bound_by;  // for each slot: input and element, or -1
};

/// A size that parameters alone decide, and that must not be negative.
struct SizeCheck {
  std::int32_t node = -1;
  std::string tensor;
  std::string shape;
  std::string declared_at;
};

struct ConstructionPlan {
  std::int32_t excluded_by = -1;
  Code code;
  std::int32_t slot_count = 0;
  std::vector<Step> steps;  // kLet only
  std::vector<RuleCheck> rules;
  std::vector<SizeCheck> sizes;
  std::vector<bool> let_known;     // by let
  std::vector<bool> rule_checked;  // by rule
};

}  // namespace opyard
