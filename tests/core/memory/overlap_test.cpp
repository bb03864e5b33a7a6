#include "core/memory/overlap.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/core/memory/brute_force.h"

using namespace dlscope::core;
using namespace dlscope::core::test;

namespace {

std::string text_of(const OwnedView& view) {
  return "address " + std::to_string(view.address) + ", " + describe(view.layout) + ", items of " +
         std::to_string(view.layout.item_bits) + " bits";
}

std::string text_of(const Overlap& overlap) {
  std::string out = relation_name(overlap.relation);
  out += overlap.shared_bytes ? ", " + std::to_string(*overlap.shared_bytes) + " bytes" : ", bytes unknown";
  if (overlap.witness) {
    out += ", lowest " + std::to_string(overlap.witness->address) + " in elements " + std::to_string(overlap.witness->a_flat) +
           " and " + std::to_string(overlap.witness->b_flat);
  }
  return out;
}

void check_against_brute_force(const OwnedView& a, const OwnedView& b, const OverlapBudget& budget = {}) {
  const Overlap expected = expected_overlap(a, b);
  const Overlap found = overlap(a.view(), b.view(), budget);
  INFO("a: " << text_of(a));
  INFO("b: " << text_of(b));
  INFO("method: " << overlap_method_name(found.method));
  REQUIRE(text_of(found) == text_of(expected));
}

}  // namespace

TEST_CASE("Overlap of generated pairs equals brute force", "[core][memory]") {
  Random random(20250101);
  for (int i = 0; i < 30000; ++i) {
    const auto [a, b] = random_pair(random);
    check_against_brute_force(a, b);
    check_against_brute_force(b, a);
  }
}
