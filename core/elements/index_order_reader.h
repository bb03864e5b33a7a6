// IndexOrderReader: the bytes of some elements of a strided tensor, by their numbers in C order, through MemoryReader: for views and
// for whoever needs an element's place. (Whoever may take the elements in any order reads faster with ElementReader.)
// Bounded: callers ask range by range.
// thread: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/memory/memory_reader.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

// One piece per element. Reused: it keeps its memory.
struct ElementPieces {
  std::size_t each = 0;  // bytes of a piece
  std::vector<std::byte> bytes;
  std::vector<std::uint8_t> bits;      // where in its piece an element begins; empty: all at 0
  std::vector<std::uint8_t> complete;  // 0: not readable
  std::vector<Address> addresses;      // of the pieces; empty where they were read as one stretch

  [[nodiscard]] std::size_t count() const { return complete.size(); }
  [[nodiscard]] bool readable(std::size_t i) const { return complete[i] != 0; }
  [[nodiscard]] std::span<const std::byte> of(std::size_t i) const { return std::span(bytes).subspan(i * each, each); }
  [[nodiscard]] std::size_t bit(std::size_t i) const { return bits.empty() ? 0 : bits[i]; }
};

class IndexOrderReader {
 public:
  // `layout` (validated) and `reader` outlive it; `address`: of element [0,...,0]. Of an element wider than most_bytes only the
  // front is read.
  IndexOrderReader(LayoutView layout, Address address, const MemoryReader& reader, std::size_t most_bytes = 256);

  // The elements that begin at these bit offsets from element [0,...,0].
  void gather(std::span<const std::int64_t> bit_offsets, ElementPieces& out) const;
  // Elements [first, first + n) in C order, n <= most: one stretch of memory where they lie densely, all of it readable or none;
  // at most kGathered otherwise. Returns n, at least 1. first < elements.
  std::uint64_t range(std::uint64_t first, std::uint64_t most, ElementPieces& out) const;

  // Elements of the trailing axes that lie one after the other in C order, without a gap.
  [[nodiscard]] std::uint64_t dense_run() const { return dense_run_; }
  // C-order stretches can be read as they lie: whole bytes, long enough.
  [[nodiscard]] bool reads_stretches() const { return stretches_; }

  static constexpr std::uint64_t kGathered = 4096;

 private:
  LayoutView layout_;
  Address address_;
  const MemoryReader& reader_;
  std::uint64_t elements_ = 1;
  std::uint64_t dense_run_ = 1;
  std::size_t each_ = 1;
  bool packed_ = false;
  bool stretches_ = false;
};

}  // namespace dlscope::core
