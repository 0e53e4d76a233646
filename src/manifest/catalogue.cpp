#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "manifest/fields.h"
#include "manifest/reader.h"

namespace opyard {
namespace {

std::string read_file(const std::filesystem::path& path, const std::string& shown) {
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) {
    fail_manifest({shown, "", ""}, {}, "the file cannot be read");
  }
  return text;
}

bool names_adt(const Node& node, const std::string& name) {
  if (node.is_string()) {
    return node.text.find(name) != std::string::npos;
  }
  return std::any_of(node.items.begin(), node.items.end(), [&](const Node& item) { return names_adt(item, name); });
}

Node adts_named_in(const Node& entry, const Node& adts) {
  Node named{.kind = Node::Kind::kMap, .mark = adts.mark};
  for (std::size_t i = 0; i < adts.keys.size(); ++i) {
    const Node* signature = entry.is_map() ? entry.find("signature") : nullptr;
    if (signature != nullptr && names_adt(*signature, adts.keys[i])) {
      named.keys.push_back(adts.keys[i]);
      named.key_marks.push_back(adts.key_marks[i]);
      named.items.push_back(adts.items[i]);
    }
  }
  return named.items.empty() ? Node{} : named;
}

/// The stem is the family, or the family, an underscore and anything.
void check_family(const std::string& file, const std::string& stem, const std::string& op, const Node& entry) {
  const Node* family = entry.is_map() ? entry.find("family") : nullptr;
  if (family == nullptr || !family->is_string()) {
    return;  // read_entry says so
  }
  if (stem != family->text && stem.rfind(family->text + "_", 0) != 0) {
    fail_manifest({file, op, "family"}, family->mark, "the file's name does not start with the family",
                  family->text + ".yaml or " + family->text + "_….yaml", stem + ".yaml",
                  "move the entry, or rename the file");
  }
}

class CatalogueReader {
 public:
  explicit CatalogueReader(const std::filesystem::path& folder)
      : folder_(folder), shown_folder_(folder.filename().empty() ? folder.parent_path() : folder) {}

  Catalogue read() {
    std::vector<std::filesystem::path> files;
    for (const auto& item : std::filesystem::directory_iterator(folder_)) {
      if (item.path().extension() == ".yaml" && item.path().filename() != "types.yaml") {
        files.push_back(item.path());
      }
    }
    std::sort(files.begin(), files.end());
    if (std::filesystem::exists(folder_ / "types.yaml")) {
      collect([&] { read_types(folder_ / "types.yaml"); });
    }
    for (const std::filesystem::path& file : files) {
      collect([&] { read_operators(file); });
    }
    return std::move(catalogue_);
  }

 private:
  template <class Function>
  void collect(const Function& function) {
    try {
      function();
    } catch (const ManifestError& problem) {
      catalogue_.problems.push_back(problem);
    }
  }

  std::string shown(const std::filesystem::path& file) const {
    return (shown_folder_.filename() / file.filename()).string();
  }

  void read_types(const std::filesystem::path& file) {
    const Node document = parse_yaml(read_file(file, shown(file)), shown(file));
    Fields fields(document, {shown(file), "", ""});
    adts_ = fields.require("adts");
    fields.finish();
    expect_kind(adts_, Node::Kind::kMap, {shown(file), "", "adts"});
  }

  void read_operators(const std::filesystem::path& path) {
    const std::string file = shown(path);
    const Node document = parse_yaml(read_file(path, file), file);
    expect_kind(document, Node::Kind::kMap, {file, "", ""});
    if (document.items.empty()) {
      fail_manifest({file, "", ""}, document.mark, "the file has no entry");
    }
    std::string family;
    for (std::size_t i = 0; i < document.items.size(); ++i) {
      const std::string& op = document.keys[i];
      const Node& entry = document.items[i];
      check_family(file, path.stem().string(), op, entry);
      check_same_family(file, op, entry, family);
      const auto [seen, is_new] = file_of_.emplace(op, file);
      if (!is_new) {
        fail_manifest({file, op, ""}, document.key_marks[i], "the operator is declared twice", "",
                      "first in " + seen->second, "remove one of them");
      }
      EntryText text{op, file, entry, adts_named_in(entry, adts_)};
      text.entry.mark = document.key_marks[i];
      catalogue_.entries.push_back(std::move(text));
    }
  }

  static void check_same_family(const std::string& file, const std::string& op, const Node& entry,
                                std::string& family) {
    const Node* own = entry.is_map() ? entry.find("family") : nullptr;
    if (own == nullptr || !own->is_string()) {
      return;
    }
    if (!family.empty() && own->text != family) {
      fail_manifest({file, op, "family"}, own->mark, "one file has entries of one family", family, own->text);
    }
    family = own->text;
  }

  std::filesystem::path folder_;
  std::filesystem::path shown_folder_;
  Node adts_;
  std::map<std::string, std::string> file_of_;
  Catalogue catalogue_;
};

}  // namespace

Catalogue read_catalogue(const std::filesystem::path& folder) { return CatalogueReader(folder).read(); }

}  // namespace opyard
