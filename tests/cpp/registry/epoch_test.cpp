#include <gtest/gtest.h>
#include <registry/epoch.h>

#include <atomic>
#include <thread>
#include <vector>

namespace opyard {
namespace {

// Each test counts its own: what an earlier one retired may be freed during it.
template <int kTest>
struct Counted {
  static inline std::atomic<int> alive{0};
  Counted() { ++alive; }
  ~Counted() { --alive; }
  int value = 42;
};

TEST(Epoch, frees_what_no_reader_holds) {
  for (int i = 0; i < 1000; ++i) retire(new Counted<1>);
  EXPECT_LT(Counted<1>::alive, 200);
}

TEST(Epoch, keeps_what_a_reader_may_hold) {
  {
    EpochScope scope(this_thread());
    for (int i = 0; i < 1000; ++i) retire(new Counted<2>);
    EXPECT_EQ(Counted<2>::alive, 1000);
  }
  for (int i = 0; i < 200; ++i) retire(new Counted<2>);
  EXPECT_LT(Counted<2>::alive, 200);
}

TEST(Epoch, readers_in_threads_never_see_a_freed_object) {
  std::atomic<Counted<3>*> shared{new Counted<3>};
  std::atomic<bool> stop{false};
  std::atomic<long> wrong{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t)
    readers.emplace_back([&] {
      while (!stop) {
        EpochScope scope(this_thread());
        if (shared.load(std::memory_order_acquire)->value != 42) ++wrong;
      }
    });
  for (int i = 0; i < 20000; ++i) {
    Counted<3>* old = shared.exchange(new Counted<3>);
    retire(old, [](void* p) {
      static_cast<Counted<3>*>(p)->value = 0;
      delete static_cast<Counted<3>*>(p);
    });
  }
  stop = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
  delete shared.load();
}

}  // namespace
}  // namespace opyard
