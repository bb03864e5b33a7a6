#include "core/tensor/layout.h"

#include <catch2/catch_test_macros.hpp>
#include <limits>

namespace dlscope::core {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

LayoutFault fault_of(LayoutView layout) {
  LayoutBounds bounds;
  return check_layout(layout, bounds);
}

Contiguity contiguity(const Layout& layout) { return contiguity_given(layout, quick_self_overlap(layout)); }

TEST_CASE("a rank 0 layout is one element", "[tensor]") {
  const Layout scalar = Layout::c_order({}, 64);
  CHECK(validate(scalar).value() == LayoutBounds{1, 0, 64});
  CHECK(contiguity(scalar) == Contiguity::scalar);
  CHECK(bit_offset_of(scalar, 0) == 0);
  CHECK(describe(scalar) == "()");
}

TEST_CASE("an empty layout has no bounds, whatever its strides", "[tensor]") {
  CHECK(validate(Layout{{0}, {8}, 8}).value() == LayoutBounds{});
  CHECK(validate(Layout{{3, 0, kMax}, {kMax, kMin, kMax}, 64}).value() == LayoutBounds{});
  CHECK(contiguity(Layout{{3, 0}, {0, 0}, 8}) == Contiguity::empty);
  CHECK(extent_of(LayoutBounds{}, 77).value() == ByteRange{77, 77});
}

TEST_CASE("bounds reach down for negative strides", "[tensor]") {
  CHECK(validate(Layout::from_byte_strides({4}, {-8}, 32)).value() == LayoutBounds{4, -192, 32});
  CHECK(validate(Layout::from_byte_strides({2, 3}, {-4, 100}, 32)).value() == LayoutBounds{6, -32, 1632});
  CHECK(extent_of({4, -192, 32}, 1000).value() == ByteRange{976, 1004});
}

TEST_CASE("bits are widened to whole bytes only in the extent", "[tensor]") {
  const LayoutBounds three_int4 = validate(Layout::c_order({3}, 4)).value();
  CHECK(three_int4 == LayoutBounds{3, 0, 12});
  CHECK(extent_of(three_int4, 100).value() == ByteRange{100, 102});
  const LayoutBounds backwards = validate(Layout::from_element_strides({4}, {-1}, 4)).value();
  CHECK(backwards == LayoutBounds{4, -12, 4});
  CHECK(extent_of(backwards, 100).value() == ByteRange{98, 101});
}

TEST_CASE("a layout that cannot exist is refused with words", "[tensor]") {
  CHECK(fault_of(Layout{{-1}, {8}, 8}) == LayoutFault::negative_dimension);
  CHECK(fault_of(Layout{{kMin, kMin}, {kMin, kMax}, 8}) == LayoutFault::negative_dimension);
  CHECK(fault_of(Layout{{2}, {8}, 0}) == LayoutFault::item_bits);
  CHECK(fault_of(Layout{{2}, {}, 8}) == LayoutFault::rank);
  CHECK(fault_of(Layout::c_order(std::vector<std::int64_t>(64, 1), 8)) == LayoutFault::none);
  CHECK(fault_of(Layout::c_order(std::vector<std::int64_t>(65, 1), 8)) == LayoutFault::rank);
  CHECK(validate(Layout{{-1}, {8}, 8}).error().kind == ErrorKind::invalid);
  CHECK(validate(Layout{{-1}, {8}, 8}).error().message == "negative dimension in (-1,) strides 1 B");
}

TEST_CASE("sizes and strides past 2^60 bytes are refused in every combination", "[tensor]") {
  CHECK(fault_of(Layout{{kMax}, {8}, 8}) == LayoutFault::size_overflow);
  CHECK(fault_of(Layout{{2}, {kMax}, 8}) == LayoutFault::size_overflow);
  CHECK(fault_of(Layout{{2}, {kMin}, 8}) == LayoutFault::size_overflow);
  CHECK(fault_of(Layout{{3}, {kMax / 2 + 1}, 8}) == LayoutFault::size_overflow);
  CHECK(fault_of(Layout{{2, 2}, {kMax - 8, kMin + 8}, 8}) == LayoutFault::size_overflow);
  CHECK(fault_of(Layout{{std::int64_t{1} << 32, std::int64_t{1} << 32}, {0, 0}, 8}) == LayoutFault::size_overflow);
  CHECK(fault_of(Layout{{std::int64_t{1} << 32, std::int64_t{1} << 28}, {0, 0}, 8}) == LayoutFault::size_overflow);
  CHECK(fault_of(Layout{{std::int64_t{1} << 32, std::int64_t{1} << 27}, {0, 0}, 8}) == LayoutFault::none);
  CHECK(fault_of(Layout{{2}, {kMax - 8}, 8}) == LayoutFault::none);
  CHECK(fault_of(Layout{{2}, {kMax - 7}, 8}) == LayoutFault::size_overflow);
  CHECK(fault_of(Layout{{1}, {kMin}, 8}) == LayoutFault::none);  // an axis of 1 is never walked
  CHECK(fault_of(Layout{{kMax, kMax, kMax}, {kMax, kMax, kMax}, 0xffffffff}) == LayoutFault::size_overflow);
}

TEST_CASE("an extent outside the address space is refused", "[tensor]") {
  constexpr Address kTop = std::numeric_limits<Address>::max();
  CHECK(extent_of({1, 0, 8}, kTop - 1).value() == ByteRange{kTop - 1, kTop});
  CHECK_FALSE(extent_of({1, 0, 8}, kTop));
  CHECK_FALSE(extent_of({2, -8, 8}, 0));
  CHECK(extent_of({2, -8, 8}, 1).value() == ByteRange{0, 2});
  CHECK_FALSE(extent_of({2, kMin, 8}, 1000));
}

TEST_CASE("C order strides follow the shape from the last axis", "[tensor]") {
  CHECK(Layout::c_order({2, 3, 4}, 32).stride_bits == std::vector<std::int64_t>{384, 128, 32});
  CHECK(Layout::c_order({2, 0, 4}, 8).stride_bits == std::vector<std::int64_t>{32, 32, 8});  // as NumPy: sizes as if 1
  std::int64_t out[2];
  CHECK(c_order_strides(std::vector<std::int64_t>{kMax, 1}, 8, out));  // nobody steps over the first axis
  CHECK_FALSE(c_order_strides(std::vector<std::int64_t>{1, kMax}, 8, out));
}

TEST_CASE("contiguity is the first word of the list that fits", "[tensor]") {
  CHECK(contiguity(Layout::c_order({1, 1}, 32)) == Contiguity::scalar);
  CHECK(contiguity(Layout{{1}, {0}, 32}) == Contiguity::scalar);  // no broadcast over an axis of 1
  CHECK(contiguity(Layout::c_order({5}, 32)) == Contiguity::c_and_f);
  CHECK(contiguity(Layout::c_order({2, 3}, 32)) == Contiguity::c);
  CHECK(contiguity(Layout::from_byte_strides({2, 3}, {4, 8}, 32)) == Contiguity::f);
  CHECK(contiguity(Layout::from_byte_strides({1, 3, 1}, {999, 4, -7}, 32)) == Contiguity::c_and_f);
  CHECK(contiguity(Layout::from_byte_strides({2, 3}, {24, 8}, 32)) == Contiguity::strided);
  CHECK(contiguity(Layout::from_byte_strides({3}, {-4}, 32)) == Contiguity::strided);
  CHECK(contiguity(Layout::from_byte_strides({3, 4}, {0, 4}, 32)) == Contiguity::broadcast);
  CHECK(contiguity(Layout::from_byte_strides({3, 3}, {4, 4}, 32)) == Contiguity::overlapping);  // a sliding window
  CHECK(contiguity(Layout::from_byte_strides({2}, {2}, 32)) == Contiguity::overlapping);
  CHECK(contiguity(Layout::from_byte_strides({3, 3, 2}, {4, 4, 0}, 32)) == Contiguity::broadcast);
}

TEST_CASE("packed neighbours that share a byte do not make a dense layout overlap", "[tensor]") {
  CHECK(contiguity(Layout::c_order({3, 5}, 4)) == Contiguity::c);
  CHECK(contiguity(Layout::from_element_strides({4}, {2}, 4)) == Contiguity::strided);
  CHECK(contiguity(Layout{{4}, {3}, 4}) == Contiguity::overlapping);  // bits in common
}

TEST_CASE("a layout whose overlap nobody could decide has no word", "[tensor]") {
  const Layout puzzle{{3, 2}, {2 * 8, 3 * 8}, 8};  // 0 2 4 3 5 7: disjoint, but not nested
  CHECK(quick_self_overlap(puzzle) == std::nullopt);
  CHECK(contiguity_given(puzzle, std::nullopt) == Contiguity::unknown);
  CHECK(contiguity_given(puzzle, false) == Contiguity::strided);
  CHECK(contiguity_given(puzzle, true) == Contiguity::overlapping);
  CHECK(std::string(contiguity_name(Contiguity::c_and_f)) == "c_and_f");
}

TEST_CASE("the axis that breaks C order is the last one that differs", "[tensor]") {
  CHECK(axis_breaking_c_order(Layout::c_order({2, 3, 4}, 8)) == std::nullopt);
  CHECK(axis_breaking_c_order(Layout::from_byte_strides({3, 4}, {4, 12}, 32)) == 1);
  CHECK(axis_breaking_c_order(Layout::from_byte_strides({3, 4}, {32, 4}, 32)) == 0);
  CHECK(axis_breaking_c_order(Layout::from_byte_strides({3, 1}, {4, 777}, 32)) == std::nullopt);
  CHECK(axis_breaking_c_order(Layout::from_byte_strides({3, 0}, {1, 777}, 32)) == std::nullopt);
}

TEST_CASE("layouts built from strides that do not fit are refused, not wrapped", "[tensor]") {
  CHECK(Layout::from_byte_strides({2}, {kMax}, 8).stride_bits[0] == kMax);
  CHECK(Layout::from_element_strides({2}, {kMin}, 32).stride_bits[0] == kMin);
  CHECK(fault_of(Layout::from_element_strides({2}, {std::int64_t{1} << 62}, 32)) == LayoutFault::size_overflow);
  CHECK(fault_of(Layout::c_order({2, kMax, 2}, 64)) == LayoutFault::size_overflow);
}

TEST_CASE("a layout describes itself in bytes where it can", "[tensor]") {
  CHECK(describe(Layout::c_order({3, 4}, 32)) == "(3, 4) strides 16, 4 B");
  CHECK(describe(Layout::c_order({8}, 4)) == "(8,) strides 4 bits");
}

}  // namespace
}  // namespace dlscope::core
