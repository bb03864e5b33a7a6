// HexBytes: the bytes of consecutive rows, and for each row whether it could be read and why not. Only what is on the screen is
// read. KeptBytes: a small copy of bytes that were read while they were known to be their tensor's own.
// thread: one. Kept from frame to frame to reuse its memory.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "app/models/hex/hex_rows.h"
#include "core/memory/memory_reader.h"

namespace dlscope::app {

enum class RowState : std::uint8_t {
  readable,
  earlier,     // bytes of an earlier frame are shown: the read has not finished yet
  awaited,     // the first read has not finished yet
  unmapped,    // no readable memory is there
  no_answer,   // the memory does not answer in time
  not_asked,   // not read, because other memory does not answer
  not_kept,    // in a past moment: these bytes were not kept
};
// "not mapped", ...; "" for a row that has its bytes.
[[nodiscard]] const char* row_state_text(RowState state);

struct HexBytes {
  core::Address begin = 0;  // of the first row
  unsigned width = 16;
  std::vector<std::byte> bytes;  // width per row; 0 where the row cannot be read
  std::vector<RowState> rows;

  // Reads `count` rows from `first` on, at most to the last row.
  void read(const core::MemoryReader& reader, const HexRows& all, std::uint64_t first, std::uint64_t count);
  [[nodiscard]] bool has_bytes(std::size_t row) const { return rows[row] <= RowState::earlier; }
  [[nodiscard]] std::span<const std::byte> row(std::size_t row) const { return {bytes.data() + row * width, width}; }
  // Copies the known bytes from `address` on, at most `out.size()`; returns how many.
  [[nodiscard]] std::size_t copy_from(core::Address address, std::span<std::byte> out) const;

 private:
  std::vector<core::Address> addresses_;  // of the rows
  std::vector<std::uint8_t> complete_;
};

class KeptBytes {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  // Stores every row that could be read now.
  void keep(const HexBytes& read);
  void forget();
  // Fills `out` with the stored bytes of these rows.
  void take(const HexRows& all, std::uint64_t first, std::uint64_t count, HexBytes& out) const;
  // Copies the stored bytes from `address` on, at most `out.size()`; returns how many there are without a gap.
  [[nodiscard]] std::size_t copy_from(core::Address address, std::span<std::byte> out) const;
  [[nodiscard]] std::size_t bytes() const { return blocks_.size() * kBlock; }

 private:
  // A row of any width lies within one block; the widest is a whole block.
  static constexpr std::size_t kBlock = 32;
  struct Block {
    std::array<std::byte, kBlock> bytes{};
    std::uint32_t known = 0;  // a bit for each byte
  };
  std::map<core::Address, Block> blocks_;  // by address
  std::deque<core::Address> order_;        // oldest first
};

}  // namespace dlscope::app
