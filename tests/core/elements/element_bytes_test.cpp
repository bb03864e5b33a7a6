#include "core/elements/element_bytes.h"

#include <catch2/catch_test_macros.hpp>
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "core/memory/memory_reader.h"
#include "tests/support/guarded_memory.h"

namespace dlscope::core {
namespace {

// Reads this process and counts the calls.
class CountedReader final : public MemoryReader {
 public:
  std::size_t read(Address from, std::span<std::byte> out) const override { return inner_->read(from, out); }
  void gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override {
    ++calls;
    pieces += addresses.size();
    inner_->gather(addresses, each, out, complete);
  }
  mutable std::size_t calls = 0, pieces = 0;

 private:
  std::unique_ptr<MemoryReader> inner_ = std::move(*process_reader(0));
};

Address address_of(const void* at) { return reinterpret_cast<Address>(at); }

}  // namespace

TEST_CASE("Elements in C order are what their strides say, in any layout", "[core][elements]") {
  std::vector<std::uint16_t> data(600);
  std::iota(data.begin(), data.end(), std::uint16_t{1});
  const Layout layouts[] = {
      Layout::c_order({5, 6, 7}, 16),
      Layout::from_element_strides({7, 6, 5}, {1, 7, 42}, 16),
      Layout::from_element_strides({6, 5}, {-5, -1}, 16),
      Layout::from_element_strides({4, 3, 5}, {0, 20, 2}, 16),
      Layout::from_element_strides({1, 9, 1}, {0, 31, 0}, 16),
      Layout::c_order({}, 16),
  };
  const std::uint16_t* const base = data.data() + 300;
  CountedReader reader;
  for (const Layout& layout : layouts) {
    std::uint64_t all = 1;
    for (const std::int64_t n : layout.shape) all *= static_cast<std::uint64_t>(n);
    ElementBytes elements;
    for (std::uint64_t first = 0; first < all; first += 11) {
      const std::uint64_t count = std::min<std::uint64_t>(all - first, 23);
      elements.restart(16);
      elements.add(layout, address_of(base), first, count);
      elements.read(reader);
      REQUIRE(elements.size() == count);
      for (std::uint64_t i = 0; i < count; ++i) {
        std::uint16_t value = 0;
        std::memcpy(&value, elements.of(i).data(), 2);
        REQUIRE(elements.complete[i] == 1);
        REQUIRE(value == base[bit_offset_of(layout, first + i) / 16]);
      }
    }
  }
}

TEST_CASE("Neighbours are read in one piece, rows of them in a piece each, in one call", "[core][elements]") {
  std::vector<float> data(1000);
  const auto pieces_of = [&](const Layout& layout, std::uint64_t count) {
    CountedReader reader;
    ElementBytes elements;
    elements.restart(32);
    elements.add(layout, address_of(data.data()), 0, count);
    elements.read(reader);
    CHECK(reader.calls == 1);
    return reader.pieces;
  };
  CHECK(pieces_of(Layout::c_order({10, 100}, 32), 1000) == 1);
  CHECK(pieces_of(Layout::from_element_strides({10, 50}, {100, 1}, 32), 500) == 10);
  CHECK(pieces_of(Layout::from_element_strides({50, 10}, {1, 100}, 32), 500) == 500);
}

TEST_CASE("Where a stretch runs into a page that cannot be read, its readable elements are still there", "[core][elements]") {
  const tests::GuardedMemory memory(4096);
  const Address end = memory.guard_address();
  CountedReader reader;
  ElementBytes elements;
  elements.restart(32);
  elements.add(Layout::c_order({10}, 32), end - 24, 0, 10);
  elements.read(reader);
  CHECK(elements.complete == std::vector<std::uint8_t>{1, 1, 1, 1, 1, 1, 0, 0, 0, 0});
  // Packed: the last element fills the last byte and needs no byte behind it.
  elements.restart(4);
  elements.add(Layout::c_order({6}, 4), end - 2, 0, 6);
  elements.read(reader);
  CHECK(elements.complete == std::vector<std::uint8_t>{1, 1, 1, 1, 0, 0});
}

}  // namespace dlscope::core
