#include "app/models/text/format.h"

#include <catch2/catch_test_macros.hpp>

namespace dlscope::app {

TEST_CASE("sizes are shown in units people use, and exactly where asked", "[app][models]") {
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(1023) == "1023 B");
  CHECK(human_bytes(1024) == "1.0 KiB");
  CHECK(human_bytes(1572864) == "1.5 MiB");
  CHECK(human_bytes(1048575) == "1.0 MiB");
  CHECK(human_bytes(~std::uint64_t{0}) == "16.0 EiB");
  CHECK(exact_bytes(1572864) == "1 572 864 B");
  CHECK(counted(1, "tensor", "tensors") == "1 tensor");
  CHECK(counted(100000, "tensor", "tensors") == "100 000 tensors");
}

TEST_CASE("addresses are grouped for reading and plain for copying", "[app][models]") {
  CHECK(grouped_address(0x55812e404a80) == "0x5581 2e40 4a80");
  CHECK(grouped_address(0x12) == "0x12");
  CHECK(grouped_address(0x12345) == "0x0001 2345");
  CHECK(plain_address(0x55812e404a80) == "0x55812e404a80");
}

TEST_CASE("shapes and strides are written as people write them", "[app][models]") {
  const core::Layout matrix = core::Layout::c_order({3, 4}, 32);
  CHECK(shape_text(matrix.shape) == "3 × 4");
  CHECK(shape_text({}) == "scalar");
  CHECK(strides_text(matrix) == "4, 1");
  CHECK(strides_bytes_text(matrix) == "16, 4");
  CHECK(tuple_text(std::vector<std::int64_t>{3}) == "(3,)");
  CHECK(tuple_text(std::vector<std::int64_t>{}) == "()");
  CHECK(index_text(matrix, 5) == "[1, 1]");
  CHECK(index_text(core::Layout::c_order({}, 32), 0) == "[]");
  // A stride that is no whole number of elements is shown in bytes, a packed one in bits.
  CHECK(strides_text(core::Layout::from_byte_strides({2}, {6}, 32)) == "6 B");
  CHECK(strides_bytes_text(core::Layout::c_order({2, 3}, 4)) == "12 bit, 4 bit");
  const core::Layout capped{{1, 1}, {core::kCappedStride, -core::kCappedStride}, 32};
  CHECK(strides_text(capped) == "> 2^60 B, < -2^60 B");
  CHECK(strides_bytes_text(capped) == "> 2^60 B, < -2^60 B");
  CHECK(shape_text(std::vector<std::int64_t>(12, 2), 4) == "2 × 2 × 2 × 2 × …");
}

TEST_CASE("long names lose their middle, never half a character", "[app][models]") {
  CHECK(shortened("short", 10) == "short");
  CHECK(shortened("0123456789", 5) == "01…89");
  CHECK(shortened("äöüäöüäöü", 5) == "äö…öü");
}

}  // namespace dlscope::app
