// A compiler's output in a file of its own, for an error to name.
#pragma once

#include <string>

namespace opyard {

/// The file's path; a sentence in its place where no file could be written.
std::string keep_output(const std::string& text);

}  // namespace opyard
