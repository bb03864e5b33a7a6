#include "core/memory/freed_block_cache.h"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

namespace dlscope::core {
namespace {

// A block that was used after it was freed would be found by the sanitizer only if it is really freed.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeeps = false;
#else
constexpr bool kKeeps = true;
#endif

}  // namespace

void FreedBlockCache::remove(std::size_t at) {
  bytes_ -= blocks_[at].bytes;
  std::move(blocks_.begin() + static_cast<std::ptrdiff_t>(at) + 1, blocks_.begin() + static_cast<std::ptrdiff_t>(count_),
            blocks_.begin() + static_cast<std::ptrdiff_t>(at));
  --count_;
}

void* FreedBlockCache::take(std::size_t bytes) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return nullptr;
  for (std::size_t at = count_; at-- > 0;) {  // the newest one is the likeliest to be in the caches
    // malloc leaves up to an alignment behind the block, which nobody touches.
    if (blocks_[at].bytes < bytes || blocks_[at].bytes > bytes + bytes / 4 + kAlignment) continue;
    void* const memory = blocks_[at].memory;
    remove(at);
    return memory;
  }
  return nullptr;
}

void FreedBlockCache::give(void* block) {
  const std::size_t bytes = kKeeps && block != nullptr ? ::malloc_usable_size(block) : 0;
  const bool fits = bytes >= kLeast && bytes <= kMostBytes && reinterpret_cast<std::uintptr_t>(block) % kAlignment == 0;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!fits || !lock) return std::free(block);
  while (count_ > 0 && (count_ == kMost || bytes_ + bytes > kMostBytes)) {
    std::free(blocks_[0].memory);
    remove(0);
  }
  ::madvise(block, bytes / kAlignment * kAlignment, MADV_FREE);  // the system may have the pages; untouched, they are there again
  blocks_[count_++] = {block, bytes};
  bytes_ += bytes;
}

void FreedBlockCache::drop() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  while (lock && count_ > 0) {
    std::free(blocks_[0].memory);
    remove(0);
  }
}

std::size_t FreedBlockCache::bytes() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock ? bytes_ : 0;
}

}  // namespace dlscope::core
