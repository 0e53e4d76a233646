#include "signature/validate_entry.h"

#include "manifest/validator.h"
#include "signature/validate_points.h"
#include "signature/workload_cases.h"

namespace opyard {

std::shared_ptr<const Signature> validate_entry(const EntryText& entry, bool in_catalogue, Faults& faults) {
  Faults own;
  const std::shared_ptr<const Schema> schema = read_entry(entry, in_catalogue, own);
  validate(*schema, own);
  std::shared_ptr<const Signature> signature;
  if (own.empty()) {
    own.gather([&] {
      signature = Signature::compile(schema);
      validate_points(*signature, own);
      if (own.empty()) {
        workload_cases(*signature, own);
      }
    });
  }
  faults.add_all(own);
  return own.empty() ? signature : nullptr;
}

}  // namespace opyard
