#include "core/memory/read_buffer.h"

#include <sys/mman.h>

namespace dlscope::core {
namespace {

// Mapped so that it begins where a huge page can. nullptr: the system has no memory for it.
std::byte* map_huge(std::size_t size) {
  const std::size_t with_edges = size + ReadBuffer::kHugePage;
  void* const base = ::mmap(nullptr, with_edges, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(base);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(base) % ReadBuffer::kHugePage;
  if (before > 0) ::munmap(begin, before);
  ::munmap(begin + before + size, ReadBuffer::kHugePage - before);
  ::madvise(begin + before, size, MADV_HUGEPAGE);
  return begin + before;
}

}  // namespace

void FreeReadBuffer::operator()(std::byte* bytes) const {
  if (mapped > 0)
    ::munmap(bytes, mapped);
  else
    delete[] bytes;
}

void ReadBuffer::grow(std::size_t bytes) {
  bytes_.reset();
  size_ = 0;
  if (large_) {
    const std::size_t size = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    bytes_ = {map_huge(size), FreeReadBuffer{size}};
  }
  if (!bytes_) bytes_ = {new std::byte[bytes](), FreeReadBuffer{}};
  size_ = bytes;
}

}  // namespace dlscope::core
