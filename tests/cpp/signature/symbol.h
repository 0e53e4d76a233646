// Symbolic sizes for tests: a node with a name and a hidden value, which records every question it is asked.
#pragma once

#include <ATen/ATen.h>
#include <c10/core/SymNodeImpl.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace opyard {

/// What was asked: `guard s0 == 4` decided a branch, `expect …` became a check that must hold.
using Questions = std::vector<std::string>;

class SymbolNode : public c10::SymNodeImpl {
 public:
  SymbolNode(std::string name, std::int64_t value, bool is_bool, std::shared_ptr<Questions> questions)
      : name_(std::move(name)), value_(value), is_bool_(is_bool), questions_(std::move(questions)) {}

  bool is_int() override { return !is_bool_; }
  bool is_bool() override { return is_bool_; }
  bool is_float() override { return false; }
  bool has_hint() override { return true; }
  std::string str() override { return name_; }
  c10::SymNode clone() override { return make(name_, value_, is_bool_); }
  c10::SymNode wrap_int(int64_t number) override { return make(std::to_string(number), number, false); }
  c10::SymNode wrap_bool(bool truth) override { return make(truth ? "True" : "False", truth ? 1 : 0, true); }

  c10::SymNode add(const c10::SymNode& other) override { return combine(" + ", other, false, std::plus<>()); }
  c10::SymNode sub(const c10::SymNode& other) override { return combine(" - ", other, false, std::minus<>()); }
  c10::SymNode mul(const c10::SymNode& other) override { return combine(" * ", other, false, std::multiplies<>()); }
  c10::SymNode floordiv(const c10::SymNode& other) override { return combine(" // ", other, false, std::divides<>()); }
  c10::SymNode mod(const c10::SymNode& other) override { return combine(" % ", other, false, std::modulus<>()); }
  c10::SymNode eq(const c10::SymNode& other) override { return combine(" == ", other, true, std::equal_to<>()); }
  c10::SymNode ne(const c10::SymNode& other) override { return combine(" != ", other, true, std::not_equal_to<>()); }
  c10::SymNode lt(const c10::SymNode& other) override { return combine(" < ", other, true, std::less<>()); }
  c10::SymNode le(const c10::SymNode& other) override { return combine(" <= ", other, true, std::less_equal<>()); }
  c10::SymNode gt(const c10::SymNode& other) override { return combine(" > ", other, true, std::greater<>()); }
  c10::SymNode ge(const c10::SymNode& other) override { return combine(" >= ", other, true, std::greater_equal<>()); }
  c10::SymNode sym_and(const c10::SymNode& other) override {
    return combine(" and ", other, true, std::logical_and<>());
  }
  c10::SymNode sym_or(const c10::SymNode& other) override { return combine(" or ", other, true, std::logical_or<>()); }
  c10::SymNode sym_not() override { return make("not " + name_, value_ == 0 ? 1 : 0, true); }

  int64_t guard_int(const char*, int64_t) override {
    questions_->push_back("int " + name_);
    return value_;
  }
  bool guard_bool(const char*, int64_t) override {
    questions_->push_back("guard " + name_);
    return value_ != 0;
  }
  bool expect_true(const char*, int64_t) override {
    questions_->push_back("expect " + name_);
    return value_ != 0;
  }

 private:
  c10::SymNode make(std::string name, std::int64_t value, bool is_bool) {
    return c10::make_intrusive<SymbolNode>(std::move(name), value, is_bool, questions_);
  }

  template <class Operation>
  c10::SymNode combine(const char* sign, const c10::SymNode& other, bool is_bool, Operation operation) {
    const auto& right = static_cast<const SymbolNode&>(*other);
    return make(name_ + sign + right.name_, static_cast<std::int64_t>(operation(value_, right.value_)), is_bool);
  }

  std::string name_;
  std::int64_t value_;
  bool is_bool_;
  std::shared_ptr<Questions> questions_;
};

inline c10::SymInt symbol(const char* name, std::int64_t value, const std::shared_ptr<Questions>& questions) {
  return c10::SymInt(c10::SymNode(c10::make_intrusive<SymbolNode>(name, value, false, questions)));
}

/// A meta tensor with symbolic sizes. Its strides are plain: nothing here may read them.
inline at::Tensor symbolic_tensor(std::vector<c10::SymInt> sizes, at::ScalarType dtype = at::kFloat) {
  at::Tensor tensor =
      at::empty(std::vector<std::int64_t>(sizes.size(), 1), at::TensorOptions().dtype(dtype).device(at::kMeta));
  const std::vector<c10::SymInt> strides(sizes.size(), c10::SymInt(1));
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(c10::SymIntArrayRef(sizes), c10::SymIntArrayRef(strides));
  return tensor;
}

}  // namespace opyard
