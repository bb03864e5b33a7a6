// ElementReader: gives the values of a strided tensor as contiguous arrays in this machine's byte order, one window after another, in
// the order of a MemoryOrder. Strided values are gathered, packed values of less than a byte get a byte each, numbers in the other byte
// order are reversed. It allocates a few windows, nothing of the tensor's size.
// thread: one; several readers of one MemoryOrder may run beside each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/elements/memory_order.h"
#include "core/memory/memory_reader.h"
#include "core/memory/read_buffer.h"

namespace dlscope::core {

// How the values are reached. `reader` copies their bytes and cannot crash, whatever the address (it may read another process).
// nullptr: plain loads, several times as fast; only for memory of this process that a lease or the caller holds meanwhile.
struct ElementSource {
  const MemoryReader* reader = nullptr;
  // Of numbers in the other byte order: 2, 4 or 8 bytes each, which are reversed when they are read (a complex number is two such
  // parts). 0: none are.
  std::uint8_t reversed_bytes = 0;

  [[nodiscard]] static ElementSource held_memory() { return {}; }
  [[nodiscard]] static ElementSource checked(const MemoryReader& reader) { return {.reader = &reader}; }
  // The same values, through this reader.
  [[nodiscard]] ElementSource read_by(const MemoryReader& by) const { return {.reader = &by, .reversed_bytes = reversed_bytes}; }
};

class ElementReader {
 public:
  // `order` and source.reader must outlive it. A window has at most `most_values` values.
  ElementReader(const MemoryOrder& order, ElementSource source, std::uint64_t most_values)
      : ElementReader(order.base(), order.bits(), order.value_bits(), source, most_values) {}
  // Values of `value_bits` in any other order: `bits`, which must outlive it, says where they lie beyond `base`, never in front of it.
  ElementReader(Address base, const AffineAxes& bits, unsigned value_bits, ElementSource source, std::uint64_t most_values);

  // `count` values of value_bytes() each, one after another. Valid until the next read(). `data` may be misaligned, and may point into
  // the tensor itself (held memory that is contiguous already).
  struct Window {
    const std::byte* data = nullptr;
    std::uint64_t count = 0;
    // The address of the value behind this window, to be prefetched, if the values were copied from contiguous memory; else 0.
    Address next = 0;
  };
  // The values of some of the places [from, to), from `from` on: as many as fit, a multiple of `granule` (<= most_values) unless it
  // reaches `to`. `to` is at most the number of places. Fails, in words, when a byte of them cannot be read.
  [[nodiscard]] Result<Window> read(std::uint64_t from, std::uint64_t to, std::uint64_t granule);

  // Reads other memory from now on: values of the same size at `bits` beyond `base`. The last window is no longer valid; buffers are
  // kept. `bits` must outlive it.
  void retarget(Address base, const AffineAxes& bits);

  // Bytes of one value in a window: 1 for sub-byte values (in the low bits, the high ones 0).
  [[nodiscard]] std::size_t value_bytes() const { return value_bytes_; }

 private:
  // Values that were read in one piece: `run` with its bit positions counted from the start of scratch_.
  struct Piece {
    AffineRun run;
    std::uint64_t to = 0;      // the first value's place in the window
    std::uint64_t spread = 1;  // from one value's place to the next one's
  };
  struct Read {
    Address from = 0;
    std::size_t offset = 0, size = 0;  // in scratch_
  };

  [[nodiscard]] bool is_straight(const AffineRun& run) const;
  [[nodiscard]] std::byte* out_at(std::uint64_t value) { return values_.data() + value * value_bytes_; }
  void unpack(const std::byte* base, const AffineRun& run, std::byte* out) const;
  [[nodiscard]] std::uint64_t rows_at(std::uint64_t place, std::uint64_t to) const;
  void move_rows(const std::byte* from, std::uint64_t rows, std::byte* out) const;
  void gather_held(std::uint64_t from, std::uint64_t count);
  [[nodiscard]] Result<void> read_checked(Address from, std::span<std::byte> out) const;
  [[nodiscard]] Result<void> gather_checked(std::uint64_t from, std::uint64_t count);
  [[nodiscard]] std::uint64_t rows_to_read(std::uint64_t rows) const;
  [[nodiscard]] Result<void> read_rows(std::uint64_t place, std::uint64_t rows, std::uint64_t to);
  [[nodiscard]] Result<void> plan_transposed(std::uint64_t place, std::uint64_t rows, std::uint64_t to);
  [[nodiscard]] Result<void> make_room(const AffineRun& run);
  void plan(const AffineRun& run, std::uint64_t to, std::uint64_t spread = 1);
  [[nodiscard]] Result<void> fetch();
  [[nodiscard]] Result<void> fetch_equal(std::size_t first, std::size_t count);

  Address base_;
  const AffineAxes* bits_;
  unsigned value_bits_;
  ElementSource source_;
  std::uint64_t most_values_;
  std::size_t value_bytes_;
  bool whole_bytes_;  // values and the distances between them
  // The first axis steps from line to line of the cache, the second within a line, as in a transposed array. Then stretches along the
  // second one are read and transposed, so that each line is brought once.
  bool transposed_ = false;
  // The first axis has few values, as the channels of an image: many of its rows are moved at a time.
  bool short_rows_ = false;
  ReadBuffer values_, scratch_;
  std::size_t scratch_used_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Read> reads_;
  std::vector<Address> addresses_;
  std::vector<std::uint8_t> complete_;
};

}  // namespace dlscope::core
