// The interpreter lock of a call that lets go of it while its kernel runs.
#pragma once

#include <Python.h>
#include <call/run_call.h>

namespace opyard::python {

class InterpreterLock final : public CallerLock {
 public:
  void release() override { state_ = PyEval_SaveThread(); }
  void acquire() override {
    await_free();
    PyEval_RestoreThread(state_);
  }

 private:
  // Whoever blocks on the lock sleeps, and is woken after several times what another thread's call holds it for. Before
  // Python 3.12 it can be seen whether a thread holds it; it is watched for about as long as a wake-up takes.
  static void await_free() {
#if PY_VERSION_HEX < 0x030C0000
    constexpr int kLooks = 200;
    for (int i = 0; i < kLooks && _PyThreadState_UncheckedGet() != nullptr; ++i) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
#endif
  }

  PyThreadState* state_ = nullptr;
};

}  // namespace opyard::python
