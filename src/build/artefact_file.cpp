#include <build/artefact_file.h>
#include <c10/util/hash.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sstream>

namespace opyard {
namespace {

constexpr const char* kFormat = "opyard-artefact-1";

std::string header(const std::string& key, const std::string& artefact) {
  std::ostringstream text;
  text << kFormat << ' ' << key.size() << ' ' << artefact.size() << ' ' << c10::sha1(key + artefact).str() << '\n';
  return text.str();
}

/// The whole file; false when it cannot be opened or read.
bool read_all(const std::filesystem::path& path, std::string& text) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  char block[1 << 16];
  ssize_t size = 0;
  while ((size = read(file, block, sizeof(block))) > 0) text.append(block, static_cast<std::size_t>(size));
  close(file);
  return size == 0;
}

bool write_all(int file, const std::string& text) {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t size = write(file, text.data() + written, text.size() - written);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    written += static_cast<std::size_t>(size);
  }
  return true;
}

}  // namespace

ArtefactFile read_artefact(const std::filesystem::path& path) {
  ArtefactFile file;
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return file;
  file.state = ArtefactState::kBroken;
  file.bytes = static_cast<std::uintmax_t>(status.st_size);
  std::string text;
  if (!read_all(path, text)) return file;
  const std::size_t line = text.find('\n');
  if (line == std::string::npos) return file;
  std::istringstream first(text.substr(0, line));
  std::string format, digest;
  std::size_t key_size = 0, size = 0;
  if (!(first >> format >> key_size >> size >> digest) || format != kFormat) return file;
  const std::size_t rest = text.size() - line - 1;
  if (key_size > rest || rest - key_size != size) return file;
  if (c10::sha1(text.substr(line + 1)).str() != digest) return file;
  file.key = text.substr(line + 1, key_size);
  file.artefact = text.substr(line + 1 + key_size);
  file.state = ArtefactState::kWhole;
  return file;
}

bool write_artefact(const std::filesystem::path& path, const std::string& key, const std::string& artefact) {
  std::string aside = path.string() + ".XXXXXX";
  const int file = mkostemp(aside.data(), O_CLOEXEC);
  if (file < 0) return false;
  const bool written =
      write_all(file, header(key, artefact)) && write_all(file, key) && write_all(file, artefact) && fsync(file) == 0;
  const bool closed = close(file) == 0;
  if (written && closed && rename(aside.c_str(), path.c_str()) == 0) return true;
  unlink(aside.c_str());
  return false;
}

}  // namespace opyard
