#include "signature/validate_entry.h"

#include <opyard/error.h>

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

std::map<std::string, std::shared_ptr<const Signature>> compile_manifest(const std::filesystem::path& path,
                                                                         Faults& faults) {
  const Catalogue catalogue = read_manifest(path);
  faults.add_all(catalogue.faults);
  std::map<std::string, std::shared_ptr<const Signature>> signatures;
  for (const EntryText& entry : catalogue.entries) {
    if (auto signature = compile_entry(entry, catalogue.is_folder, faults)) {
      signatures.emplace(entry.op, std::move(signature));
    }
  }
  return signatures;
}

Faults validate_manifest(const std::filesystem::path& path) {
  const Catalogue catalogue = read_manifest(path);
  Faults faults = catalogue.faults;
  for (const EntryText& entry : catalogue.entries) {
    validate_entry(entry, catalogue.is_folder, faults);
  }
  return faults;
}

}  // namespace opyard
