// FreedBlockCache: a few large blocks of memory that were just freed, kept for the next allocation of that size: memory that comes fresh
// from the system costs a copy into it more than the copying itself, because each of its pages is found and cleared first. The
// kept memory is bounded and given up to the system where that needs it (MADV_FREE).
// thread: any. A thread that comes while another one is inside keeps and gets nothing; nothing here waits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace dlscope::core {

class FreedBlockCache {
 public:
  static constexpr std::size_t kAlignment = std::size_t{2} << 20;  // of every block: a huge page
  static constexpr std::size_t kLeast = 2 * kAlignment;            // bytes; smaller ones are left to malloc
  static constexpr std::size_t kMostBytes = (std::size_t{64} << 20) + kAlignment, kMost = 8;  // what malloc rounds up counts, too

  FreedBlockCache() = default;
  ~FreedBlockCache() { drop(); }
  FreedBlockCache(const FreedBlockCache&) = delete;
  FreedBlockCache& operator=(const FreedBlockCache&) = delete;

  // A kept block of at least `bytes`, and at most a quarter and 2 MiB more; the caller frees it with give(). null: there is none. What it
  // holds is undefined.
  [[nodiscard]] void* take(std::size_t bytes);
  // `block` is from take() or posix_memalign(): kept, or freed. The block that was kept longest gives way.
  void give(void* block);
  // Frees all.
  void drop();
  [[nodiscard]] std::size_t bytes();

 private:
  struct Block {
    void* memory = nullptr;
    std::size_t bytes = 0;
  };
  void remove(std::size_t at);

  std::mutex mutex_;
  std::array<Block, kMost> blocks_{};  // the first count_, the one kept longest first
  std::size_t count_ = 0, bytes_ = 0;
};

}  // namespace dlscope::core
