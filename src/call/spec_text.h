// The canonical text of an instance spec, and back. JSON, so that a graph shows something a person can read.
#pragma once

#include <signature/signature.h>

#include <string>
#include <vector>

namespace opyard {

struct ParsedSpec {
  std::string op;
  std::vector<NamedValue> params;
  std::string target;
  std::string digest;
};

std::string spec_text(const Signature& signature, const Construction& construction, const std::string& target);

/// Throws SignatureError when the text is no spec.
ParsedSpec parse_spec_text(const std::string& text);

}  // namespace opyard
