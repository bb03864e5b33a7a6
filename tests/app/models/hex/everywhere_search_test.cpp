// A search in all memory against every place looked at one by one: mappings with gaps between them, some of them out of bounds, some that go
// away in the middle.
#include "app/models/hex/everywhere_search.h"

#include <fmt/core.h>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace dlscope::app {
namespace {

constexpr core::Address kPage = 4096;

// Pages of a process of our own making.
class Pages final : public core::MemoryReader {
 public:
  std::size_t read(core::Address from, std::span<std::byte> out) const override {
    std::size_t got = 0;
    for (; got < out.size(); ++got) {
      const auto page = pages.find((from + got) / kPage);
      if (page == pages.end()) break;
      out[got] = page->second[(from + got) % kPage];
    }
    return got;
  }
  std::map<core::Address, std::vector<std::byte>> pages;  // by address / kPage
};

HexTask task_for(const char* pattern, bool lists) {
  auto made = BytePattern::parse(pattern, std::nullopt);
  REQUIRE(made);
  HexTask task;
  task.search = ByteSearch{.pattern = *made, .first = 0, .last = std::numeric_limits<core::Address>::max()};
  task.search->most = ~std::uint64_t{0};
  task.everywhere = true;
  task.lists = lists;
  return task;
}

bool always(std::uint64_t, std::uint64_t) { return true; }

std::vector<core::Address> addresses(const HexAnswer& answer) {
  std::vector<core::Address> out;
  for (const MemoryHit& hit : answer.hits) out.push_back(hit.address);
  return out;
}

}  // namespace

TEST_CASE("all memory is what can be read and is nobody's device, neighbours as one", "[app][models][hex]") {
  const auto map = core::AddressMap::parse(
      "1000-3000 r--p 00000000 00:00 0  /lib/x.so\n"
      "3000-4000 rw-p 00002000 00:00 0  /lib/x.so\n"
      "4000-5000 ---p 00000000 00:00 0 \n"
      "6000-7000 rw-p 00000000 00:00 0  [heap]\n"
      "8000-9000 rw-s 00000000 00:06 5  /dev/nvidia0\n"
      "9000-a000 rw-s 00000000 00:06 5  /dev/shm/ours\n"
      "b000-c000 rw-s 00000000 00:01 5  /memfd:dlscope (deleted)\n"
      "d000-e000 r--p 00000000 00:00 0  [vvar]\n"
      "e000-f000 r--p 00000000 00:00 0  [vvar_vclock]\n"
      "ffffffffff600000-ffffffffff601000 r-xp 00000000 00:00 0  [vsyscall]\n");
  CHECK(searchable_ranges(map) == std::vector<core::ByteRange>{{0x1000, 0x4000}, {0x6000, 0x7000}, {0x9000, 0xa000}});
  CHECK(mapping_name(map, 0x6010) == "[heap]");
  CHECK(mapping_name(map, 0x4010) == "memory without a name");
}

TEST_CASE("the list of matches is every place where the bytes lie, in order", "[app][models][hex]") {
  std::mt19937 random(20261123);
  for (int round = 0; round < 60; ++round) {
    Pages memory;
    std::string text;
    std::vector<core::Address> expected;
    for (core::Address page = 16; page < 30; ++page) {
      const bool mapped = random() % 4 != 0, lost = mapped && random() % 5 == 0;
      if (!mapped) continue;
      text += fmt::format("{:x}-{:x} rw-p 00000000 00:00 0 {}\n", page * kPage, (page + 1) * kPage, page % 2 ? "[heap]" : "");
      if (lost) continue;
      std::vector<std::byte> bytes(kPage);
      for (int i = 0; i < 6; ++i) {
        const auto at = static_cast<std::size_t>(random() % (kPage - 1));
        bytes[at] = std::byte{0xab};
        bytes[at + 1] = std::byte{0xcd};
      }
      if (random() % 2) bytes[kPage - 1] = std::byte{0xab};
      if (random() % 2) bytes[0] = std::byte{0xcd};
      memory.pages[page] = std::move(bytes);
    }
    for (core::Address at = 16 * kPage; at < 30 * kPage; ++at) {
      std::array<std::byte, 2> pair{};
      if (memory.read(at, pair) == 2 && pair[0] == std::byte{0xab} && pair[1] == std::byte{0xcd}) expected.push_back(at);
    }
    const auto map = core::AddressMap::parse(text);
    const HexAnswer listed = search_everywhere(task_for("ab cd", true), map, memory, always);
    CHECK(addresses(listed) == expected);
    CHECK_FALSE(listed.found.next);
    CHECK(std::ranges::all_of(listed.hits, [](const MemoryHit& hit) {
      return hit.mapping == (hit.address / kPage % 2 ? "[heap]" : "memory without a name");
    }));

    // One after the other, forward and backward, in pieces of any size.
    for (const bool forward : {true, false}) {
      std::vector<core::Address> found;
      HexTask task = task_for("ab cd", false);
      task.search->forward = forward;
      task.search->from = forward ? 0 : task.search->last;
      task.search->most = kPage * (1 + random() % 5) + random() % 7;
      for (int steps = 0; steps < 10'000; ++steps) {
        const HexAnswer answer = search_everywhere(task, map, memory, always);
        if (answer.found.address) found.push_back(*answer.found.address);
        const auto next = answer.found.address ? std::optional(*answer.found.address + (forward ? 1 : -1)) : answer.found.next;
        if (!next) break;
        task.search->from = *next;
      }
      if (!forward) std::ranges::reverse(found);
      CHECK(found == expected);
    }
  }
}

TEST_CASE("a list ends at its limit and says where, and a search that is stopped says how far it came", "[app][models][hex]") {
  Pages memory;
  for (core::Address page = 1; page <= 3; ++page) memory.pages[page] = std::vector<std::byte>(kPage, std::byte{7});
  const auto map = core::AddressMap::parse("1000-4000 rw-p 00000000 00:00 0 \n");
  const HexAnswer listed = search_everywhere(task_for("07", true), map, memory, always);
  CHECK(listed.hits.size() == kMaxHits);
  CHECK(listed.found.next == 0x1000 + kMaxHits);
  std::uint64_t total = 0;
  const HexAnswer stopped = search_everywhere(task_for("08", false), map, memory, [&](std::uint64_t, std::uint64_t all) {
    total = all;
    return false;
  });
  CHECK(total == 3 * kPage);
  CHECK(stopped.found.next == 0x1000);
  CHECK_FALSE(stopped.found.address);
}

}  // namespace dlscope::app
