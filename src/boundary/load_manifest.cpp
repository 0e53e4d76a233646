#include <boundary/boundary.h>
#include <manifest/faults.h>
#include <opyard/error.h>
#include <opyard/manifest.h>
#include <registry/registry.h>
#include <signature/validate_entry.h>

#include <algorithm>

namespace opyard {
namespace {

// A name that is taken by another declaration is a fault; by the same one, it is there already.
bool is_new(const Registry& registry, const Signature& signature, Faults& faults) {
  const std::vector<std::string> known = registry.operators();
  if (std::find(known.begin(), known.end(), signature.op()) == known.end()) return true;
  const Signature& other = *registry.find(signature.op()).signature;
  if (other.digest() != signature.digest())
    faults.add(ManifestError(signature.declared_at() + ": the operator is declared twice",
                             {.op = signature.op(),
                              .expected = "a name of its own",
                              .got = "declared before, differently, at " + other.declared_at(),
                              .declared_at = signature.declared_at()}));
  return false;
}

void throw_all(const std::filesystem::path& path, const Faults& faults) {
  if (faults.size() <= 1) faults.throw_first();
  if (faults.empty()) return;
  std::string lines = path.string() + ": " + std::to_string(faults.size()) + " faults";
  for (const std::string& line : to_lines(faults)) lines += "\n" + line;
  throw ManifestError(lines, {.declared_at = faults.all().front().facts().declared_at});
}

}  // namespace

std::vector<std::string> load_manifest(const std::filesystem::path& path) {
  Registry& registry = Registry::process();
  Faults faults;
  std::vector<std::shared_ptr<const Signature>> added;
  std::vector<std::string> names;
  for (const auto& [name, signature] : compile_manifest(path, registry.operators(), faults)) {
    names.push_back(name);
    if (is_new(registry, *signature, faults)) added.push_back(signature);
  }
  throw_all(path, faults);
  for (const auto& signature : added) {
    registry.add_operator(signature);
    define_boundary(registry, signature);
  }
  return names;
}

}  // namespace opyard
