// ElementReader: windows hold what the elements hold, read either way, and memory that cannot be read is no crash.
#include "core/elements/element_reader.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <random>

#include "tests/support/guarded_memory.h"
#include "tests/support/layout_samples.h"

namespace dlscope::core {
namespace {

std::uint64_t bits_at(const std::byte* base, std::uint64_t bit, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i, ++bit) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned>(base[bit / 8]) >> (bit % 8) & 1u) << i;
  }
  return value;
}

// With the bytes of each part of the value reversed; 0: as it is.
std::uint64_t with_reversed_parts(std::uint64_t value, unsigned width, unsigned part_bytes) {
  std::uint64_t out = part_bytes == 0 ? value : 0;
  for (unsigned byte = 0; part_bytes != 0 && byte < width / 8; ++byte) {
    const unsigned to = byte / part_bytes * part_bytes + part_bytes - 1 - byte % part_bytes;
    out |= (value >> byte * 8 & 0xff) << to * 8;
  }
  return out;
}

// Reads all windows and compares each value with the bits at its place.
void check_windows(const MemoryOrder& order, ElementSource source, std::uint64_t most, std::uint64_t granule) {
  ElementReader reader(order, source, most);
  const auto* const base = reinterpret_cast<const std::byte*>(order.base());
  for (std::uint64_t place = 0; place < order.places();) {
    const auto window = reader.read(place, order.places(), granule);
    REQUIRE(window);
    REQUIRE(window->count > 0);
    REQUIRE((window->count % granule == 0 || place + window->count == order.places()));
    for (std::uint64_t i = 0; i < window->count; ++i, ++place) {
      std::uint64_t value = 0;
      std::memcpy(&value, window->data + i * reader.value_bytes(), reader.value_bytes());
      const std::uint64_t stored = bits_at(base, static_cast<std::uint64_t>(order.bits().at(place)), order.value_bits());
      REQUIRE(value == with_reversed_parts(stored, order.value_bits(), source.reversed_bytes));
    }
  }
}

// Counts how often it is asked.
class CountingReader final : public MemoryReader {
 public:
  explicit CountingReader(const MemoryReader& reader) : reader_(reader) {}
  [[nodiscard]] std::size_t read(Address from, std::span<std::byte> out) const override {
    ++calls;
    return reader_.read(from, out);
  }
  void gather(std::span<const Address> addresses, std::size_t each, std::span<std::byte> out,
              std::span<std::uint8_t> complete) const override {
    ++calls;
    pieces += addresses.size();
    reader_.gather(addresses, each, out, complete);
  }
  mutable std::size_t calls = 0, pieces = 0;

 private:
  const MemoryReader& reader_;
};

}  // namespace

TEST_CASE("windows hold the values of every layout, read directly or checked", "[core][elements]") {
  std::mt19937 chance(3);
  std::vector<std::byte> memory(4096);
  for (std::byte& byte : memory) byte = static_cast<std::byte>(chance());
  const auto reader = process_reader(0);
  REQUIRE(reader);
  for (int i = 0; i < 4000; ++i) {
    Layout layout = tests::random_layout(chance);
    const auto bounds = validate(layout);
    const Address address = reinterpret_cast<Address>(memory.data()) + 2048;
    DType dtype{1, static_cast<std::uint8_t>(layout.item_bits), 1};
    if (i % 3 == 0 && layout.item_bits % 2 == 0) dtype = {1, static_cast<std::uint8_t>(layout.item_bits / 2), 2};
    REQUIRE(bounds->highest_bit < 2048 * 8);
    const MemoryOrder order(layout, dtype, address);
    const std::uint64_t granule = 1 + chance() % 9, most = granule + chance() % 100;
    check_windows(order, ElementSource::held_memory(), most, granule);
    check_windows(order, ElementSource::checked(**reader), most, granule);
    for (const std::uint8_t part : std::initializer_list<std::uint8_t>{2, 4, 8}) {
      if (dtype.bits % (part * 8) != 0 || dtype.bits > 64) continue;
      const ElementSource reversed{.reader = nullptr, .reversed_bytes = part};
      check_windows(order, reversed, most, granule);
      check_windows(order, reversed.read_by(**reader), most, granule);
    }
  }
}

TEST_CASE("places that step over lines first are read along the lines and turned", "[core][elements]") {
  std::mt19937 chance(17);
  std::vector<std::byte> memory(std::size_t{1} << 16);
  for (std::byte& byte : memory) byte = static_cast<std::byte>(chance());
  const auto reader = process_reader(0);
  REQUIRE(reader);
  for (int round = 0; round < 1500; ++round) {
    const unsigned bytes = std::vector<unsigned>{1, 2, 4, 8, 16, 3}[chance() % 6];
    const auto across = static_cast<std::int64_t>(64 + chance() % 300);
    const auto along = static_cast<std::int64_t>(chance() % 3 == 0 ? chance() % 70 : bytes);
    const std::uint64_t stretches = 1 + chance() % 40, count = 1 + chance() % 50, outer = 1 + chance() % 3;
    AffineAxes axes{static_cast<std::int64_t>(chance() % 100) * 8,
                    {{across * 8, stretches}, {along * 8, count}, {4000 * 8, outer}}};
    for (AffineAxes::Axis& axis : axes.axes) {  // walked backwards
      if (chance() % 4 != 0) continue;
      axes.origin += axis.step * static_cast<std::int64_t>(axis.count - 1);
      axis.step = -axis.step;
    }
    const std::uint64_t places = stretches * count * outer;
    const std::uint64_t granule = 1 + chance() % 20, most = granule + chance() % 900;
    const auto base = reinterpret_cast<Address>(memory.data());
    for (const ElementSource source : {ElementSource::held_memory(), ElementSource::checked(**reader)}) {
      ElementReader values(base, axes, bytes * 8, source, most);
      for (std::uint64_t place = chance() % places; place < places;) {
        const auto window = values.read(place, places, granule);
        REQUIRE(window);
        REQUIRE(window->count > 0);
        for (std::uint64_t i = 0; i < window->count; ++i, ++place)
          REQUIRE(std::memcmp(window->data + i * bytes, memory.data() + axes.at(place) / 8, bytes) == 0);
      }
    }
  }
}

TEST_CASE("short rows are moved many at a time, and nothing beyond the last value is read", "[core][elements]") {
  std::mt19937 chance(18);
  const tests::GuardedMemory guarded(std::size_t{1} << 16);
  const std::span memory(guarded.begin(), guarded.guard());
  for (std::byte& byte : memory) byte = static_cast<std::byte>(chance());
  const auto reader = process_reader(0);
  REQUIRE(reader);
  for (int round = 0; round < 2000; ++round) {
    const unsigned bytes = std::vector<unsigned>{1, 2, 4, 8, 16, 3}[chance() % 6];
    const std::int64_t inner = chance() % 4 == 0 ? bytes + static_cast<std::int64_t>(chance() % 20) : bytes;
    const std::uint64_t count = 1 + chance() % 20, outer = 1 + chance() % 3;
    const std::int64_t row = inner * static_cast<std::int64_t>(count - 1) + bytes;
    const std::int64_t across =
        row + static_cast<std::int64_t>(chance() % (chance() % 3 == 0 ? 900 : 9)) - (chance() % 5 == 0 ? 1 : 0);
    const std::uint64_t rows = 1 + chance() % std::min<std::uint64_t>(600, 30000 / static_cast<std::uint64_t>(across));
    AffineAxes axes{
        0, {{inner * 8, count}, {across * 8, rows}, {(across * static_cast<std::int64_t>(rows - 1) + row) / 2 * 8, outer}}};
    std::int64_t last = bytes;
    for (AffineAxes::Axis& axis : axes.axes) {
      last += axis.step / 8 * static_cast<std::int64_t>(axis.count - 1);
      if (chance() % 4 != 0) continue;  // walked backwards
      axes.origin += axis.step * static_cast<std::int64_t>(axis.count - 1);
      axis.step = -axis.step;
    }
    REQUIRE(last <= static_cast<std::int64_t>(memory.size()));
    // The last byte is the last one that there is.
    const std::byte* const base = memory.data() + memory.size() - last;
    const std::uint64_t places = count * rows * outer, granule = 1 + chance() % 20, most = granule + chance() % 4000;
    for (const ElementSource source : {ElementSource::held_memory(), ElementSource::checked(**reader)}) {
      ElementReader values(reinterpret_cast<Address>(base), axes, bytes * 8, source, most);
      for (std::uint64_t place = chance() % places; place < places;) {
        const auto window = values.read(place, places, granule);
        REQUIRE(window);
        REQUIRE(window->count > 0);
        for (std::uint64_t i = 0; i < window->count; ++i, ++place)
          REQUIRE(std::memcmp(window->data + i * bytes, base + axes.at(place) / 8, bytes) == 0);
      }
    }
  }
}

TEST_CASE("values far apart and rows with wide gaps are read in few calls", "[core][elements]") {
  std::vector<std::uint32_t> memory(1 << 20);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint32_t>(i * 2654435761u);
  const auto own = process_reader(0);
  const CountingReader reader(**own);
  const auto address = reinterpret_cast<Address>(memory.data());
  struct Case {
    Layout layout;
    std::size_t most_calls;
  };
  const std::vector<Case> cases = {
      {Layout::from_element_strides({1024}, {1024}, 32), 2},          // a column: a piece each
      {Layout::from_element_strides({1024, 16}, {1024, 1}, 32), 8},   // a crop: rows of 64 bytes
      {Layout::from_element_strides({1024, 3}, {4, 1}, 32), 2},       // three of every four: one piece
      {Layout::from_element_strides({1 << 17}, {7}, 32), 40},         // every seventh
      {Layout::from_element_strides({512, 512}, {1, 1024}, 32), 64},  // a transposed corner
  };
  for (const Case& one : cases) {
    const MemoryOrder order(one.layout, {1, 32, 1}, address);
    reader.calls = 0;
    check_windows(order, ElementSource::checked(reader), 1 << 16, 1 << 12);
    CHECK(reader.calls <= one.most_calls);
  }
}

TEST_CASE("a dense window of held memory is the memory itself", "[core][elements]") {
  std::vector<float> memory(10'000);
  const Layout layout = Layout::from_element_strides({100, 100}, {-1, -100}, 32);
  const MemoryOrder order(layout, {2, 32, 1}, reinterpret_cast<Address>(memory.data() + 9'999));
  ElementReader reader(order, ElementSource::held_memory(), 4096);
  const auto window = reader.read(0, order.places(), 4096);
  REQUIRE(window);
  CHECK(window->data == reinterpret_cast<const std::byte*>(memory.data()));
  CHECK(window->count == 10'000);
}

TEST_CASE("a copied dense window says where the next one's values lie", "[core][elements]") {
  const std::vector<float> values(1000, 1);
  const auto plain = process_reader(0);
  const auto address = reinterpret_cast<Address>(values.data());
  const MemoryOrder dense(Layout::c_order({1000}, 32), {2, 32, 1}, address);
  ElementReader reader(dense, ElementSource::checked(**plain), 300);
  CHECK(reader.read(0, 1000, 100)->next == address + 300 * sizeof(float));
  CHECK(reader.read(300, 400, 100)->next == 0);  // whoever asked goes elsewhere then
  CHECK(reader.read(900, 1000, 100)->next == 0);
  const MemoryOrder every_third(Layout::from_element_strides({300}, {3}, 32), {2, 32, 1}, address);
  CHECK(ElementReader(every_third, ElementSource::checked(**plain), 100).read(0, 300, 100)->next == 0);
}

TEST_CASE("memory that cannot be read fails with its address", "[core][elements]") {
  const tests::GuardedMemory memory(tests::page_size());
  const auto own = process_reader(0);
  const std::vector<Layout> layouts = {
      Layout::c_order({2000}, 32),
      Layout::from_byte_strides({4}, {1024}, 32),
      Layout::from_byte_strides({500, 3}, {12, 4}, 32),
      Layout::from_byte_strides({16, 2}, {4, 1024}, 32),
  };
  for (const Layout& layout : layouts) {
    const auto bounds = validate(layout);
    const auto bytes = static_cast<std::uint64_t>(bounds->highest_bit / 8);
    const MemoryOrder whole(layout, {2, 32, 1}, memory.guard_address() - bytes);
    const MemoryOrder beyond(layout, {2, 32, 1}, memory.guard_address() - bytes + 4);
    ElementReader fits(whole, ElementSource::checked(**own), 4096);
    ElementReader fails(beyond, ElementSource::checked(**own), 4096);
    if (bytes <= tests::page_size()) CHECK(fits.read(0, whole.places(), whole.places()));
    const auto window = fails.read(0, beyond.places(), beyond.places());
    REQUIRE_FALSE(window);
    CHECK(window.error().message.find("cannot be read") != std::string::npos);
  }
}

}  // namespace dlscope::core
