// ElementBytes: the raw bytes of a few elements of a tensor, and for each whether it could be read. For views, which show what is on
// the screen. Work on a whole tensor uses ElementReader instead. It owns the bytes it has read; nothing refers to the tensor.
// Use: restart(), add() for each element, read(). thread: one. Keep the object: its buffers are used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/address.h"
#include "core/memory/memory_reader.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

struct ElementBytes {
  // Of a vector element only the first lanes are read: one may claim 65535 of them.
  static constexpr std::size_t kMaxEach = 256;

  std::uint32_t item_bits = 0;
  std::size_t each = 0;                // bytes kept of an element; one more for packed ones, which may straddle two
  std::vector<std::byte> bytes;        // size() * each
  std::vector<std::uint8_t> bits;      // where in its bytes an element starts, 0 ... 7
  std::vector<std::uint8_t> complete;  // 0: could not be read
  MemoryReader::ReadStatus status{};  // stale or pending: ask again
  std::vector<Address> addresses;

  // Forgets all elements. Those added from now on have `element_bits` bits each; `expected` of them only reserves room.
  void restart(std::uint32_t element_bits, std::size_t expected = 0);
  // Adds the element whose first bit lies `bit` bits behind address `base` (before it, if negative).
  void add(Address base, std::int64_t bit);
  // Adds `count` elements with the C-order numbers first, first + 1, ...; the layout must have them.
  void add(LayoutView layout, Address base, std::uint64_t first, std::uint64_t count);
  // Reads all added elements and sets `complete` and `status`. Neighbours in memory are read together, all of it with one call of the
  // reader if it can. Never fails as a whole: an element that could not be read has complete 0 and bytes of 0.
  void read(const MemoryReader& reader);

  [[nodiscard]] std::size_t size() const { return addresses.size(); }
  [[nodiscard]] bool awaited() const { return status == MemoryReader::ReadStatus::pending; }
  [[nodiscard]] std::span<const std::byte> of(std::size_t element) const { return {bytes.data() + element * each, each}; }

 private:
  [[nodiscard]] std::size_t stretch() const;
  void read_again(const MemoryReader& reader, std::size_t needed, std::span<const std::size_t> elements);

  // Of the stretches; kept, because views read in every frame.
  std::vector<Address> starts_;
  std::vector<std::uint8_t> whole_;
};

}  // namespace dlscope::core
