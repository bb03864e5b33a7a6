// What a request of a DeadlineReader loses by: its own reads, not the time for which it waits until it is read.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "core/memory/deadline_reader.h"
#include "tests/core/memory/slow_memory.h"

using namespace dlscope::core;
using namespace dlscope::tests;
using namespace std::chrono_literals;
using ReadStatus = MemoryReader::ReadStatus;

namespace {

// One step of the reader each.
std::vector<std::uint8_t> read_steps(const DeadlineReader& reader, std::size_t steps) {
  const std::vector<Address> addresses(steps, kBase);
  std::vector<std::byte> bytes(steps * kBytes);
  std::vector<std::uint8_t> complete(steps);
  reader.gather(addresses, kBytes, bytes, complete);
  return complete;
}

std::size_t read_one(const DeadlineReader& reader, const SlowMemory& memory, Address page) {
  std::array<std::byte, 8> out{};
  reader.read(kBase + page * kPage, out);
  return right_bytes(memory, kBase + page * kPage, out);
}

}  // namespace

TEST_CASE("whoever waits for a turn loses nothing by it", "[core][memory]") {
  const auto memory = std::make_shared<SlowMemory>();
  memory->takes = 30ms;
  const DeadlineReader reader(memory);  // the last of them waits for more than its second
  std::atomic<int> read{0};
  std::vector<std::jthread> threads;
  for (Address page = 0; page < 50; ++page) {
    threads.emplace_back([&, page] {
      const DeadlineReader own(reader);
      if (read_one(own, *memory, page) == 8 && own.last_status() == ReadStatus::fresh) ++read;
    });
  }
  threads.clear();
  CHECK(read == 50);
}

TEST_CASE("a request of many quick steps is read to its end", "[core][memory]") {
  const auto memory = std::make_shared<SlowMemory>();
  memory->takes = 30ms;
  const DeadlineReader reader(memory);
  CHECK(std::ranges::count(read_steps(reader, 50), 1) == 50);
  CHECK(reader.last_status() == ReadStatus::fresh);
}

TEST_CASE("reads that come back but take very long are given up at last", "[core][memory]") {
  const auto memory = std::make_shared<SlowMemory>();
  memory->takes = 60ms;
  const DeadlineReader reader(memory, {.patience = 200ms, .give_up = 200ms, .keep_last = false, .late = {}});
  const auto complete = read_steps(reader, 300);
  CHECK(complete.front() == 1);
  CHECK(complete.back() == 0);
  CHECK(reader.last_status() != ReadStatus::fresh);
  memory->takes = 0ms;
  CHECK(std::ranges::count(read_steps(reader, 50), 1) == 50);  // and are no reason against the next request
}

TEST_CASE("whoever waits behind reads that hang is read when they are given up", "[core][memory]") {
  const auto memory = std::make_shared<SlowMemory>();
  const DeadlineReader reader(memory, {.patience = 100ms, .give_up = 100ms, .keep_last = false, .late = {}});
  for (const Address page : {1, 2, 3}) memory->hold_up(kBase + page * kPage);
  std::vector<std::jthread> threads;
  for (const Address page : {1, 2, 3}) {
    threads.emplace_back([&, page] { read_one(DeadlineReader(reader), *memory, page); });
  }
  memory->wait_until_hanging(1);
  for (Address page = 10; page < 14; ++page) CHECK(read_one(reader, *memory, page) == 8);
  threads.clear();
  memory->let_all_go();
  memory->wait_until_free();
}

TEST_CASE("a small request does not wait for a large one to end", "[core][memory]") {
  const auto memory = std::make_shared<SlowMemory>();
  memory->hold_up(kBase);
  const DeadlineReader reader(memory, {.patience = 20s, .give_up = 20s, .keep_last = false, .late = {}});
  std::jthread large([&] { read_steps(reader, 100); });
  memory->wait_until_hanging(1);
  std::atomic<int> reads{0};
  std::jthread small([&] {
    read_one(reader, *memory, 5);
    reads = memory->reads.load();
  });
  std::this_thread::sleep_for(50ms);  // until it has asked
  memory->takes = 20ms;
  memory->let_all_go();
  small.join();
  CHECK(reads < 100);
  large.join();
  CHECK(memory->reads == 101);
}

TEST_CASE("a busy machine is no reason to call memory unreadable", "[core][memory]") {
  const auto memory = std::make_shared<SlowMemory>();
  std::atomic<bool> over{false};
  std::vector<std::jthread> busy;
  for (unsigned i = 0; i < 12; ++i) {
    busy.emplace_back([&] {
      while (!over) {
      }
    });
  }
  const DeadlineReader reader(memory);
  std::atomic<int> lost{0};
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 6; ++thread) {
    threads.emplace_back([&] {
      const DeadlineReader own(reader);
      for (Address page = 0; page < 30; ++page) lost += read_one(own, *memory, page) != 8;
      const auto complete = read_steps(own, 20);
      lost += static_cast<int>(std::ranges::count(complete, 0));
    });
  }
  threads.clear();
  over = true;
  CHECK(lost == 0);
}
