// ReadBuffer: room for bytes that are read block by block, always into the same place. For a large amount it lies in a huge page,
// if the system grants one: the kernel then finds it in one step instead of page by page (SelfCopyReader).
// thread: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace dlscope::core {

struct FreeReadBuffer {
  std::size_t mapped = 0;  // bytes; 0: it is of the heap
  void operator()(std::byte* bytes) const;
};

class ReadBuffer {
 public:
  // all: bytes that will be read into it in the end. A huge page is cleared first, which is not worth it for few.
  explicit ReadBuffer(std::uint64_t all) : large_(all >= kLarge) {}

  // The first `bytes` of it. What they hold is kept as long as no more are asked for than before.
  [[nodiscard]] std::span<std::byte> first(std::size_t bytes) {
    if (bytes > size_) grow(bytes);
    return {bytes_.get(), bytes};
  }
  [[nodiscard]] std::byte* data() const { return bytes_.get(); }

  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  static constexpr std::uint64_t kLarge = std::uint64_t{16} << 20;

 private:
  void grow(std::size_t bytes);

  bool large_;
  std::size_t size_ = 0;
  std::unique_ptr<std::byte[], FreeReadBuffer> bytes_;
};

}  // namespace dlscope::core
