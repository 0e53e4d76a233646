#include "manifest/reader.h"

#include "manifest/digest.h"
#include "manifest/fields.h"
#include "manifest/read_tensors.h"

namespace opyard {
namespace {

/// Reads one entry into `schema_`; a method for each key.
class EntryReader {
 public:
  explicit EntryReader(const EntryText& text) : text_(text) {
    schema_.op = text.op;
    schema_.file = text.file;
    schema_.mark = text.entry.mark;
  }

  Schema read(bool in_catalogue) {
    Fields fields(text_.entry, place(""));
    schema_.family = text_of(fields.require("family"), place("family")).text;
    if (!is_identifier(schema_.family) || !is_identifier(schema_.op)) {
      fail_manifest(place("family"), schema_.mark, "operator and family are identifiers", "", schema_.family);
    }
    schema_.status = fields.string("status");
    if (in_catalogue && schema_.status != "implemented" && schema_.status != "spec-only") {
      fail_manifest(place("status"), schema_.mark, "wrong value", "implemented or spec-only", schema_.status);
    }
    schema_.ref_api = fields.string("ref_api");
    read_signature(fields.require("signature"));
    read_rows(fields, in_catalogue);
    read_own_keys(fields);
    fields.finish();
    schema_.adts = read_adts(text_.adts);
    schema_.digest = fingerprint(schema_.op + "\n" + schema_.family + "\n" + to_text(*text_.entry.find("signature")) +
                                 "\n" + to_text(schema_.composition) + "\n" + to_text(text_.adts));
    return std::move(schema_);
  }

 private:
  Place place(std::string what) const { return place_in(schema_, std::move(what)); }

  void read_rows(Fields& fields, bool in_catalogue) {
    if (const Node* workloads = in_catalogue ? &fields.require("workloads") : fields.find("workloads")) {
      expect_kind(*workloads, Node::Kind::kList, place("workloads"));
      if (workloads->items.empty()) {
        fail_manifest(place("workloads"), workloads->mark, "there is no row");
      }
      schema_.workloads = *workloads;
    }
    if (const Node* roofline = in_catalogue ? &fields.require("roofline") : fields.find("roofline")) {
      expect_kind(*roofline, Node::Kind::kMap, place("roofline"));
      schema_.roofline = *roofline;
    }
    if (const Node* composition = fields.find("composition")) {
      expect_kind(*composition, Node::Kind::kMap, place("composition"));
      schema_.composition = *composition;
    }
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
    Fields fields(node, place("signature"));
    if (const Node* forall = fields.find("forall")) {
      for_each_key(*forall, "forall", [&](const std::string& name, const Node& value) {
        schema_.forall.push_back({name, text_of(value, place(name))});
      });
    }
    if (const Node* params = fields.find("params")) {
      for_each_key(*params, "params", [&](const std::string& name, const Node& value) { read_param(name, value); });
    }
    read_tensors(fields.find("inputs"), "inputs", TensorRole::kInput, schema_.inputs);
    read_tensors(fields.find("outputs"), "outputs", TensorRole::kOutput, schema_.outputs);
    if (const Node* families = fields.find("types")) {
      schema_.families = read_families(*families, place("types"));
    }
    if (const Node* lets = fields.find("let")) {
      for_each_key(*lets, "let", [&](const std::string& name, const Node& value) {
        schema_.lets.push_back({name, text_of(value, place("let " + name))});
      });
    }
    if (const Node* rules = fields.find("shape_rules")) {
      read_rules(*rules);
    }
    if (const Node* combos = fields.find("dtype_combos")) {
      read_combos(*combos);
    }
    fields.finish();
  }

  template <class Function>
  void for_each_key(const Node& node, const std::string& what, const Function& function) {
    expect_kind(node, Node::Kind::kMap, place(what));
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      names_.add(node.keys[i], node, i, place(what));
      function(node.keys[i], node.items[i]);
    }
  }

  void read_param(const std::string& name, const Node& node) {
    Fields fields(node, place(name));
    ParamDecl param{.name = name};
    param.is_tensor = node.find("shape") != nullptr || node.find("dtype") != nullptr;
    if (param.is_tensor) {
      schema_.construction_tensors.push_back(read_tensor(name, node, TensorRole::kConstruction, place(name)));
      param.type = {"tensor", node.mark};
    } else {
      param.type = fields.required_text("type");
      fields.find("default");
      if (const Node* value = node.find("default")) {  // null is a default too
        param.default_value = *value;
      }
      param.kw_only = fields.flag("kw_only");
      fields.finish();
    }
    schema_.params.push_back(std::move(param));
  }

  void read_tensors(const Node* node, const char* what, TensorRole role, std::vector<TensorDecl>& tensors) {
    if (node == nullptr) {
      return;
    }
    for_each_key(*node, what, [&](const std::string& name, const Node& value) {
      tensors.push_back(read_tensor(name, value, role, place(name)));
    });
  }

  void read_rules(const Node& node) {
    expect_kind(node, Node::Kind::kList, place("shape_rules"));
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const Place rule_place = place("shape_rules[" + std::to_string(i) + "]");
      const Node& item = node.items[i];
      if (item.is_map()) {
        Fields fields(item, rule_place);
        RuleDecl rule{.rule = fields.required_text("rule"), .label = fields.required_text("label").text};
        fields.finish();
        schema_.rules.push_back(std::move(rule));
      } else {
        schema_.rules.push_back({text_of(item, rule_place), ""});
      }
    }
  }

  void read_combos(const Node& node) {
    const Place combos = place("dtype_combos");
    expect_kind(node, Node::Kind::kList, combos);
    schema_.dtype_combos_mark = node.mark;
    for (const Node& row : node.items) {
      expect_kind(row, Node::Kind::kMap, combos);
      DtypeCombo combo;
      for (std::size_t i = 0; i < row.items.size(); ++i) {
        combo.emplace_back(row.keys[i], text_of(row.items[i], combos).text);
      }
      schema_.dtype_combos.push_back(std::move(combo));
    }
  }

  const EntryText& text_;
  Schema schema_;
  NameTable names_;
};

}  // namespace

std::shared_ptr<const Schema> read_entry(const EntryText& text, bool in_catalogue) {
  return std::make_shared<const Schema>(EntryReader(text).read(in_catalogue));
}

}  // namespace opyard
