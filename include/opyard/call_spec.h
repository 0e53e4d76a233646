// Every fact of a call that selection and building may read, under the manifest's names.
#pragma once

#include <opyard/kernel.h>
#include <opyard/value.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opyard {

/// What the calls of operators constructed alike have in common, so that a call carries its numbers alone.
struct CallNames {
  virtual ~CallNames() = default;

  std::string op;
  std::vector<std::string> inputs;  // of a call, then the tensors given at construction
  std::vector<std::string> outputs;
  std::vector<NamedValue> params;

  /// The solved indices that `words`, which a check wrote, stand for.
  virtual std::vector<NamedValue> indices(c10::ArrayRef<std::int64_t>) const { return {}; }
};

/// The tensors of a call with their names: `for (const auto& [name, facts] : spec.inputs())`.
class NamedTensors {
 public:
  using Item = std::pair<const std::string&, const TensorFacts&>;

  struct Iterator {
    const std::string* name;
    const TensorFacts* facts;
    Item operator*() const { return {*name, *facts}; }
    Iterator& operator++() {
      ++name;
      ++facts;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return facts != other.facts; }
  };

  NamedTensors(const std::vector<std::string>& names, const TensorFacts* facts) : names_(names), facts_(facts) {}

  std::size_t size() const { return names_.size(); }
  Item operator[](std::size_t i) const { return {names_[i], facts_[i]}; }
  Item front() const { return (*this)[0]; }
  Iterator begin() const { return {names_.data(), facts_}; }
  Iterator end() const { return {names_.data() + size(), facts_ + size()}; }
  c10::ArrayRef<TensorFacts> facts() const { return {facts_, size()}; }

 private:
  const std::vector<std::string>& names_;
  const TensorFacts* facts_;
};

/// Immutable while selection and building read it. Copies share the names and the parameters.
class CallSpec {
 public:
  /// The facts follow by `tensors`, in the order of the names: inputs, then outputs.
  explicit CallSpec(std::shared_ptr<const CallNames> names) : names_(std::move(names)) {
    tensors.resize(names_->inputs.size() + names_->outputs.size());
  }

  /// One made by hand, as for the test of an implementation.
  using Tensors = std::vector<std::pair<std::string, TensorFacts>>;
  CallSpec(std::string op, const Tensors& inputs, const Tensors& outputs, std::vector<NamedValue> params);

  const std::string& op() const { return names_->op; }
  NamedTensors inputs() const { return {names_->inputs, tensors.data()}; }
  NamedTensors outputs() const { return {names_->outputs, tensors.data() + names_->inputs.size()}; }
  const std::vector<NamedValue>& params() const { return names_->params; }
  std::vector<NamedValue> indices() const { return names_->indices(index_words); }  // solved dims, shapes, dtypes, lets

  const TensorFacts& input(std::string_view name) const;
  const TensorFacts& output(std::string_view name) const;
  bool present(std::string_view name) const { return input(name).present; }
  std::int64_t index(std::string_view name) const;  // a solved Dim
  const Value& param(std::string_view name) const;  // a construction parameter
  std::string text() const;                         // the facts in one line, for errors

  c10::Device device{c10::DeviceType::CPU};
  int arch = -1;  // CPU: 0 baseline, 1 AVX2, 2 AVX-512; CUDA: 10 * major + minor; -1 without a reader
  c10::SmallVector<TensorFacts, 4> tensors;
  c10::SmallVector<std::int64_t, 10> index_words;

 private:
  std::shared_ptr<const CallNames> names_;
};

}  // namespace opyard
