#include "signature/validate_entry.h"

#include <opyard/error.h>

#include "manifest/on_threads.h"
#include "manifest/validate_links.h"
#include "manifest/validator.h"
#include "signature/validate_aten.h"
#include "signature/validate_points.h"
#include "signature/workload_cases.h"

namespace opyard {

std::shared_ptr<const Signature> compile_entry(const EntryText& entry, bool in_catalogue, Faults& faults) {
  Faults own;
  const std::shared_ptr<const Schema> schema = read_entry(entry, in_catalogue, own);
  validate(*schema, own);
  validate_aten(*schema, own);
  std::shared_ptr<const Signature> signature;
  if (own.empty()) {
    own.gather([&] {
      signature = Signature::compile(schema);
      validate_points(*signature, own);
    });
  }
  faults.add_all(own);
  return own.empty() ? signature : nullptr;
}

std::shared_ptr<const Signature> validate_entry(const EntryText& entry, bool in_catalogue, Faults& faults) {
  std::shared_ptr<const Signature> signature = compile_entry(entry, in_catalogue, faults);
  if (signature == nullptr) {
    return nullptr;
  }
  Faults rows;
  workload_cases(*signature, rows);
  faults.add_all(rows);
  return rows.empty() ? signature : nullptr;
}

Catalogue read_manifest(const std::filesystem::path& path) {
  try {
    return std::filesystem::is_directory(path) ? read_catalogue(path, path) : read_manifest_file(path, path);
  } catch (const std::filesystem::filesystem_error& error) {
    throw ManifestError(path.string() + ": cannot be read: " + error.code().message(), {.declared_at = path.string()});
  }
}

namespace {

using Check = std::shared_ptr<const Signature> (*)(const EntryText&, bool, Faults&);

/// One outcome an entry, in their order.
std::vector<std::shared_ptr<const Signature>> check_all(const Catalogue& catalogue,
                                                        const std::vector<std::string>& known, Check check,
                                                        Faults& faults) {
  const std::size_t count = catalogue.entries.size();
  std::vector<std::shared_ptr<const Signature>> signatures(count);
  std::vector<Faults> found(count);
  on_threads(count, [&](std::size_t i) { signatures[i] = check(catalogue.entries[i], catalogue.is_folder, found[i]); });
  faults.add_all(catalogue.faults);
  for (const Faults& of_entry : found) {
    faults.add_all(of_entry);
  }
  validate_links(catalogue.entries, known, faults);
  return signatures;
}

}  // namespace

std::map<std::string, std::shared_ptr<const Signature>> compile_manifest(const std::filesystem::path& path,
                                                                         const std::vector<std::string>& known,
                                                                         Faults& faults) {
  const Catalogue catalogue = read_manifest(path);
  const auto compiled = check_all(catalogue, known, compile_entry, faults);
  std::map<std::string, std::shared_ptr<const Signature>> signatures;
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    if (compiled[i] != nullptr) {
      signatures.emplace(catalogue.entries[i].op, compiled[i]);
    }
  }
  return signatures;
}

Faults validate_catalogue(const Catalogue& catalogue, const std::vector<std::string>& known) {
  Faults faults;
  check_all(catalogue, known, validate_entry, faults);
  return faults;
}

Faults validate_manifest(const std::filesystem::path& path, const std::vector<std::string>& known) {
  return validate_catalogue(read_manifest(path), known);
}

}  // namespace opyard
