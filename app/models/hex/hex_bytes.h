// HexBytes: the bytes of some neighbouring rows, each row with whether it could be read and why not. Only what is on the screen is read.
// KeptBytes: a small copy of what was read while the bytes were known to be their tensor's own.
// thread: one. Kept from one frame to the next, so that its memory is used again.
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
  earlier,     // the bytes of an earlier frame: what is there now is still awaited
  awaited,     // nothing is known yet
  unmapped,    // no memory that can be read lies there
  no_answer,   // its memory does not answer
  not_kept,    // of a time before: these bytes were not looked at then
};
// "not mapped", ...; "" for a row whose bytes are there.
[[nodiscard]] const char* row_state_text(RowState state);

struct HexBytes {
  core::Address begin = 0;  // of the first row
  unsigned width = 16;
  std::vector<std::byte> bytes;  // width for each row; 0 where the row cannot be read
  std::vector<RowState> rows;

  // `count` rows from `first` on, cut at the last one.
  void read(const core::MemoryReader& reader, const HexRows& all, std::uint64_t first, std::uint64_t count);
  [[nodiscard]] bool has_bytes(std::size_t row) const { return rows[row] <= RowState::earlier; }
  [[nodiscard]] std::span<const std::byte> row(std::size_t row) const { return {bytes.data() + row * width, width}; }
  // As many of the bytes from `address` on as are known, at most `out.size()`.
  [[nodiscard]] std::size_t copy_from(core::Address address, std::span<std::byte> out) const;

 private:
  std::vector<core::Address> addresses_;  // of the rows
  std::vector<std::uint8_t> complete_;
};

class KeptBytes {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

  // Every row that was read now.
  void keep(const HexBytes& read);
  void forget();
  // The same rows as `out` has, out of what was kept.
  void take(const HexRows& all, std::uint64_t first, std::uint64_t count, HexBytes& out) const;
  [[nodiscard]] std::size_t bytes() const { return blocks_.size() * kBlock; }

 private:
  // Rows of every width fit in whole; the widest is one block.
  static constexpr std::size_t kBlock = 32;
  struct Block {
    std::array<std::byte, kBlock> bytes{};
    std::uint32_t known = 0;  // a bit for each byte
  };
  std::map<core::Address, Block> blocks_;  // by where they begin
  std::deque<core::Address> order_;        // the oldest first
};

}  // namespace dlscope::app
