// Shapes and the families that they apply.
#pragma once

#include "manifest/entry_scopes.h"

namespace opyard {

class ShapeValidator {
 public:
  explicit ShapeValidator(EntryScopes& entry) : entry_(entry) {}

  /// Elements are integers, splices sequences of them, arguments of a family what its formals say. Throws.
  void check_shape(const Text& text, const KindScope& scope, const std::string& what);

  /// Every family's own texts and patterns, after all other shapes: a family that none applies is a fault. Gathers.
  void check_families();

 private:
  void check_application(const Expression& shape, const Text& text, const KindScope& scope, const std::string& what);
  void check_family(const FamilyDecl& family);
  void check_case(const FamilyDecl::Case& item, const std::vector<Kind>& matched, const KindScope& scope,
                  const std::string& what);
  Kind formal_kind(const IndexDecl& formal, const std::string& what) const;
  bool pattern_fits(const Node& pattern, const Kind& kind) const;
  bool constructor_fits(const Node& pattern, const Kind& kind) const;
  bool fields_fit(const Node& pattern, const AdtDecl::Constructor& constructor) const;

  EntryScopes& entry_;
  std::set<std::string> applied_;  // families
};

}  // namespace opyard
