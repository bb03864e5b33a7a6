// Freed blocks that are kept for the next copy: which, how many, for whom.
#include "core/memory/freed_block_cache.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace dlscope::core {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

void* block_of(std::size_t bytes, std::size_t alignment = FreedBlockCache::kAlignment) {
  void* memory = nullptr;
  REQUIRE(::posix_memalign(&memory, alignment, bytes) == 0);
  std::memset(memory, 1, bytes);
  return memory;
}

bool keeps_any() {
#if defined(__SANITIZE_ADDRESS__)
  return false;
#else
  return true;
#endif
}

}  // namespace

TEST_CASE("a freed block is given to the next one of about its size, and to no other", "[core][memory]") {
  if (!keeps_any()) SKIP("under AddressSanitizer freed memory is really freed");
  FreedBlockCache kept;
  void* const block = block_of(8 * kMiB);
  kept.give(block);
  CHECK((kept.bytes() >= 8 * kMiB && kept.bytes() <= 8 * kMiB + 2 * FreedBlockCache::kAlignment));
  CHECK(kept.take(13 * kMiB) == nullptr);  // too small
  CHECK(kept.take(4 * kMiB) == nullptr);   // too large: the rest would be wasted
  void* const again = kept.take(7 * kMiB);
  CHECK(again == block);
  CHECK(kept.bytes() == 0);
  CHECK(kept.take(7 * kMiB) == nullptr);
  std::memset(again, 2, 8 * kMiB);  // all of it is there
  kept.give(again);
  kept.drop();
  CHECK((kept.bytes() == 0 && kept.take(8 * kMiB) == nullptr));
}

TEST_CASE("what is kept has a bound, small and unaligned blocks are not kept, and the oldest gives way", "[core][memory]") {
  if (!keeps_any()) SKIP("under AddressSanitizer freed memory is really freed");
  FreedBlockCache kept;
  kept.give(nullptr);
  kept.give(block_of(2 * kMiB));
  kept.give(block_of(8 * kMiB + 64, 64));
  kept.drop();
  kept.give(block_of(80 * kMiB));
  CHECK(kept.bytes() == 0);
  void* const first = block_of(20 * kMiB);
  kept.give(first);
  for (std::size_t mib : {32, 34, 36, 4, 4, 4, 4, 4, 4, 4, 4}) {
    kept.give(block_of(mib * kMiB));
    REQUIRE(kept.bytes() <= FreedBlockCache::kMostBytes);
  }
  CHECK(kept.take(20 * kMiB) == nullptr);
}

TEST_CASE("threads give and take at once, and no block is given to two", "[core][memory]") {
  FreedBlockCache kept;
  std::vector<std::thread> threads;
  for (unsigned char number = 1; number <= 4; ++number) {
    threads.emplace_back([&kept, number] {
      for (int round = 0; round < 200; ++round) {
        void* memory = kept.take(4 * kMiB);
        if (memory == nullptr && ::posix_memalign(&memory, FreedBlockCache::kAlignment, 4 * kMiB) != 0) return;
        auto* const bytes = static_cast<unsigned char*>(memory);
        for (std::size_t at = 0; at < 4 * kMiB; at += kMiB) bytes[at] = number;
        std::this_thread::yield();
        for (std::size_t at = 0; at < 4 * kMiB; at += kMiB) {
          if (bytes[at] != number) std::abort();  // another thread has it, too
        }
        kept.give(memory);
      }
    });
  }
  for (std::thread& each : threads) each.join();
  CHECK(kept.bytes() <= FreedBlockCache::kMostBytes);
}

}  // namespace dlscope::core
