// ElementBytes: chosen elements of a tensor, by index, each with whether it could be read: for views, which show a few and say of each
// what is wrong with it. What is read as a whole goes through ElementReader, in the order of the memory.
// thread: one. Kept from one use to the next so that its memory is used again.
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

  // None is chosen; those to come, about as many as `expected`, have this size.
  void restart(std::uint32_t element_bits, std::size_t expected = 0);
  // Chooses the element whose first bit lies `bit` bits from `base`.
  void add(Address base, std::int64_t bit);
  // Chooses `count` elements from `first` on in C order; they exist.
  void add(LayoutView layout, Address base, std::uint64_t first, std::uint64_t count);
  // Reads those that were chosen, in one call of the reader where it can be: stretches of neighbours in one piece each.
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
