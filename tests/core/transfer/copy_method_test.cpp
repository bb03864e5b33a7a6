// The words for the way of a copy: each layout is copied by the loop that is named, and every one is copied right
// (strided_copy_test); here only that the name is the one that fits.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "core/transfer/strided_copy.h"

namespace dlscope::core {
namespace {

std::string way(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& strides, unsigned bits) {
  return copy_method_text(Layout::from_element_strides(shape, strides, bits), Layout::c_order(shape, bits));
}

}  // namespace

TEST_CASE("the way of a copy is named for what its layout is", "[core][transfer]") {
  CHECK(way({300, 200}, {200, 1}, 32) == "memcpy");
  CHECK(way({}, {}, 32) == "memcpy");
  CHECK(way({0, 200}, {200, 1}, 32) == "nothing to copy");
  CHECK(way({300, 64}, {512, 1}, 32) == "runs of 256 bytes");
  CHECK(way({500}, {-1}, 32) == "reversed");
  CHECK(way({500}, {7}, 32) == "strided, one element after the other");
  CHECK(way({500}, {2}, 32) == "groups of elements split");
  CHECK(way({500}, {0}, 32) == "one element repeated");
  CHECK(way({300, 200}, {1, 300}, 32) == "transposed in tiles");
  CHECK(way({9, 8}, {1, 9}, 32) == "transposed in blocks");
  CHECK(way({300, 200}, {7, 4000}, 32) == "strided, in squares of cache lines");
  CHECK(way({300, 200, 3}, {200, 1, 60000}, 8) == "groups of elements joined");
  CHECK(way({64, 3}, {5, 1}, 4) == "in bits");
}

}  // namespace dlscope::core
