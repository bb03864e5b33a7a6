#include "tests/support/allocation_count.h"

#include <cstdlib>
#include <new>

namespace {
thread_local std::uint64_t allocations = 0;
}  // namespace

// In a file of its own: where GCC can inline one of these and not its partner, it sees a free() of something malloc() did not
// give, or the other way round, and refuses to compile (-Wmismatched-new-delete).
void* operator new(std::size_t size) {
  ++allocations;
  if (void* block = std::malloc(size > 0 ? size : 1)) return block;
  throw std::bad_alloc();
}
// std::stable_sort asks this way and gives back the plain one's: both have to be ours, or a sanitizer sees two allocators.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size > 0 ? size : 1);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

namespace dlscope::tests {

std::uint64_t allocations_of_this_thread() noexcept { return allocations; }

}  // namespace dlscope::tests
