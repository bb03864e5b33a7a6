#include "app/models/hex/hex_destination.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

constexpr core::Address kX = 0x55812e404a80;  // where the tour's x lies

IndexPtr tour() {
  GroupColours colours;
  return build_index(tests::tour_snapshot(), colours);
}

core::Address address(const IndexPtr& index, const char* selected, std::string_view text) {
  const HexDestination to = hex_destination(index.get(), index->find(selected).value(), text);
  INFO(text << ": " << to.problem);
  CHECK(to.problem.empty());
  return to.address;
}

}  // namespace

TEST_CASE("Addresses, elements and distances lead to a byte", "[app][models][hex]") {
  const IndexPtr index = tour();
  CHECK(address(index, "x", "0x55812e404a94") == kX + 0x14);
  CHECK(address(index, "x", "0x5581 2e40 4a94") == kX + 0x14);
  CHECK(address(index, "x", "4096") == 4096);
  CHECK(address(index, "x", "0xffffffffffffffff") == ~core::Address{0});
  CHECK(address(index, "mask", "x") == kX);
  CHECK(address(index, "mask", "x[1, 2]") == kX + 24);
  CHECK(address(index, "x", "[1, 2]") == kX + 24);
  CHECK(address(index, "x", "-1, -1") == kX + 44);
  CHECK(address(index, "x", "#5") == kX + 20);
  CHECK(address(index, "x", "x[::-1][0, 1]") == kX + 36);
  CHECK(address(index, "x", "+0x10") == kX + 16);
  CHECK(address(index, "x", "+ 16") == kX + 16);
  CHECK(address(index, "mask", "x+0x40") == kX + 64);
  CHECK(address(index, "mask", "x[1, 2] - 4") == kX + 20);
  CHECK(address(index, "x", "0x1000 + 0x20") == 0x1020);
  CHECK(address(index, "mask", "-1") == address(index, "mask", "[63]"));
}

TEST_CASE("What leads nowhere says why", "[app][models][hex]") {
  const IndexPtr index = tour();
  const auto problem = [&](std::string_view text) {
    return hex_destination(index.get(), index->find("x").value(), text).problem;
  };
  CHECK(problem("  ") == "Type an address, a name or an index.");
  CHECK(problem("nobody") == "There is no tensor called nobody.");
  CHECK(problem("[9, 9]") == "Axis 0 of x goes from 0 to 2; 9 is outside.");
  CHECK(problem("0xffffffffffffffff + 1") == "That is outside the address space.");
  CHECK(problem("0x10 - 0x11") == "That is outside the address space.");
  CHECK(problem("grad") == "grad has no address that is known.");
  CHECK(hex_destination(index.get(), core::kNone32, "+4").problem ==
        "Select a tensor first, or type an address in front of the distance.");
  CHECK(hex_destination(nullptr, core::kNone32, "x").problem ==
        "There are no tensors yet: type an address, such as 0x55812e404a80.");
  CHECK(hex_destination(nullptr, core::kNone32, "0x1234").address == 0x1234);
}

}  // namespace dlscope::app
