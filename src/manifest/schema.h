// A manifest entry as plain data: every declaration with its text and place, checked for structure.
#pragma once

#include <opyard/value.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manifest/expression.h"
#include "manifest/node.h"

namespace opyard {

struct IndexDecl {
  std::string name;
  Text kind;  // Dim, Shape, DType[…], Seq[Int]
};

struct ParamDecl {
  std::string name;
  Text type;
  std::optional<Node> default_value;  // none: required
  bool kw_only = false;
  bool is_tensor = false;  // a construction-time tensor; declared in Schema::construction_tensors
};

struct TensorDecl {
  std::string name;
  Mark mark;
  Text dtype;
  Text shape;
  bool optional = false;  // may be absent, as the caller likes
  Text present_when;      // may be absent, and is present exactly when this holds
  bool contiguous = false;
  bool on_cpu = false;
  bool kw_only = false;
  bool write_only = false;
  bool buffer = false;  // outputs: the caller may pass `out`
  Text mutated;         // inputs: written when this holds
  Text nullable;        // outputs: returned when this holds, else None
  std::string alias;    // outputs: the input that this one is, where that is written
  Text values;
  std::vector<Text> requirements;
};

struct FamilyDecl {
  struct Case {
    std::vector<Node> when;
    Text is;
  };
  std::string name;
  Mark mark;
  std::vector<IndexDecl> formals;
  std::vector<Text> match;
  std::vector<Case> cases;
};

struct AdtDecl {
  struct Constructor {
    std::string name;
    std::string python;
    std::vector<IndexDecl> fields;
    Text invariant;
  };
  std::string name;
  Mark mark;
  std::vector<Constructor> constructors;
};

struct LetDecl {
  std::string name;
  Text value;
};

struct RuleDecl {
  Text rule;
  std::string label;  // opyard's: said in errors in place of the rule's text
};

/// One allowed combination: (dtype index or parameter, dtype name).
using DtypeCombo = std::vector<std::pair<std::string, std::string>>;

struct Schema {
  std::string op;
  std::string file;
  Mark mark;
  std::string family;
  std::string status;
  std::string ref_api;

  std::vector<IndexDecl> forall;
  std::vector<ParamDecl> params;
  std::vector<TensorDecl> construction_tensors;
  std::vector<TensorDecl> inputs;
  std::vector<TensorDecl> outputs;
  std::vector<FamilyDecl> families;
  std::vector<LetDecl> lets;
  std::vector<RuleDecl> rules;
  std::vector<DtypeCombo> dtype_combos;
  Mark dtype_combos_mark;

  Node workloads;    // a list of rows
  Node roofline;     // a mapping
  Node composition;  // a mapping, or null

  std::string summary;  // opyard's own keys; null where absent
  std::string example;
  Node backward;
  Node parallel;
  Node aten;
  Node tolerance;
  Node reference;

  std::vector<AdtDecl> adts;  // those that this entry names
  std::string digest;         // of what decides calls: operator, family, signature, composition, its ADTs
};

/// The place of a declaration in `schema`, for errors.
inline Place place_in(const Schema& schema, std::string what) { return {schema.file, schema.op, std::move(what)}; }

}  // namespace opyard
