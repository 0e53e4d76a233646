// The compiled declaration of one operator: construction check, call check, inference.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/SymInt.h>
#include <c10/util/SmallVector.h>
#include <opyard/value.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace opyard {

struct Schema;  // src/manifest/schema.h: an entry as read and validated
struct Solved;  // what construction settled, in the program's own terms

/// An input or output as a caller sees it.
struct TensorArgument {
  std::string name;
  bool optional = false;  // may be absent (also when absence depends on a condition)
  bool keyword_only = false;
  bool on_cpu = false;  // `device: cpu`: no say in the call's device
};

struct ParameterArgument {
  std::string name;
  std::string type;                    // as declared
  std::optional<Value> default_value;  // none: required
  bool keyword_only = false;
};

/// What construction settled: parameter values in declaration order, and the indices they solve.
struct Construction {
  std::vector<Value> params;
  std::vector<NamedValue> indices;
  std::vector<at::Tensor> tensors;       // given at construction, in declaration order; undefined where absent
  std::shared_ptr<const Solved> solved;  // read by check and infer; made by construct alone
};

/// What a check solved, as words that `Signature::named_indices` reads.
using IndexWords = c10::SmallVector<std::int64_t, 10>;

template <class Int>
struct SolvedOutput {
  bool present = true;
  c10::ScalarType dtype = c10::ScalarType::Undefined;
  c10::SmallVector<Int, 5> sizes;
};

/// The outcome of a call check.
template <class Int>
struct SolvedCall {
  c10::Device device{c10::DeviceType::CPU};
  c10::SmallVector<SolvedOutput<Int>, 2> outputs;
  IndexWords index_words;    // of plain sizes only; see Signature::named_indices
  bool empty_write = false;  // something is written or returned, and all of it has no elements
};

/// Immutable and shared; safe from any number of threads.
class Signature {
 public:
  /// Compiles a validated schema. Throws ManifestError.
  static std::shared_ptr<const Signature> compile(std::shared_ptr<const Schema> schema);

  const std::string& op() const { return op_; }
  const std::string& family() const { return family_; }
  const std::string& declared_at() const { return declared_at_; }
  const std::string& digest() const { return digest_; }  // of the entry's canonical text, hexadecimal
  const std::vector<TensorArgument>& inputs() const { return inputs_; }
  const std::vector<TensorArgument>& outputs() const { return outputs_; }
  const std::vector<ParameterArgument>& params() const { return params_; }

  /// Converts and checks parameter values, fills in defaults, solves what they decide. Throws SignatureError.
  /// Tensors that the entry takes at construction are given apart; their shapes and dtypes are checked by the calls.
  Construction construct(const std::vector<NamedValue>& given,
                         const std::vector<std::pair<std::string, at::Tensor>>& tensors = {}) const;

  /// Checks a call: presence, device, dtypes, shapes, rules. `inputs` has one pointer an input, null when absent.
  /// Throws SignatureError naming operator, argument, expected and got.
  SolvedCall<std::int64_t> check(const Construction& construction, const at::Tensor* const* inputs) const;

  /// The same program over symbolic sizes: sizes are never read as plain integers, comparisons become guards.
  SolvedCall<c10::SymInt> infer(const Construction& construction, const at::Tensor* const* inputs) const;

  /// Solved Dims, sequences and dtypes by name, for records and call specs: what a check's words stand for. Cold.
  std::vector<NamedValue> named_indices(c10::ArrayRef<std::int64_t> index_words) const;

  struct Program;
  const Program& program() const { return *program_; }

 private:
  Signature() = default;

  std::string op_, family_, declared_at_, digest_;
  std::vector<TensorArgument> inputs_, outputs_;
  std::vector<ParameterArgument> params_;
  std::shared_ptr<const Program> program_;
};

}  // namespace opyard
