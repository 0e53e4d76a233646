// What a library adds to opyard: implementations of operators, and targets that serve a device as a whole.
#pragma once

#include <opyard/implementation.h>

#include <functional>
#include <memory>
#include <string>

namespace opyard {

/// Owns one registration. Dropping it takes the registration back for operators constructed later.
class Registration {
 public:
  Registration() = default;
  explicit Registration(std::function<void()> remove) : remove_(std::move(remove)) {}
  ~Registration() { remove(); }
  Registration(Registration&& other) noexcept { *this = std::move(other); }
  Registration& operator=(Registration&& other) noexcept {
    remove();
    remove_ = std::exchange(other.remove_, nullptr);
    return *this;
  }

  void remove() {
    if (const auto undo = std::exchange(remove_, nullptr)) undo();
  }
  /// Keeps it for the life of the process.
  void keep() { remove_ = nullptr; }

 private:
  std::function<void()> remove_;
};

/// Adds an implementation to an operator. Throws OpNotAvailableError for an unknown operator; a contract that the whole
/// table breaks is an error of the next construction.
[[nodiscard]] Registration register_implementation(Implementation implementation);

/// Lets a target claim devices: operators that name no target, and have no default, are served by it there.
[[nodiscard]] Registration register_detector(const std::string& target, std::function<bool(c10::Device)> detect);

/// `build` makes a target's kernel of an operator: once for each device, and dtypes and shapes of the inputs, which it
/// gets contiguous. Throws SignatureError for a second one, OpNotAvailableError for an unknown operator.
[[nodiscard]] Registration register_kernel_builder(const std::string& op, const std::string& target,
                                                   std::function<std::shared_ptr<const Kernel>(const CallSpec&)> build);

/// The target of operators that name none; empty: it is detected. Throws OpNotAvailableError for an unknown one.
void set_default_target(const std::string& target);

}  // namespace opyard
