#include "manifest/serialise.h"

#include <bit>

namespace opyard {
namespace {

class Writer {
 public:
  void number(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>(value | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }

  void text(const std::string& value) {
    number(value.size());
    bytes_ += value;
  }

  void mark(Mark value) {
    number(static_cast<std::uint32_t>(value.line));
    number(static_cast<std::uint32_t>(value.column));
  }

  void node(const Node& value) {
    number(static_cast<std::uint64_t>(value.kind));
    mark(value.mark);
    switch (value.kind) {
      case Node::Kind::kNull:
        break;
      case Node::Kind::kBool:
      case Node::Kind::kInt:
        number(static_cast<std::uint64_t>(value.integer));
        break;
      case Node::Kind::kFloat:
        number(std::bit_cast<std::uint64_t>(value.number));
        break;
      case Node::Kind::kString:
        text(value.text);
        break;
      case Node::Kind::kList:
      case Node::Kind::kMap:
        number(value.items.size());
        for (std::size_t i = 0; i < value.items.size(); ++i) {
          if (value.is_map()) {
            text(value.keys[i]);
            mark(value.key_marks[i]);
          }
          node(value.items[i]);
        }
        break;
    }
  }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (bytes_.empty()) {
        damaged();
      }
      const auto byte = static_cast<unsigned char>(bytes_[0]);
      bytes_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        return value;
      }
    }
    damaged();
  }

  std::string text() {
    const std::uint64_t size = number();
    if (size > bytes_.size()) {
      damaged();
    }
    std::string value(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return value;
  }

  Mark mark() {
    const auto line = static_cast<std::int32_t>(number());
    return {line, static_cast<std::int32_t>(number())};
  }

  Node node() {
    Node value;
    value.kind = static_cast<Node::Kind>(number());
    value.mark = mark();
    switch (value.kind) {
      case Node::Kind::kNull:
        return value;
      case Node::Kind::kBool:
      case Node::Kind::kInt:
        value.integer = static_cast<std::int64_t>(number());
        return value;
      case Node::Kind::kFloat:
        value.number = std::bit_cast<double>(number());
        return value;
      case Node::Kind::kString:
        value.text = text();
        return value;
      case Node::Kind::kList:
      case Node::Kind::kMap:
        items(value);
        return value;
    }
    damaged();
  }

 private:
  void items(Node& value) {
    const std::uint64_t count = number();
    for (std::uint64_t i = 0; i < count; ++i) {
      if (value.is_map()) {
        value.keys.push_back(text());
        value.key_marks.push_back(mark());
      }
      value.items.push_back(node());
    }
  }

  [[noreturn]] static void damaged() { fail_manifest({}, {}, "the built-in manifest's bytes are damaged"); }

  std::string_view bytes_;
};

}  // namespace

std::string to_bytes(const EntryText& entry) {
  Writer writer;
  writer.text(entry.op);
  writer.text(entry.file);
  writer.node(entry.entry);
  writer.node(entry.adts);
  writer.text(entry.types_file);
  return writer.take();
}

EntryText entry_from_bytes(std::string_view bytes) {
  Reader reader(bytes);
  EntryText entry;
  entry.op = reader.text();
  entry.file = reader.text();
  entry.entry = reader.node();
  entry.adts = reader.node();
  entry.types_file = reader.text();
  return entry;
}

}  // namespace opyard
