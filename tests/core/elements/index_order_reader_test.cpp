#include "core/elements/index_order_reader.h"

#include <sys/mman.h>

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "core/base/checked_math.h"

namespace dlscope::core {
namespace {

Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

TEST_CASE("elements of any layout come one after the other in C order", "[core][elements]") {
  const auto reader = process_reader(0).value();
  std::vector<std::byte> memory(1 << 16);
  std::mt19937 random(7);
  for (auto& byte : memory) byte = static_cast<std::byte>(random());
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 2000; ++round) {
    Layout layout;
    layout.item_bits = static_cast<std::uint32_t>(std::vector{4, 6, 8, 12, 16, 24, 32, 64}[static_cast<std::size_t>(pick(0, 7))]);
    const std::int64_t unit = layout.item_bits % 8 == 0 ? 8 : 2;
    for (int axis = pick(0, 3); axis-- > 0;) {
      layout.shape.push_back(pick(1, 9));
      layout.stride_bits.push_back(pick(-12, 12) * unit);
    }
    if (pick(0, 2) == 0) layout = Layout::c_order(layout.shape, layout.item_bits);
    const Address middle = address_of(memory.data()) + memory.size() / 2;
    std::uint64_t elements = 1;
    for (const auto n : layout.shape) elements *= static_cast<std::uint64_t>(n);
    const IndexOrderReader read(layout, middle, *reader);
    ElementPieces pieces;
    for (std::uint64_t at = 0; at < elements;) {
      const std::uint64_t count = read.range(at, static_cast<std::uint64_t>(pick(1, 300)), pieces);
      REQUIRE(count >= 1);
      REQUIRE(count <= elements - at);
      for (std::uint64_t i = 0; i < count; ++i) {
        REQUIRE(pieces.readable(i));
        const std::int64_t bit = bit_offset_of(layout, at + i);
        const auto* expected = reinterpret_cast<const std::byte*>(middle) + floor_div(bit, 8);
        REQUIRE(pieces.bit(i) == static_cast<std::size_t>(bit - floor_div(bit, 8) * 8));
        REQUIRE(std::memcmp(pieces.of(i).data(), expected, pieces.each) == 0);
      }
      at += count;
    }
  }
}

TEST_CASE("a page that cannot be read hides its own elements only", "[core][elements]") {
  constexpr std::size_t kPage = 4096;
  auto* const pages =
      static_cast<std::byte*>(mmap(nullptr, 5 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(pages != MAP_FAILED);
  REQUIRE(mprotect(pages + 2 * kPage, kPage, PROT_NONE) == 0);
  const auto reader = process_reader(0).value();
  const std::uint64_t elements = 5 * kPage / 4 - 3;
  const Layout layout = Layout::c_order({static_cast<std::int64_t>(elements)}, 32);
  const IndexOrderReader read(layout, address_of(pages) + 4, *reader);  // one element behind the start of the first page
  ElementPieces pieces;
  std::vector<bool> readable;
  for (std::uint64_t at = 0; at < elements; at += pieces.count()) {
    const std::uint64_t count = read.range(at, elements, pieces);
    REQUIRE(count == pieces.count());
    for (std::size_t i = 0; i < pieces.count(); ++i) readable.push_back(pieces.readable(i));
  }
  for (std::uint64_t i = 0; i < elements; ++i) {
    const std::size_t byte = 4 + i * 4;
    CHECK(readable[i] == (byte / kPage != 2));
  }
  munmap(pages, 5 * kPage);
}

TEST_CASE("a packed element at the end of readable memory needs no byte behind it", "[core][elements]") {
  constexpr std::size_t kPage = 4096;
  auto* const pages =
      static_cast<std::byte*>(mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(pages != MAP_FAILED);
  REQUIRE(mprotect(pages + kPage, kPage, PROT_NONE) == 0);
  const auto reader = process_reader(0).value();
  const Layout layout = Layout::c_order({8}, 4);
  const IndexOrderReader read(layout, address_of(pages) + kPage - 4, *reader);
  ElementPieces pieces;
  REQUIRE(read.range(0, 8, pieces) == 8);
  for (std::size_t i = 0; i < 8; ++i) CHECK(pieces.readable(i));
  munmap(pages, 2 * kPage);
}

}  // namespace
}  // namespace dlscope::core
