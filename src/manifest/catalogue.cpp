#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "manifest/fields.h"
#include "manifest/on_threads.h"
#include "manifest/read_tensors.h"
#include "manifest/reader.h"

namespace opyard {
namespace {

std::string read_file(const std::filesystem::path& path, const std::string& shown) {
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream || std::filesystem::is_directory(path)) {
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

/// A file as it was read, and what was at fault in it.
struct Document {
  Node root;
  Faults faults;
};

Document read_document(const std::filesystem::path& path, const std::string& shown) {
  Document document;
  document.faults.gather([&] { document.root = parse_yaml(read_file(path, shown), shown, document.faults); });
  return document;
}

class CatalogueReader {
 public:
  explicit CatalogueReader(bool is_folder) { catalogue_.is_folder = is_folder; }

  void read_types(const std::filesystem::path& path, const std::string& file) {
    types_file_ = file;
    const Node document = parse_yaml(read_file(path, file), file, catalogue_.faults);
    catalogue_.faults.gather([&] {
      Fields fields(document, {file, "", ""}, catalogue_.faults);
      if (const Node* adts = fields.require("adts")) {
        expect_kind(*adts, Node::Kind::kMap, {file, "", "adts"});
        adts_ = *adts;
      }
      fields.finish();
    });
    read_adts(adts_, file, catalogue_.faults);
  }

  void add_operators(const Document& read, const std::string& stem, const std::string& file) {
    const Node& document = read.root;
    catalogue_.faults.add_all(read.faults);
    if (document.is_null()) {
      return;
    }
    expect_kind(document, Node::Kind::kMap, {file, "", ""});
    if (document.items.empty()) {
      fail_manifest({file, "", ""}, document.mark, "the file has no entry");
    }
    std::string family;
    for (std::size_t i = 0; i < document.items.size(); ++i) {
      const std::string& op = document.keys[i];
      const Node& entry = document.items[i];
      if (catalogue_.is_folder) {
        catalogue_.faults.gather([&] { check_family(file, stem, op, entry); });
        catalogue_.faults.gather([&] { check_same_family(file, op, entry, family); });
      }
      catalogue_.faults.gather([&] { add(file, op, entry, document.key_marks[i]); });
    }
  }

  template <class Function>
  void gather(const Function& function) {
    catalogue_.faults.gather(function);
  }

  Catalogue take() { return std::move(catalogue_); }

 private:
  void add(const std::string& file, const std::string& op, const Node& entry, Mark mark) {
    const auto [seen, is_new] = file_of_.emplace(op, file);
    if (!is_new) {
      fail_manifest({file, op, ""}, mark, "the operator is declared twice", "", "first in " + seen->second,
                    "remove one of them");
    }
    EntryText text{op, file, entry, adts_named_in(entry, adts_), types_file_};
    text.entry.mark = mark;
    catalogue_.entries.push_back(std::move(text));
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

  std::string types_file_ = "types.yaml";
  Node adts_;
  std::map<std::string, std::string> file_of_;
  Catalogue catalogue_;
};

constexpr const char* kTypesFile = "types.yaml";

}  // namespace

Catalogue read_catalogue(const std::filesystem::path& folder, const std::filesystem::path& shown) {
  std::vector<std::filesystem::path> names;
  for (const auto& item : std::filesystem::directory_iterator(folder)) {
    if (item.path().extension() == ".yaml" && item.path().filename() != kTypesFile) {
      names.push_back(item.path().filename());
    }
  }
  std::sort(names.begin(), names.end());
  CatalogueReader reader(true);
  if (std::filesystem::exists(folder / kTypesFile)) {
    reader.gather([&] { reader.read_types(folder / kTypesFile, (shown / kTypesFile).string()); });
  }
  std::vector<Document> documents(names.size());
  on_threads(names.size(),
             [&](std::size_t i) { documents[i] = read_document(folder / names[i], (shown / names[i]).string()); });
  for (std::size_t i = 0; i < names.size(); ++i) {
    reader.gather([&] { reader.add_operators(documents[i], names[i].stem().string(), (shown / names[i]).string()); });
  }
  return reader.take();
}

Catalogue read_manifest_file(const std::filesystem::path& file, const std::filesystem::path& shown) {
  CatalogueReader reader(false);
  const std::filesystem::path types = file.parent_path() / kTypesFile;
  if (file.filename() == kTypesFile) {
    reader.read_types(file, shown.string());
    return reader.take();
  }
  if (std::filesystem::exists(types)) {
    reader.gather([&] { reader.read_types(types, (shown.parent_path() / kTypesFile).string()); });
  }
  Document document;
  document.root = parse_yaml(read_file(file, shown.string()), shown.string(), document.faults);
  reader.add_operators(document, file.stem().string(), shown.string());
  return reader.take();
}

}  // namespace opyard
