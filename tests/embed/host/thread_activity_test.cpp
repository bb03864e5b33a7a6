#include "embed/host/thread_activity.h"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <semaphore>
#include <thread>

namespace dlscope::embed {

// A thread that ends has run, and may have written last of all: it is not there any more to say so.
TEST_CASE("a thread that has ended since is known to have run", "[host]") {
  std::binary_semaphore go_on(0);
  std::jthread waits([&] { go_on.acquire(); });
  const ThreadActivity before = ThreadActivity::now();
  REQUIRE(before.any());
  go_on.release();
  waits.join();
  // The kernel counts a thread for a moment after it has ended.
  ThreadActivity after = ThreadActivity::now();
  for (int i = 0; i < 1000 && after.any(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    after = ThreadActivity::now();
  }
  CHECK(before.ran_since() == ThreadActivity::Ran::yes);
  CHECK(after.ran_since() == ThreadActivity::Ran::no);
}

}  // namespace dlscope::embed
