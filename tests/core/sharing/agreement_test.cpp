#include "tests/core/sharing/agreement.h"

#include <catch2/catch_test_macros.hpp>

using namespace dlscope::core::test;

// The long run is tests/bench/sharing_agreement.cpp.

TEST_CASE("Small pairs agree with every byte of both", "[core][memory]") {
  const Agreement found = agree_with_brute_force(20'000, 101);
  INFO(found.difference.value_or(""));
  CHECK(found.cases == 20'000);
  CHECK_FALSE(found.difference);
}

TEST_CASE("Large pairs agree with bit sets and a search", "[core][memory][bits]") {
  const Agreement found = agree_with_general_path(1'500, 103);
  INFO(found.difference.value_or(""));
  CHECK(found.cases == 1'500);
  CHECK_FALSE(found.difference);
}

TEST_CASE("Scenes agree with comparing all with all, small and large clusters, ids in any order", "[core][memory]") {
  const Agreement found = scenes_agree(300, 107);
  INFO(found.difference.value_or(""));
  CHECK(found.cases == 300);
  CHECK_FALSE(found.difference);
}
