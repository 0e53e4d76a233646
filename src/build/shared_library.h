// A shared library opened late, by the first call that needs it: nothing is linked to it.
#pragma once

#include <string>
#include <vector>

namespace opyard {

/// Never closed: what it gave may be called until the process ends.
class SharedLibrary {
 public:
  /// The first of `names` (file names or paths) that opens. Check `opened()`; `error()` says what each one lacked.
  explicit SharedLibrary(const std::vector<std::string>& names, bool only_if_loaded = false);

  bool opened() const { return handle_ != nullptr; }
  const std::string& error() const { return error_; }

  /// Null when the library has no such symbol.
  void* symbol(const char* name) const;

  template <class Function>
  void bind(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* handle_ = nullptr;
  std::string error_;
};

}  // namespace opyard
