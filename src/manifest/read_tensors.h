// The tensors of a signature, and the shared types it names: parts of reader.cpp's work.
#pragma once

#include <set>

#include "manifest/reader.h"

namespace opyard {

enum class TensorRole { kInput, kOutput, kConstruction };

/// The names that an entry has declared so far; `add` refuses a name used twice, or that is no identifier.
class NameTable {
 public:
  void add(const std::string& name, const Node& owner, std::size_t i, const Place& place);

 private:
  std::set<std::string> names_;
};

/// Faults are gathered, and mark the name as faulty.
TensorDecl read_tensor(const std::string& name, const Node& node, TensorRole role, const Place& place, Faults& faults);
std::vector<FamilyDecl> read_families(const Node& node, const Place& place, Faults& faults);
std::vector<AdtDecl> read_adts(const Node& node, const std::string& file, Faults& faults);

bool is_identifier(const std::string& text);

}  // namespace opyard
