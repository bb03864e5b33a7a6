#include "core/sharing/contiguity.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

namespace dlscope::core {
namespace {

TEST_CASE("layouts that strides alone do not decide are searched", "[memory]") {
  // Offsets 0 2 4 and 3 5 7: interleaved, no two the same.
  CHECK(contiguity_of(Layout{{2, 3}, {24, 16}, 8}) == Contiguity::strided);
  // Offsets 0 2 4 6 and 3 5 7 9, then 6 again.
  CHECK(contiguity_of(Layout{{3, 4}, {24, 16}, 8}) == Contiguity::overlapping);
  // 15a + 10b + 6c with a < 4, b < 3, c < 2: all different.
  CHECK(contiguity_of(Layout{{4, 3, 2}, {15 * 32, 10 * 32, 6 * 32}, 32}) == Contiguity::strided);
}

TEST_CASE("packed elements overlap only when they share bits", "[memory]") {
  CHECK(contiguity_of(Layout::c_order({7, 3}, 4)) == Contiguity::c);
  CHECK(contiguity_of(Layout{{2, 3}, {12, 8}, 4}) == Contiguity::strided);  // as above, in half bytes
  CHECK(contiguity_of(Layout{{3, 4}, {12, 8}, 4}) == Contiguity::overlapping);
}

TEST_CASE("a search without budget leaves the word unknown", "[memory]") {
  const Layout puzzle{{1000, 1001, 999}, {8 * 1001 * 999, 8 * 1000 * 998 + 8, 8 * 1003 * 997}, 8};
  OverlapBudget none;
  none.window_units = none.scratch_bytes = 0;
  const Contiguity word = contiguity_of(puzzle, none);
  CHECK(std::string(contiguity_name(word)) == "unknown");
  CHECK(contiguity_of(Layout::c_order({1000, 1000}, 32), none) == Contiguity::c);  // the usual ones need no search
}

}  // namespace
}  // namespace dlscope::core
