// A declaration compiled for checking: its parsed parts, its names as slots, and the plans made of it so far.
#pragma once

#include <unordered_map>
#include <vector>

#include "manifest/param_type.h"
#include "manifest/schema.h"
#include "signature/code.h"
#include "signature/plan.h"
#include "signature/point.h"
#include "signature/signature.h"

namespace opyard {

/// A declaration's expression, its text and where it stands.
struct Declared {
  Expression expression;
  Text text;
  std::string what;  // `shape_rules[2]`, `let H`, `tensor 'x' shape`
};

struct TensorProgram {
  const TensorDecl* decl = nullptr;
  Declared shape;
  Declared dtype;
  Declared present_when;  // empty text: no condition
  Declared nullable;
  Declared mutated;
};

enum class IndexKind : std::uint8_t { kDim, kShape, kDtype, kIntSequence };

struct IndexProgram {
  std::string name;
  IndexKind kind = IndexKind::kDim;
  std::uint64_t dtypes = 0;  // kDtype: one bit for each ScalarType allowed
  Text text;
};

struct Signature::Program {
  explicit Program(std::shared_ptr<const Schema> schema);

  std::shared_ptr<const Schema> schema;
  StringTable strings;
  std::vector<ParamType> param_types;
  std::vector<Value> defaults;  // converted; None where a parameter has none
  std::unordered_map<std::string, std::int32_t> param_number;
  std::unordered_map<std::string, std::int32_t> input_number;

  // Slots: parameters first, then indices, lets, and the integer fields of ADT parameters (`layout.max_m`).
  std::unordered_map<std::string, std::int32_t> slots;
  std::vector<std::string> slot_names;

  std::vector<IndexProgram> indices;
  std::vector<Declared> lets;  // what: the let's name
  std::vector<Declared> rules;
  std::vector<TensorProgram> inputs;  // of a call, then the tensors given at construction
  std::size_t call_inputs = 0;        // how many of them a call gives
  std::vector<TensorProgram> outputs;
  std::unordered_map<std::string, FamilyProgram> families;
  std::unordered_map<std::string, Declared> invariants;  // by `Type.constructor`
  std::vector<Discriminant> discriminants;               // of parameters first, then optional inputs
  std::size_t param_discriminants = 0;

  PointCache<ConstructionPlan> construction_plans;
  PointCache<CheckPlan> call_plans;

  std::int32_t slot(const std::string& name) const {
    const auto found = slots.find(name);
    return found == slots.end() ? -1 : found->second;
  }
  const IndexProgram* index(const std::string& name) const;
  std::string declared_at(const Text& text) const { return opyard::declared_at(schema->file, text.mark); }

  const ConstructionPlan& construction_plan(std::uint64_t point) const;
  const CheckPlan& call_plan(std::uint64_t point) const;

 private:
  void add_slot(const std::string& name);
  void add_indices();
  void add_params();
  void add_discriminants();
  Value default_of(const ParamDecl& param, const ParamType& type, const Place& place) const;
  TensorProgram tensor_program(const TensorDecl& decl);
  Declared declared(const Text& text, std::string what, bool shape = false);
  void intern(const Expression& expression);
};

/// What construction knows: the slots' values, kept for every call.
struct Solved {
  std::uint64_t point = 0;  // of the parameters
  c10::SmallVector<Val<std::int64_t>, 24> slots;
  c10::SmallVector<Val<std::int64_t>, 16> pool;
};

}  // namespace opyard
