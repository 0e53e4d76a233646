// What the names of an entry stand for, in each place where they may be read.
#pragma once

#include <set>
#include <string>

#include "manifest/faults.h"
#include "manifest/kinds.h"
#include "manifest/schema.h"

namespace opyard {

/// What the validator's parts share.
struct EntryScopes {
  EntryScopes(const Schema& schema, Faults& faults);

  Place place(const std::string& what) const { return place_in(schema, what); }
  Kind infer(const Text& text, const KindScope& scope, const std::string& what) const;
  void require_bool(const Text& text, const KindScope& scope, const std::string& what) const;

  const Schema& schema;
  Faults& faults;
  KindScope shapes;  // shapes, lets and conditions
  KindScope rules;   // shape_rules: also the parameters that are numbers of any type, objects or free strings
  KindScope values;  // values and requires: also Seq[Int] indices

 private:
  void declare_param(const ParamDecl& param);
  void declare_index(const IndexDecl& index);
  void declare_lets();
};

/// The dtypes of `DType[a | b]`; nothing when the kind is another. Throws ManifestError for a name that is no dtype.
std::set<std::string> dtypes_of_index(const IndexDecl& index, const Place& place);

}  // namespace opyard
