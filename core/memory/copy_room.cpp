#include "core/memory/copy_room.h"

#include <sys/mman.h>

namespace dlscope::core {
namespace {

// Mapped so that it begins where a huge page can. nullptr: the system has no memory for it.
std::byte* map_huge(std::size_t size) {
  const std::size_t with_edges = size + CopyRoom::kHugePage;
  void* const base = ::mmap(nullptr, with_edges, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(base);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(base) % CopyRoom::kHugePage;
  if (before > 0) ::munmap(begin, before);
  ::munmap(begin + before + size, CopyRoom::kHugePage - before);
  ::madvise(begin + before, size, MADV_HUGEPAGE);
  return begin + before;
}

}  // namespace

void FreeCopyRoom::operator()(std::byte* bytes) const {
  if (mapped > 0)
    ::munmap(bytes, mapped);
  else
    delete[] bytes;
}

void CopyRoom::grow(std::size_t bytes) {
  bytes_.reset();
  size_ = 0;
  if (large_) {
    const std::size_t size = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    bytes_ = {map_huge(size), FreeCopyRoom{size}};
  }
  if (!bytes_) bytes_ = {new std::byte[bytes](), FreeCopyRoom{}};
  size_ = bytes;
}

}  // namespace dlscope::core
