// HexRows: an address range as rows of equal width. Addresses and row numbers are exact 64-bit numbers: a range may be the whole
// address space. It ends at its last byte (inclusive), because the address after that byte may not exist.
// No I/O; thread: any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/base/address.h"

namespace dlscope::app {

inline constexpr unsigned kHexWidths[] = {8, 16, 32};  // bytes in a row

struct HexRows {
  core::Address first = 0, last = 0;  // of the range, both inclusive
  unsigned width = 16;                // one of kHexWidths

  // Rows begin at multiples of the width, so that an address is in the same column whatever range is shown. The first and the
  // last row may contain bytes outside of the range.
  [[nodiscard]] std::uint64_t rows() const { return last / width - first / width + 1; }
  [[nodiscard]] core::Address begin_of(std::uint64_t row) const { return (first / width + row) * width; }
  // The row of an address; an address outside of the range gives the nearest row.
  [[nodiscard]] std::uint64_t row_of(core::Address address) const { return clamp(address) / width - first / width; }
  [[nodiscard]] static unsigned column_of(core::Address address, unsigned width) {
    return static_cast<unsigned>(address % width);
  }
  [[nodiscard]] bool contains(core::Address address) const { return first <= address && address <= last; }
  [[nodiscard]] core::Address clamp(core::Address address) const { return std::clamp(address, first, last); }
  friend bool operator==(const HexRows&, const HexRows&) = default;
};

// The rows of a range, which must not be empty.
[[nodiscard]] inline HexRows rows_of(core::ByteRange range, unsigned width) { return {range.begin, range.end - 1, width}; }

// The keys that move the cursor.
enum class HexStep : std::uint8_t { left, right, up, down, page_up, page_down, row_begin, row_end, first, last };
// The cursor after one step; it stops at the ends of the range. page: rows on the screen.
[[nodiscard]] core::Address stepped(const HexRows& rows, core::Address cursor, HexStep step, std::uint64_t page);

// A selection of bytes, from where it began (anchor) to where it ends (head).
struct HexSelection {
  core::Address anchor = 0, head = 0;
  [[nodiscard]] core::Address first() const { return std::min(anchor, head); }
  [[nodiscard]] core::Address last() const { return std::max(anchor, head); }
  [[nodiscard]] bool contains(core::Address address) const { return first() <= address && address <= last(); }
  // nullopt: all 2^64 bytes.
  [[nodiscard]] std::optional<std::uint64_t> size() const {
    const std::uint64_t more = last() - first();
    return more == ~std::uint64_t{0} ? std::nullopt : std::optional(more + 1);
  }
  friend bool operator==(const HexSelection&, const HexSelection&) = default;
};

}  // namespace dlscope::app
