#include "embed/host/host_threads.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <thread>

namespace dlscope::embed {

TEST_CASE("of the threads that have ended only the last ones are remembered, however many there were", "[host]") {
  StartedThreads started;
  std::size_t most = 0;
  for (int i = 0; i < 300; ++i) {
    std::jthread([&] { started.note_this(); }).join();
    most = std::max(most, started.size());
  }
  CHECK(most < 20);  // the kernel counts a thread for a moment after it has ended
  started.wait_until_gone();
  CHECK(started.size() == 0);
}

}  // namespace dlscope::embed
