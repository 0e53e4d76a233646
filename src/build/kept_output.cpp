#include <build/kept_output.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace opyard {

std::string keep_output(const std::string& text) {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
  std::string path = (failed ? std::filesystem::path("/tmp") : folder) / "opyard-build-XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) return "(no file: the temporary folder takes none)";
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t size = write(file, text.data() + written, text.size() - written);
    if (size <= 0) break;
    written += static_cast<std::size_t>(size);
  }
  close(file);
  return written == text.size() ? path : path + " (cut short: the disk is full)";
}

}  // namespace opyard
