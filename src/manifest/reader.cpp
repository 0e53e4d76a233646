#include "manifest/reader.h"

#include "manifest/digest.h"
#include "manifest/fields.h"
#include "manifest/read_tensors.h"

namespace opyard {
namespace {

/// Reads one entry into `schema_`; a method for each key.
class EntryReader {
 public:
  EntryReader(const EntryText& text, Faults& faults) : text_(text), faults_(faults) {
    schema_.op = text.op;
    schema_.file = text.file;
    schema_.mark = text.entry.mark;
  }

  Schema read(bool in_catalogue) {
    faults_.gather([&] {
      Fields fields(text_.entry, place(""), faults_);
      schema_.family = fields.required_text("family").text;
      check_names();
      schema_.status = fields.string("status");
      if (in_catalogue && schema_.status != "implemented" && schema_.status != "spec-only") {
        const Node* status = fields.require("status");
        if (status != nullptr && status->is_string()) {
          fields.fail("status", *status, "implemented or spec-only");
        }
      }
      schema_.ref_api = fields.string("ref_api");
      if (const Node* signature = fields.require("signature")) {
        faults_.gather([&] { read_signature(*signature); });
      }
      read_rows(fields, in_catalogue);
      read_own_keys(fields);
      fields.finish();
    });
    schema_.adts = read_adts(text_.adts, text_.types_file, faults_);
    schema_.digest = digest();
    return std::move(schema_);
  }

 private:
  Place place(std::string what) const { return place_in(schema_, std::move(what)); }

  void check_names() const {
    faults_.gather([&] {
      if (!is_identifier(schema_.op)) {
        fail_manifest(place(""), schema_.mark, "the operator's name is no identifier", "letters, digits and _",
                      schema_.op);
      }
    });
    const Node* family = text_.entry.find("family");
    faults_.gather([&] {
      if (family != nullptr && family->is_string() && !is_identifier(schema_.family)) {
        fail_manifest(place("family"), family->mark, "the family is no identifier", "letters, digits and _",
                      schema_.family);
      }
    });
  }

  /// Of what decides calls.
  std::string digest() const {
    const Node* signature = text_.entry.find("signature");
    return fingerprint(schema_.op + "\n" + schema_.family + "\n" + to_text(signature == nullptr ? Node() : *signature) +
                       "\n" + to_text(schema_.composition) + "\n" + to_text(text_.adts));
  }

  void read_kind(const Node* value, Node::Kind kind, const char* what, Node& target) {
    if (value == nullptr) {
      return;
    }
    faults_.gather([&] {
      expect_kind(*value, kind, place(what));
      target = *value;
    });
  }

  void read_rows(Fields& fields, bool in_catalogue) {
    const Node* workloads = in_catalogue ? fields.require("workloads") : fields.find("workloads");
    read_kind(workloads, Node::Kind::kList, "workloads", schema_.workloads);
    if (workloads != nullptr && workloads->is_list() && workloads->items.empty()) {
      fields.fail("workloads", *workloads, "at least one row");
    }
    read_kind(in_catalogue ? fields.require("roofline") : fields.find("roofline"), Node::Kind::kMap, "roofline",
              schema_.roofline);
    read_kind(fields.find("composition"), Node::Kind::kMap, "composition", schema_.composition);
  }

  void read_own_keys(Fields& fields) {
    schema_.summary = fields.string("summary");
    schema_.example = fields.string("example");
    const std::pair<const char*, Node*> kept[] = {{"backward", &schema_.backward},
                                                  {"parallel", &schema_.parallel},
                                                  {"aten", &schema_.aten},
                                                  {"tolerance", &schema_.tolerance},
                                                  {"reference", &schema_.reference}};
    for (const auto& [key, target] : kept) {
      if (const Node* value = fields.find(key)) {
        *target = *value;
      }
    }
  }

  void read_signature(const Node& node) {
    Fields fields(node, place("signature"), faults_);
    read_map(fields.find("forall"), "forall", [&](const std::string& name, const Node& value) {
      schema_.forall.push_back({name, text_of(value, place("index '" + name + "'"))});
    });
    read_map(fields.find("params"), "params",
             [&](const std::string& name, const Node& value) { read_param(name, value); });
    read_tensors(fields.find("inputs"), "inputs", TensorRole::kInput, schema_.inputs);
    read_tensors(fields.find("outputs"), "outputs", TensorRole::kOutput, schema_.outputs);
    if (const Node* families = fields.find("types")) {
      faults_.gather([&] { schema_.families = read_families(*families, place("types"), faults_); });
    }
    read_map(fields.find("let"), "let", [&](const std::string& name, const Node& value) {
      schema_.lets.push_back({name, text_of(value, place("let " + name))});
    });
    read_list(fields.find("shape_rules"), "shape_rules",
              [&](const Node& item, const Place& rule) { read_rule(item, rule); });
    if (const Node* combos = fields.find("dtype_combos")) {
      schema_.dtype_combos_mark = combos->mark;
      read_list(combos, "dtype_combos", [&](const Node& item, const Place& row) { read_combo(item, row); });
    }
    fields.finish();
  }

  /// A name whose reading fails is marked, so that what reads it is not a second fault.
  template <class Function>
  void read_map(const Node* node, const char* what, const Function& function) {
    if (node == nullptr || !faults_.gather([&] { expect_kind(*node, Node::Kind::kMap, place(what)); })) {
      return;
    }
    for (std::size_t i = 0; i < node->items.size(); ++i) {
      const bool good = faults_.gather([&] {
        names_.add(node->keys[i], *node, i, place(what));
        function(node->keys[i], node->items[i]);
      });
      if (!good) {
        faults_.mark_faulty(node->keys[i]);
      }
    }
  }

  template <class Function>
  void read_list(const Node* node, const std::string& what, const Function& function) {
    if (node == nullptr || !faults_.gather([&] { expect_kind(*node, Node::Kind::kList, place(what)); })) {
      return;
    }
    for (std::size_t i = 0; i < node->items.size(); ++i) {
      faults_.gather([&] { function(node->items[i], place(what + "[" + std::to_string(i) + "]")); });
    }
  }

  void read_param(const std::string& name, const Node& node) {
    ParamDecl param{.name = name};
    param.is_tensor = node.find("shape") != nullptr || node.find("dtype") != nullptr;
    if (param.is_tensor) {
      schema_.construction_tensors.push_back(read_tensor(name, node, TensorRole::kConstruction, place(name), faults_));
      param.type = {"tensor", node.mark};
    } else {
      Fields fields(node, place(name), faults_);
      param.type = fields.required_text("type");
      fields.find("default");
      if (const Node* value = node.find("default")) {  // null is a default too
        param.default_value = *value;
      }
      param.kw_only = fields.flag("kw_only");
      fields.finish();
      if (!fields.sound()) {
        faults_.mark_faulty(name);
      }
    }
    schema_.params.push_back(std::move(param));
  }

  void read_tensors(const Node* node, const char* what, TensorRole role, std::vector<TensorDecl>& tensors) {
    read_map(node, what, [&](const std::string& name, const Node& value) {
      tensors.push_back(read_tensor(name, value, role, place(name), faults_));
    });
  }

  void read_rule(const Node& item, const Place& rule_place) {
    RuleDecl& rule = schema_.rules.emplace_back();  // also when at fault: the others keep their numbers
    if (!item.is_map()) {
      rule.rule = text_of(item, rule_place);
      return;
    }
    Fields fields(item, rule_place, faults_);
    const Text text = fields.required_text("rule");
    rule.label = fields.required_text("label").text;
    fields.finish();
    if (fields.sound()) {
      rule.rule = text;
    }
  }

  void read_combo(const Node& item, const Place& row) {
    expect_kind(item, Node::Kind::kMap, row);
    DtypeCombo combo;
    for (std::size_t i = 0; i < item.items.size(); ++i) {
      combo.emplace_back(item.keys[i], text_of(item.items[i], row).text);
    }
    schema_.dtype_combos.push_back(std::move(combo));
  }

  const EntryText& text_;
  Faults& faults_;
  Schema schema_;
  NameTable names_;
};

}  // namespace

std::shared_ptr<const Schema> read_entry(const EntryText& text, bool in_catalogue, Faults& faults) {
  return std::make_shared<const Schema>(EntryReader(text, faults).read(in_catalogue));
}

std::shared_ptr<const Schema> read_entry(const EntryText& text, bool in_catalogue) {
  Faults faults;
  auto schema = read_entry(text, in_catalogue, faults);
  faults.throw_first();
  return schema;
}

}  // namespace opyard
