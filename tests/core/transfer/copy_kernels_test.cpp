// Every set of inner loops this machine can run, against loops of one line.
#include "core/transfer/copy_kernels.h"

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <random>
#include <vector>

namespace {

using namespace dlscope::core;

std::vector<std::byte> noise(std::size_t bytes) {
  std::mt19937 random(7);
  std::vector<std::byte> made(bytes);
  for (std::byte& byte : made) byte = static_cast<std::byte>(random());
  return made;
}

// Lines begin at multiples of 64 bytes in it.
struct Lines {
  explicit Lines(std::size_t bytes) : memory(bytes + kLineBytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    begin = memory.data() + (kLineBytes - address % kLineBytes) % kLineBytes;
  }
  std::vector<std::byte> memory;
  std::byte* begin;
};

template <class Check>
void for_every_set(Check check) {
  REQUIRE_FALSE(all_copy_kernels().empty());
  for (const CopyKernels* kernels : all_copy_kernels()) {
    CAPTURE(kernels->name);
    for (std::size_t log = 0; log < 4; ++log) check(*kernels, log, std::size_t{1} << log);
  }
}

TEST_CASE("Rectangles are transposed, whatever their sides", "[core][transfer]") {
  const auto source = noise(1 << 16);
  for_every_set([&](const CopyKernels& kernels, std::size_t log, std::size_t item) {
    for (const auto& [rows, columns] :
         {std::pair{1, 1}, {3, 5}, {4, 4}, {16, 16}, {17, 33}, {32, 16}, {64, 64}, {5, 64}, {64, 7}}) {
      CAPTURE(rows, columns, item);
      const auto pitch = static_cast<std::int64_t>((static_cast<std::size_t>(columns) + 3) * item);
      const auto to_pitch = static_cast<std::int64_t>((static_cast<std::size_t>(rows) + 1) * item);
      std::vector<std::byte> to(static_cast<std::size_t>(to_pitch * columns), std::byte{0xEE}), expected = to;
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c)
          std::memcpy(expected.data() + c * to_pitch + r * static_cast<std::int64_t>(item),
                      source.data() + r * pitch + c * static_cast<std::int64_t>(item), item);
      }
      kernels.transpose_blocks[log]({source.data(), to.data(), rows, columns, pitch, to_pitch});
      CHECK(to == expected);
    }
  });
}

// Noise that ends at a page which may not be read.
class GuardedNoise {
 public:
  explicit GuardedNoise(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t readable = (bytes + page - 1) / page * page;
    size_ = readable + page;
    memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory_ != MAP_FAILED);
    REQUIRE(mprotect(static_cast<std::byte*>(memory_) + readable, page, PROT_NONE) == 0);
    begin_ = static_cast<std::byte*>(memory_) + readable - bytes;
    const auto made = noise(bytes);
    std::memcpy(begin_, made.data(), bytes);
  }
  ~GuardedNoise() { munmap(memory_, size_); }
  GuardedNoise(const GuardedNoise&) = delete;
  GuardedNoise& operator=(const GuardedNoise&) = delete;
  [[nodiscard]] const std::byte* begin() const { return begin_; }

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
  std::byte* begin_ = nullptr;
};

// Transposes into noise: the rows of the target begin `shift` bytes after a line, or are in the opposite order.
void check_tiles(const CopyKernels& kernels, std::size_t which, std::int64_t rows, std::int64_t columns, std::int64_t shift,
                 bool is_reversed, Store store) {
  const std::int64_t item = kTileItems[which], pitch = columns * item + 5, to_pitch = rows * item + (shift % 2 == 0 ? 0 : 7);
  CAPTURE(item, rows, columns, shift, is_reversed, store == Store::stream);
  const GuardedNoise source(static_cast<std::size_t>((rows - 1) * pitch + columns * item));
  Lines to(static_cast<std::size_t>(shift + to_pitch * columns) + kLineBytes);
  std::vector<std::byte> expected = to.memory;
  const std::int64_t first = shift + (is_reversed ? (columns - 1) * to_pitch : 0), step = is_reversed ? -to_pitch : to_pitch;
  std::byte* const expected_begin = expected.data() + (to.begin - to.memory.data());
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c)
      std::memcpy(expected_begin + first + c * step + r * item, source.begin() + r * pitch + c * item,
                  static_cast<std::size_t>(item));
  }
  kernels.transpose_tiles[which]({source.begin(), to.begin + first, rows, columns, pitch, step}, store);
  CHECK(to.memory == expected);
}

TEST_CASE("Rectangles are transposed in tiles, wherever rows begin, and nothing outside is read or written", "[core][transfer]") {
  for (const CopyKernels* kernels : all_copy_kernels()) {
    CAPTURE(kernels->name);
    for (std::size_t which = 0; which < kTileItems.size(); ++which) {
      for (const Store store : {Store::cached, Store::stream}) {
        for (const auto& [rows, columns] : {std::pair{1, 1}, {3, 70}, {64, 64}, {65, 33}, {200, 5}, {129, 600}, {256, 128}}) {
          for (const std::int64_t shift : {0, 1, 32, 63}) check_tiles(*kernels, which, rows, columns, shift, false, store);
          check_tiles(*kernels, which, rows, columns, 21, true, store);
        }
      }
    }
  }
}

TEST_CASE("Elements are reversed", "[core][transfer]") {
  const auto source = noise(4096);
  for_every_set([&](const CopyKernels& kernels, std::size_t log, std::size_t item) {
    for (const std::size_t count : {1, 2, 15, 16, 17, 63, 64, 65, 200}) {
      std::vector<std::byte> to(count * item), expected = to;
      for (std::size_t i = 0; i < count; ++i)
        std::memcpy(expected.data() + i * item, source.data() + (count - 1 - i) * item, item);
      kernels.reverse[log](source.data() + (count - 1) * item, to.data(), count);
      CHECK(to == expected);
    }
  });
}

TEST_CASE("Groups are split and joined, and nothing behind the last element is read", "[core][transfer]") {
  for_every_set([&](const CopyKernels& kernels, std::size_t log, std::size_t item) {
    for (std::size_t group = 2; group <= 4; ++group) {
      for (std::size_t kept = 1; kept <= group; ++kept) {
        for (const std::size_t count : {1, 2, 31, 32, 33, 64, 129}) {
          CAPTURE(item, group, kept, count);
          const auto source = noise(((count - 1) * group + kept) * item);  // an address sanitizer sees a byte too many
          std::vector<std::vector<std::byte>> planes(kept, std::vector<std::byte>(count * item));
          std::vector<std::byte*> to;
          for (auto& plane : planes) to.push_back(plane.data());
          kernels.split[log](source.data(), group, to, count);
          bool equal = true;
          for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t c = 0; c < kept; ++c)
              equal = equal && std::memcmp(to[c] + i * item, source.data() + (i * group + c) * item, item) == 0;
          }
          CHECK(equal);
          if (kept != group) continue;
          std::vector<std::byte> back(source.size());
          const std::vector<const std::byte*> from(to.begin(), to.end());
          kernels.join[log](from, back.data(), count);
          CHECK(back == source);
        }
      }
    }
  });
}

TEST_CASE("Bytes past the caches arrive", "[core][transfer]") {
  const auto source = noise(8192 + 3);
  for (const CopyKernels* kernels : all_copy_kernels()) {
    Lines to(8192);
    kernels->stream(source.data() + 3, to.begin, 8192);
    CHECK(std::memcmp(to.begin, source.data() + 3, 8192) == 0);
  }
}

}  // namespace
