#include "signature/roofline.h"

#include <algorithm>

namespace opyard {
namespace {

using Op = Expression::Op;

std::int64_t bytes_of(const WorkloadTensor& tensor) {
  if (!tensor.present) {
    return 0;
  }
  std::int64_t bytes = static_cast<std::int64_t>(c10::elementSize(tensor.dtype));
  for (const std::int64_t size : tensor.sizes) {
    bytes *= size;
  }
  return bytes;
}

class RooflineReader {
 public:
  RooflineReader(const Signature::Program& program, const Folder& folder, const Point& point,
                 const std::vector<WorkloadTensor>& inputs, const std::vector<WorkloadTensor>& outputs)
      : program_(program), folder_(folder), point_(point), inputs_(inputs), outputs_(outputs) {}

  Roofline read() const {
    Roofline result;
    const Node* flops = program_.schema->roofline.find("flops");
    const Node* bytes = program_.schema->roofline.find("bytes");
    if (flops != nullptr) {
      result.flops = evaluate(*flops);
      result.bytes = bytes != nullptr ? evaluate(*bytes) : default_bytes();
    }
    return result;
  }

 private:
  bool is_written(std::size_t input) const {
    const Declared& mutated = program_.inputs[input].mutated;
    return point_.inputs[input] == 1 && !mutated.text.empty() && folder_.decide(mutated).value_or(false);
  }

  /// Everything passed once, twice where it is read and written; everything returned once.
  std::int64_t default_bytes() const {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const bool twice = is_written(i) && !program_.inputs[i].decl->write_only;
      total += bytes_of(inputs_[i]) * (twice ? 2 : 1);
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const auto alias = program_.input_number.find(program_.outputs[i].decl->alias);
      const bool is_input = alias != program_.input_number.end() && is_written(alias->second);
      total += is_input ? 0 : bytes_of(outputs_[i]);
    }
    return total;
  }

  Expression with_bytes(const Expression& expression) const {
    if (expression.is(Op::kCall) && expression.text == "bytes" && expression.kids.size() == 1) {
      for (const auto* tensors : {&inputs_, &outputs_}) {
        for (const WorkloadTensor& tensor : *tensors) {
          if (expression.kids[0].is_name(tensor.name)) {
            return Expression{.op = Op::kInt, .integer = bytes_of(tensor)};
          }
        }
      }
    }
    Expression result = expression;
    for (Expression& kid : result.kids) {
      kid = with_bytes(kid);
    }
    return result;
  }

  std::int64_t evaluate(const Node& node) const {
    const Place place = place_in(*program_.schema, "roofline");
    const Expression value = folder_.fold(with_bytes(parse_expression({node.text, node.mark, node.lead}, place)));
    if (!value.is(Op::kInt)) {
      fail_manifest(place, node.mark, "the formula does not give an integer", "", node.text);
    }
    return value.integer;
  }

  const Signature::Program& program_;
  const Folder& folder_;
  const Point& point_;
  const std::vector<WorkloadTensor>& inputs_;
  const std::vector<WorkloadTensor>& outputs_;
};

}  // namespace

Roofline roofline_of(const Signature::Program& program, const Folder& folder, const Point& point,
                     const std::vector<WorkloadTensor>& inputs, const std::vector<WorkloadTensor>& outputs) {
  return RooflineReader(program, folder, point, inputs, outputs).read();
}

}  // namespace opyard
