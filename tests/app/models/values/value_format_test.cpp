// Numbers that DLPack has no dtype for are written as any other number: class, digits, bits in their own order.
#include "app/models/values/value_format.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "app/models/values/value_grid.h"
#include "core/inventory/field_view.h"
#include "tests/support/local_tensor.h"

namespace dlscope::app {
namespace {

using tests::local_tensor;

core::DType dtype(const char* name) { return core::dtype_from_name(name).value(); }

std::vector<GridCell> cells_of(const core::SnapshotPtr& snapshot, NumberFormat format) {
  const auto reader = core::process_reader(0);
  const ValueGrid grid(snapshot, 0, default_mapping(snapshot->tensors[0].rank));
  CellBytes fetched;
  grid.fetch(**reader, {0, 0, static_cast<std::uint32_t>(grid.rows()), static_cast<std::uint32_t>(grid.columns())}, fetched);
  std::vector<GridCell> cells;
  grid.write(fetched, format, cells);
  return cells;
}

constexpr NumberFormat kFormats[] = {{},
                                     {NumberStyle::automatic, 3},
                                     {NumberStyle::decimals, -1},
                                     {NumberStyle::decimals, 5},
                                     {NumberStyle::hex, -1},
                                     {NumberStyle::bits, -1}};

void check_same(const core::SnapshotPtr& plain, const core::SnapshotPtr& other) {
  for (const NumberFormat format : kFormats) {
    const auto expected = cells_of(plain, format), got = cells_of(other, format);
    REQUIRE(got.size() == expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      CAPTURE(i, static_cast<int>(format.style), format.digits);
      REQUIRE(got[i].text == expected[i].text);
      REQUIRE(got[i].value_class == expected[i].value_class);
    }
  }
}

}  // namespace

TEST_CASE("numbers in the other byte order have the text and the class of the same numbers in this one", "[app][models][values]") {
  std::mt19937 chance(4);
  for (const char* name : {"float16", "float32", "float64", "int16", "uint64", "complex64", "complex128", "bfloat16"}) {
    const core::DType type = dtype(name);
    const std::size_t bytes = type.bits / 8u, part = std::string(name).starts_with("complex") ? bytes / 2 : bytes;
    std::vector<std::byte> plain(64 * bytes);
    for (std::size_t i = 0; i < plain.size(); ++i) plain[i] = static_cast<std::byte>(chance());
    for (std::size_t i = 0; i < 8 * bytes; ++i) plain[i] = static_cast<std::byte>(i < 4 * bytes ? 0xff : 0);  // NaN, zero
    std::vector<std::byte> swapped = plain;
    for (std::size_t at = 0; at < swapped.size(); at += part)
      std::reverse(swapped.begin() + static_cast<std::ptrdiff_t>(at), swapped.begin() + static_cast<std::ptrdiff_t>(at + part));
    CAPTURE(name);
    const core::Layout layout = core::Layout::c_order({8, 8}, type.bits);
    check_same(local_tensor(plain.data(), type, layout), local_tensor(swapped.data(), core::number_item(type, true), layout));
  }
}

TEST_CASE("a number of four bits in a byte of its own is written as one", "[app][models][values]") {
  for (const char* name : {"int4", "uint4", "float4_e2m1fn"}) {
    std::vector<std::byte> packed(8), bytes(16);
    for (unsigned i = 0; i < 16; ++i) {
      packed[i / 2] |= static_cast<std::byte>(i << i % 2 * 4);
      bytes[i] = static_cast<std::byte>(i);
    }
    CAPTURE(name);
    check_same(local_tensor(packed.data(), dtype(name), core::Layout::c_order({16}, 4)),
               local_tensor(bytes.data(), core::number_item(dtype(name), false), core::Layout::c_order({16}, 8)));
  }
}

TEST_CASE("1.0 in the other byte order is 0x3f800000, and so is a field of a record that is shown alone", "[app][models][values]") {
  const unsigned char big[] = {0x3f, 0x80, 0, 0, 0x7f, 0xc0, 0, 0};  // 1.0, NaN
  const core::ItemType number = core::number_item(dtype("float32"), true);
  const core::ItemType record = core::record_item({{"pad", 0, core::raw_item(0), {}}, {"x", 0, number, {}}}, 4);
  const auto whole = local_tensor(big, record, core::Layout::c_order({2}, 32));
  const auto field = core::part_view(whole, 0, 1).value();
  for (const core::SnapshotPtr& shown : {local_tensor(big, number, core::Layout::c_order({2}, 32)), field.snapshot}) {
    CHECK(cells_of(shown, {NumberStyle::hex, -1})[0].text == "0x3f800000");
    CHECK(cells_of(shown, {NumberStyle::bits, -1})[0].text == "0 01111111 00000000000000000000000");
    CHECK(cells_of(shown, {NumberStyle::decimals, 2})[0].text == "1.00");
    const GridCell nan = cells_of(shown, {})[1];
    CHECK((nan.text == "nan" && nan.value_class == core::ValueClass::nan));
  }
}

}  // namespace dlscope::app
