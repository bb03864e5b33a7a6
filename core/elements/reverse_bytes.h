// Copies numbers with the bytes of each in reverse order: from the other byte order to this machine's. The inner loop is compiled once
// for each instruction set (Highway; chosen at run time).
// thread: any.
#pragma once

#include <cstddef>
#include <span>

namespace dlscope::core {

// each: bytes of a number: 2, 4 or 8. `to` has room for from.size() bytes; it may be from.data(), otherwise the two do not overlap. If
// the size is no multiple of `each`, the rest is copied as it is.
void reverse_bytes(std::size_t each, std::span<const std::byte> from, std::byte* to);

// By instruction set, the best last; for tests.
struct ReverseKernels {
  const char* name;
  void (*reverse)(std::size_t each, const std::byte* from, std::size_t bytes, std::byte* to);
};
[[nodiscard]] std::span<const ReverseKernels* const> all_reverse_kernels();

}  // namespace dlscope::core
