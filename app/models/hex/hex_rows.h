// HexRows: a range of addresses as rows of equally many bytes. Addresses and row numbers are 64 bits wide and exact everywhere: a range
// may be the whole address space and end at its last byte, which is why its last byte is named and not the one behind it.
// Numbers only; thread: any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/base/address.h"

namespace dlscope::app {

inline constexpr unsigned kHexWidths[] = {8, 16, 32};  // bytes in a row

struct HexRows {
  core::Address first = 0, last = 0;  // of the range; both belong to it
  unsigned width = 16;                // one of kHexWidths

  // Rows begin at multiples of the width, so that an address stands in the same column whatever is shown. The first and the last row
  // may hold bytes outside of the range.
  [[nodiscard]] std::uint64_t rows() const { return last / width - first / width + 1; }
  [[nodiscard]] core::Address begin_of(std::uint64_t row) const { return (first / width + row) * width; }
  // Of an address in the range; one outside gives the nearest row.
  [[nodiscard]] std::uint64_t row_of(core::Address address) const { return clamp(address) / width - first / width; }
  [[nodiscard]] static unsigned column_of(core::Address address, unsigned width) {
    return static_cast<unsigned>(address % width);
  }
  [[nodiscard]] bool contains(core::Address address) const { return first <= address && address <= last; }
  [[nodiscard]] core::Address clamp(core::Address address) const { return std::clamp(address, first, last); }
  friend bool operator==(const HexRows&, const HexRows&) = default;
};

// The rows of a range that is not empty.
[[nodiscard]] inline HexRows rows_of(core::ByteRange range, unsigned width) { return {range.begin, range.end - 1, width}; }

// The keys that move the cursor.
enum class HexStep : std::uint8_t { left, right, up, down, page_up, page_down, row_begin, row_end, first, last };
// The byte one step on; it stays where the range ends. page: rows on the screen.
[[nodiscard]] core::Address stepped(const HexRows& rows, core::Address cursor, HexStep step, std::uint64_t page);

// Bytes that were selected, from where the selection began to where it is.
struct HexSelection {
  core::Address anchor = 0, head = 0;
  [[nodiscard]] core::Address first() const { return std::min(anchor, head); }
  [[nodiscard]] core::Address last() const { return std::max(anchor, head); }
  [[nodiscard]] bool contains(core::Address address) const { return first() <= address && address <= last(); }
  // nullopt: all 2^64.
  [[nodiscard]] std::optional<std::uint64_t> size() const {
    const std::uint64_t more = last() - first();
    return more == ~std::uint64_t{0} ? std::nullopt : std::optional(more + 1);
  }
  friend bool operator==(const HexSelection&, const HexSelection&) = default;
};

}  // namespace dlscope::app
