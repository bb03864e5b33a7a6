// Memory that ends at a page nobody may read: the byte after the last one faults, whatever else the process has mapped.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>

#include "core/base/address.h"

namespace dlscope::tests {

inline std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

// One or more readable pages, then one PROT_NONE page. Unmapped at the end of its life.
class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t bytes) : readable_((bytes + page_size() - 1) / page_size() * page_size()) {
    void* base = ::mmap(nullptr, readable_ + page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) throw std::runtime_error("mmap failed");
    base_ = static_cast<std::byte*>(base);
    if (::mprotect(base_ + readable_, page_size(), PROT_NONE) != 0) throw std::runtime_error("mprotect failed");
  }
  // A copy of `bytes` whose last byte is the last readable one.
  explicit GuardedMemory(std::span<const std::byte> bytes) : GuardedMemory(bytes.size()) {
    if (!bytes.empty()) std::memcpy(last(bytes.size()), bytes.data(), bytes.size());
  }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  GuardedMemory(GuardedMemory&& other) noexcept : base_(other.base_), readable_(other.readable_) { other.base_ = nullptr; }
  GuardedMemory& operator=(GuardedMemory&&) = delete;
  ~GuardedMemory() {
    if (base_ != nullptr) ::munmap(base_, readable_ + page_size());
  }

  [[nodiscard]] std::byte* begin() const { return base_; }
  [[nodiscard]] std::byte* guard() const { return base_ + readable_; }                // the first byte that faults
  [[nodiscard]] std::byte* last(std::size_t bytes) const { return guard() - bytes; }  // where the last `bytes` begin
  [[nodiscard]] core::Address guard_address() const { return reinterpret_cast<core::Address>(guard()); }

 private:
  std::byte* base_ = nullptr;
  std::size_t readable_;
};

}  // namespace dlscope::tests
