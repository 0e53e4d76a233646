#include <build/shared_library.h>
#include <dlfcn.h>

namespace opyard {

SharedLibrary::SharedLibrary(const std::vector<std::string>& names, bool only_if_loaded) {
  for (const std::string& name : names) {
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | (only_if_loaded ? RTLD_NOLOAD : 0));
    if (handle_ != nullptr) {
      error_.clear();
      return;
    }
    const char* reason = dlerror();
    error_ += (error_.empty() ? "" : "; ") + (reason == nullptr ? name + " is not loaded" : std::string(reason));
  }
}

void* SharedLibrary::symbol(const char* name) const { return handle_ == nullptr ? nullptr : dlsym(handle_, name); }

}  // namespace opyard
