#include "manifest/on_threads.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace opyard {
namespace {

constexpr std::size_t kMostThreads = 8;
constexpr std::size_t kPiecesAThread = 4;  // fewer do not pay for the start of another

}  // namespace

void on_threads(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> thrown(count);
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        thrown[i] = std::current_exception();
      }
    }
  };
  const std::size_t cores = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(cores, count / kPiecesAThread); ++i) {
      try {
        threads.emplace_back(run);
      } catch (const std::system_error&) {
        break;  // the system gives no more threads; those that there are do the work
      }
    }
    run();
  }
  for (const std::exception_ptr& error : thrown) {
    if (error != nullptr) {
      std::rethrow_exception(error);
    }
  }
}

}  // namespace opyard
