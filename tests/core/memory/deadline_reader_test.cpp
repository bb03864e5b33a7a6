// DeadlineReader over memory some of whose pages do not arrive until the test lets them.
#include "core/memory/deadline_reader.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "tests/core/memory/slow_memory.h"

using namespace dlscope::core;
using namespace std::chrono_literals;
using ReadStatus = MemoryReader::ReadStatus;
using dlscope::tests::kBase, dlscope::tests::kBytes, dlscope::tests::kPage, dlscope::tests::kWaits;
using dlscope::tests::right_bytes, dlscope::tests::SlowMemory;

TEST_CASE("it reads what the reader behind it reads", "[core][memory]") {
  const auto memory = std::make_shared<SlowMemory>();
  const DeadlineReader reader(memory, kWaits);
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const Address from = kBase - kPage + random() % (kBytes + 2 * kPage);
    std::vector<std::byte> out(random() % 3000), expected(out.size());
    const std::size_t got = reader.read(from, out);
    CHECK(got == memory->read(from, expected));
    CHECK(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(got), expected.begin()));
    CHECK(reader.last_status() == ReadStatus::fresh);
  }
  for (const std::size_t count : {0u, 1u, 511u, 512u, 513u, 5000u}) {
    std::vector<Address> addresses(count);
    for (Address& address : addresses) address = kBase - kPage + random() % (kBytes + 2 * kPage);
    const std::size_t each = 1 + random() % 16;
    std::vector<std::byte> out(count * each), expected(out.size());
    std::vector<std::uint8_t> complete(count, 7), expected_complete(count, 7);
    reader.gather(addresses, each, out, complete);
    memory->gather(addresses, each, expected, expected_complete);
    CHECK(complete == expected_complete);
    for (std::size_t i = 0; i < count; ++i) {
      if (complete[i] != 0) CHECK(std::memcmp(&out[i * each], &expected[i * each], each) == 0);
    }
    std::vector<std::uint8_t> readable(count), expected_readable(count);
    reader.probe(addresses, readable);
    memory->probe(addresses, expected_readable);
    CHECK(readable == expected_readable);
  }
}

TEST_CASE("a page that does not arrive costs one wait, the others are read", "[core][memory]") {
  const auto memory = std::make_shared<SlowMemory>();
  const DeadlineReader reader(memory, kWaits);
  const Address hung = kBase + 10 * kPage;
  memory->hold_up(hung);
  std::array<std::byte, 64> out{};
  CHECK(reader.read(hung, out) == 0);
  CHECK(reader.last_status() == ReadStatus::hung);
  CHECK(reader.read(kBase, out) == out.size());
  CHECK(reader.last_status() == ReadStatus::fresh);
  const int reads = memory->reads;
  CHECK(reader.read(hung + 100, out) == 0);  // known to hang: nobody asks again
  CHECK(reader.last_status() == ReadStatus::hung);
  CHECK(memory->reads == reads);

  // Pieces behind it are read as well.
  std::vector<Address> addresses;
  for (Address at = kBase; at < kBase + kBytes; at += 8) addresses.push_back(at);
  std::vector<std::byte> bytes(addresses.size() * 8);
  std::vector<std::uint8_t> complete(addresses.size());
  reader.gather(addresses, 8, bytes, complete);
  CHECK(reader.last_status() == ReadStatus::hung);
  CHECK(complete.front() == 1);
  CHECK(complete.back() == 1);
  CHECK(complete[(hung - kBase) / 8] == 0);

  memory->let_all_go();
  memory->wait_until_free();
  while (reader.read(hung, out) == 0) std::this_thread::yield();  // the thread has come back and says so in a moment
  CHECK(right_bytes(*memory, hung, out) == out.size());
}

TEST_CASE("a thread that comes late to its work does not make memory unreadable", "[core][memory]") {
  const auto memory = std::make_shared<SlowMemory>();
  memory->hold_up(kBase);
  DeadlineOptions options{.patience = 50ms, .give_up = 50ms, .keep_last = false, .late = {}};
  options.at_thread_start = [] { std::this_thread::sleep_for(150ms); };
  const DeadlineReader reader(memory, options);
  const std::array<Address, 3> asked{kBase + 8 * kPage, kBase, kBase + 16 * kPage};
  std::array<MemoryReader::Probed, 3> found{};
  reader.probe_each(asked, found);
  CHECK(found[0] == MemoryReader::Probed::readable);
  CHECK(found[1] == MemoryReader::Probed::hung);
  CHECK(found[2] == MemoryReader::Probed::readable);
  memory->let_all_go();
  memory->wait_until_free();
}

TEST_CASE("when too many threads hang no more is asked for until one comes back, and that is said", "[core][memory]") {
  const auto memory = std::make_shared<SlowMemory>();
  const DeadlineReader reader(memory, kWaits);
  std::array<std::byte, 8> out{};
  for (Address page = 0; page < 40; ++page) {
    memory->hold_up(kBase + page * kPage);
    CHECK(reader.read(kBase + page * kPage, out) == 0);
    CHECK(reader.last_status() == (page < 4 ? ReadStatus::hung : ReadStatus::skipped));
  }
  memory->wait_until_hanging(4);
  CHECK(reader.read(kBase + 50 * kPage, out) == 0);
  CHECK(reader.last_status() == ReadStatus::skipped);
  memory->let_all_go();
  memory->wait_until_free();
  while (reader.read(kBase + 50 * kPage, out) == 0) std::this_thread::yield();
  CHECK(right_bytes(*memory, kBase + 50 * kPage, out) == out.size());
}

namespace {

// Mappings of eight pages each, of which a few pages are there.
class EightPages final : public PageFacts {
 public:
  explicit EightPages(std::set<Address> there) : there_(std::move(there)) {}
  ByteRange mapping_of(Address address) const override {
    const Address begin = kBase + (address - kBase) / (8 * kPage) * 8 * kPage;
    return {begin, begin + 8 * kPage};
  }
  bool present(ByteRange range) const override {
    for (Address page = range.begin / kPage; page <= (range.end - 1) / kPage; ++page) {
      if (!there_.contains((page * kPage - kBase) / kPage)) return false;
    }
    return true;
  }

 private:
  std::set<Address> there_;  // numbers of pages from kBase on
};

DeadlineOptions with_pages(std::set<Address> there) {
  DeadlineOptions options = kWaits;
  options.pages = std::make_shared<EightPages>(std::move(there));
  return options;
}

Address page_at(Address number) { return kBase + number * kPage; }

}  // namespace

TEST_CASE("a mapping that hangs costs one thread, and what is there of it is read", "[core][memory]") {
  using Probed = MemoryReader::Probed;
  const auto memory = std::make_shared<SlowMemory>();
  const DeadlineReader reader(memory, with_pages({2, 8, 15, 40}));
  for (const Address page : {0, 1, 5, 7}) memory->hold_up(page_at(page));
  // The first batch: two pages of the mapping hang, one is there, and so are those of others.
  std::vector<Probed> found(5);
  reader.probe_each(std::array{page_at(0), page_at(7), page_at(2), page_at(8), page_at(15)}, found);
  CHECK(found == std::vector{Probed::hung, Probed::hung, Probed::readable, Probed::readable, Probed::readable});
  memory->wait_until_hanging(1);
  // Others of it are not asked for any more, in whatever company.
  const int reads = memory->reads;
  std::vector<Probed> again(3);
  reader.probe_each(std::array{page_at(1), page_at(5), page_at(30)}, again);
  CHECK(again == std::vector{Probed::skipped, Probed::skipped, Probed::readable});
  CHECK(memory->reads == reads + 1);
  std::array<std::byte, 16> out{};
  CHECK(reader.read(page_at(2) + 8, out) == out.size());
  CHECK(reader.last_status() == ReadStatus::fresh);
  CHECK(reader.read(page_at(1) + 8, out) == 0);
  CHECK(reader.last_status() == ReadStatus::skipped);
  CHECK(reader.read(page_at(7), out) == 0);
  CHECK(reader.last_status() == ReadStatus::hung);
  // One large piece comes as far as it is there.
  std::vector<std::byte> large(3 * kPage);
  CHECK(reader.read(page_at(2), large) == kPage);
  CHECK(right_bytes(*memory, page_at(2), std::span(large).first(kPage)) == kPage);
  CHECK(reader.last_status() == ReadStatus::skipped);
  memory->wait_until_hanging(1);
  memory->let_all_go();
  memory->wait_until_free();
  while (reader.read(page_at(1), out) == 0) std::this_thread::yield();
  CHECK(right_bytes(*memory, page_at(1), out) == out.size());
}

TEST_CASE("however many mappings hang, memory that is there is read", "[core][memory]") {
  using Probed = MemoryReader::Probed;
  const auto memory = std::make_shared<SlowMemory>();
  const DeadlineReader reader(memory, with_pages({3, 60, 61}));
  for (Address mapping = 0; mapping < 7; ++mapping) memory->hold_up(page_at(8 * mapping));
  std::vector<Address> addresses;
  for (Address mapping = 0; mapping < 7; ++mapping) addresses.push_back(page_at(8 * mapping));
  for (const Address page : {3, 60, 62}) addresses.push_back(page_at(page));
  std::vector<Probed> found(addresses.size());
  reader.probe_each(addresses, found);
  CHECK(reader.last_status() == ReadStatus::hung);
  CHECK(found[7] == Probed::readable);
  CHECK(found[8] == Probed::readable);
  CHECK(found[9] == Probed::skipped);  // it is not known whether it is there
  CHECK(std::ranges::count(found, Probed::hung) == 3);
  CHECK(std::ranges::count(found, Probed::skipped) == 5);
  CHECK(std::ranges::count(found, Probed::unreadable) == 0);
  memory->wait_until_hanging(4);
}

TEST_CASE("what cannot be read is told apart from what does not answer", "[core][memory]") {
  using Probed = MemoryReader::Probed;
  const auto memory = std::make_shared<SlowMemory>();
  const DeadlineReader reader(memory, kWaits);
  memory->hold_up(page_at(1));
  std::vector<Probed> found(4);
  reader.probe_each(std::array{page_at(0), kBase - kPage, page_at(1), page_at(2)}, found);
  CHECK(found == std::vector{Probed::readable, Probed::unreadable, Probed::hung, Probed::readable});
}

TEST_CASE("a copy uses the same threads and answers for itself", "[core][memory]") {
  const auto memory = std::make_shared<SlowMemory>();
  auto first = std::make_unique<DeadlineReader>(memory, kWaits);
  const DeadlineReader second(*first);
  memory->hold_up(page_at(1));
  std::array<std::byte, 8> out{};
  CHECK(first->read(page_at(1), out) == 0);
  CHECK(second.last_status() == ReadStatus::fresh);
  const int reads = memory->reads;
  CHECK(second.read(page_at(1), out) == 0);
  CHECK(second.last_status() == ReadStatus::hung);
  CHECK(memory->reads == reads);
  first.reset();
  CHECK(second.read(page_at(2), out) == out.size());
  second.rest();
  CHECK(second.read(page_at(3), out) == out.size());
}

TEST_CASE("a reader that is dropped while its thread hangs does not wait for it", "[core][memory]") {
  const auto memory = std::make_shared<SlowMemory>();
  memory->hold_up(kBase);
  {
    const DeadlineReader reader(memory, kWaits);
    std::array<std::byte, 8> out{};
    CHECK(reader.read(kBase, out) == 0);
  }
  memory->wait_until_hanging(1);
  memory->let_all_go();
  memory->wait_until_free();
}

TEST_CASE("for frames: the bytes of before until there are new ones", "[core][memory]") {
  const auto memory = std::make_shared<SlowMemory>();
  std::atomic<int> late{0};
  const DeadlineOptions options{.patience = 20s, .give_up = 20s, .keep_last = true, .late = [&] { ++late; }};
  DeadlineOptions hasty = options;
  hasty.patience = 0ms;
  const std::array<Address, 2> addresses{kBase, kBase + 8};
  std::array<std::byte, 16> out{};
  std::array<std::uint8_t, 2> complete{};
  const auto show = [&](const DeadlineReader& reader) {
    out = {};
    reader.gather(addresses, 8, out, complete);
    return reader.last_status();
  };
  SECTION("in time") {
    const DeadlineReader reader(memory, options);
    for (std::uint8_t value = 0; value < 50; ++value) {
      memory->write(value);
      CHECK(show(reader) == ReadStatus::fresh);
      CHECK(complete == std::array<std::uint8_t, 2>{1, 1});
      CHECK(right_bytes(*memory, kBase, out) == out.size());
    }
    CHECK(late == 0);
    CHECK_FALSE(reader.waits());
  }
  SECTION("late") {
    const DeadlineReader reader(memory, hasty);
    memory->hold_up(kBase);
    CHECK(show(reader) == ReadStatus::pending);
    CHECK(complete == std::array<std::uint8_t, 2>{0, 0});
    CHECK(reader.waits());
    memory->let_all_go();
    while (late == 0) std::this_thread::yield();
    CHECK(show(reader) == ReadStatus::fresh);
    CHECK(right_bytes(*memory, kBase, out) == out.size());

    memory->hold_up(kBase);
    ReadStatus answer = show(reader);
    while (answer == ReadStatus::fresh) answer = show(reader);  // what was read before it was held up
    CHECK(answer == ReadStatus::stale);
    CHECK(right_bytes(*memory, kBase, out) == out.size());
    CHECK(show(reader) == ReadStatus::stale);
    const int before = late;
    memory->let_all_go();
    while (late == before) std::this_thread::yield();
    CHECK(show(reader) == ReadStatus::fresh);
  }
  SECTION("never") {
    DeadlineOptions gives_up = hasty;
    gives_up.give_up = 30ms;
    const DeadlineReader reader(memory, gives_up);
    memory->hold_up(kBase);
    CHECK(show(reader) == ReadStatus::pending);
    while (show(reader) != ReadStatus::hung) std::this_thread::sleep_for(1ms);
    CHECK(complete == std::array<std::uint8_t, 2>{0, 0});
    std::array<std::byte, 8> other{};
    while (reader.read(kBase + 5 * kPage, other) == 0) std::this_thread::yield();
    CHECK(right_bytes(*memory, kBase + 5 * kPage, other) == other.size());
    memory->let_all_go();
    memory->wait_until_free();
    while (show(reader) != ReadStatus::fresh || complete[0] == 0) std::this_thread::yield();
    CHECK(right_bytes(*memory, kBase, out) == out.size());
  }
}

TEST_CASE("for frames: more questions than are kept, asked in turn", "[core][memory]") {
  const auto memory = std::make_shared<SlowMemory>();
  const DeadlineReader reader(memory, {.patience = 20s, .give_up = 20s, .keep_last = true, .late = {}});
  for (int round = 0; round < 3; ++round) {
    for (Address page = 0; page < 30; ++page) {
      std::array<std::byte, 24> out{};
      CHECK(reader.read(kBase + page * kPage, out) == out.size());
      CHECK(right_bytes(*memory, kBase + page * kPage, out) == out.size());
    }
  }
}

TEST_CASE("many threads may ask at once", "[core][memory]") {
  const auto memory = std::make_shared<SlowMemory>();
  const DeadlineReader reader(memory, kWaits);
  std::atomic<int> wrong{0};
  std::vector<std::jthread> threads;
  for (Address thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      std::array<std::byte, 300> out{};
      for (Address i = 0; i < 200; ++i) {
        const Address from = kBase + (thread * 7 + i * 13) % 60 * kPage;
        if (reader.read(from, out) != out.size() || right_bytes(*memory, from, out) != out.size()) ++wrong;
      }
    });
  }
  threads.clear();
  CHECK(wrong == 0);
}
