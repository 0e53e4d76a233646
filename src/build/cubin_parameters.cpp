#include <build/cubin_parameters.h>

#include <cstring>
#include <map>

namespace opyard::cuda {
namespace {

// A cubin is an ELF file of 64 bits. Of each kernel, a section of this name holds records: format, attribute, size.
constexpr const char* kSection = ".nv.info.";
constexpr std::uint8_t kFormatSized = 4;
constexpr std::uint8_t kParameter = 0x17;  // the attribute that describes one parameter

struct Section {
  std::uint32_t name;
  std::uint64_t offset, size;
};

/// Reads values at offsets; false beyond the end.
class Image {
 public:
  explicit Image(const std::string& bytes) : bytes_(bytes) {}

  template <class T>
  bool read(std::uint64_t offset, T& value) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return false;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return true;
  }

  bool section(std::uint64_t table, std::uint16_t size, std::uint16_t i, Section& section) const {
    const std::uint64_t at = table + std::uint64_t{size} * i;
    return read(at, section.name) && read(at + 24, section.offset) && read(at + 32, section.size);
  }

  bool name_is(const Section& names, std::uint32_t at, const std::string& wanted) const {
    const std::uint64_t from = names.offset + at;
    return from < bytes_.size() && bytes_.size() - from > wanted.size() &&
           bytes_.compare(from, wanted.size(), wanted) == 0 && bytes_[from + wanted.size()] == '\0';
  }

 private:
  const std::string& bytes_;
};

std::optional<Section> find_section(const Image& image, const std::string& wanted) {
  std::uint64_t table = 0;
  std::uint16_t size = 0, count = 0, names_at = 0;
  Section names{}, section{};
  if (!image.read(40, table) || !image.read(58, size) || !image.read(60, count) || !image.read(62, names_at) ||
      !image.section(table, size, names_at, names))
    return std::nullopt;
  for (std::uint16_t i = 0; i < count; ++i)
    if (image.section(table, size, i, section) && image.name_is(names, section.name, wanted)) return section;
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> cubin_parameters(const std::string& bytes, const std::string& function) {
  if (bytes.compare(0, 5,
                    "\x7f"
                    "ELF\x02") != 0)
    return std::nullopt;
  const Image image(bytes);
  const auto section = find_section(image, kSection + function);
  if (!section) return std::nullopt;
  std::map<std::uint16_t, std::uint32_t> sizes;  // by ordinal: the records are in no order
  std::uint64_t at = section->offset;
  const std::uint64_t end = section->offset + section->size;
  while (at + 4 <= end) {
    std::uint8_t format = 0, attribute = 0;
    std::uint16_t length = 0;
    if (!image.read(at, format) || !image.read(at + 1, attribute) || !image.read(at + 2, length)) return std::nullopt;
    at += 4;
    if (format != kFormatSized) continue;  // its value is in the place of the length
    if (attribute == kParameter) {
      std::uint16_t ordinal = 0, size = 0;
      if (!image.read(at + 4, ordinal) || !image.read(at + 10, size)) return std::nullopt;
      sizes[ordinal] = size >> 2;
    }
    at += length;
  }
  std::vector<std::uint32_t> all;
  for (const auto& [ordinal, size] : sizes) all.push_back(size);
  return all;
}

}  // namespace opyard::cuda
