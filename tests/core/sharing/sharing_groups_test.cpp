#include "core/sharing/sharing_groups.h"

#include <catch2/catch_test_macros.hpp>

#include <map>
#include <numeric>
#include <vector>

#include "core/sharing/placed_items.h"
#include "tests/core/sharing/brute_force.h"

using namespace dlscope::core;
using namespace dlscope::core::test;

namespace {

constexpr Address kBase = Address{1} << 40;
constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::uint64_t kWork = std::uint64_t{1} << 33;

// For each view the lowest view that it is connected with.
using Lowest = std::vector<std::uint32_t>;

// By visiting every byte of every view.
Lowest expected_groups(const std::vector<OwnedView>& views) {
  Lowest lowest(views.size());
  std::iota(lowest.begin(), lowest.end(), std::uint32_t{0});
  std::map<Address, std::uint32_t> owner;
  for (std::uint32_t i = 0; i < views.size(); ++i) {
    for (const auto& [address, element] : touched_bytes(views[i])) {
      const std::uint32_t a = lowest[i], b = lowest[owner.try_emplace(address, i).first->second];
      if (a == b) continue;
      for (std::uint32_t& each : lowest) each = each == std::max(a, b) ? std::min(a, b) : each;
    }
  }
  return lowest;
}

// By connect_all(), which is told nothing about pairs before. `complete`: what it returned for all clusters.
Lowest found_groups(const std::vector<OwnedView>& views, bool& complete) {
  std::vector<SharingItem> items;
  for (const OwnedView& view : views)
    items.push_back({static_cast<std::uint32_t>(items.size()), kHostSpace, view.view(), kUnknownBytes});
  auto placed = place_items(items, {});
  REQUIRE(placed);
  WorkBudget budget({}, kWork);
  Lowest lowest(views.size());
  std::iota(lowest.begin(), lowest.end(), std::uint32_t{0});
  SharingCluster cluster;
  for (const PlacedCluster& place : placed->clusters) {
    cluster.load(std::span(placed->views).subspan(place.first, place.count), placed->axes);
    complete = connect_all(cluster, budget) && cluster.undecided().empty() && complete;
    std::map<std::uint32_t, std::uint32_t> lowest_of_root;
    const std::span<const ViewClass> classes = cluster.classes();
    for (const bool writing : {false, true}) {
      for (std::uint32_t i = 0; i < classes.size(); ++i) {
        std::uint32_t& low = lowest_of_root.try_emplace(cluster.connected().find(i), kNone).first->second;
        for (const PlacedView& member : classes[i].members) {
          low = std::min(low, member.id);
          if (writing) lowest[member.id] = low;
        }
      }
    }
  }
  return lowest;
}

OwnedView bytes(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& strides, Address address) {
  return make_view(Layout::from_byte_strides(std::move(shape), strides, 8), address);
}

}  // namespace

TEST_CASE("Views are connected without a list of pairs as their bytes say", "[core][memory]") {
  Random random(71);
  for (int scene = 0; scene < 300; ++scene) {
    std::vector<OwnedView> views;
    const std::int64_t count = pick(random, 1, 60);
    const std::int64_t reach = pick(random, 1, 4000);
    while (views.size() < static_cast<std::size_t>(count)) {
      const OwnedView view = !views.empty() && pick(random, 0, 9) == 0 ? views.back() : random_view(random);
      views.push_back(make_view(view.layout, view.address + static_cast<Address>(pick(random, 0, reach))));
    }
    bool complete = true;
    const Lowest found = found_groups(views, complete);
    INFO("scene " << scene);
    REQUIRE(complete);
    REQUIRE(found == expected_groups(views));
  }
}

TEST_CASE("Columns and tiles of arrays that nobody else has are connected as their bytes say", "[core][memory]") {
  Random random(73);
  for (int scene = 0; scene < 100; ++scene) {
    const std::int64_t pitch = pick(random, 20, 90);
    std::vector<OwnedView> views;
    for (std::int64_t i = pick(random, 2, 60); i > 0; --i) {
      const std::int64_t column = pick(random, 0, pitch - 1), width = pick(random, 1, 4);
      const std::int64_t first_row = pick(random, 0, 5), step = pick(random, 1, 2);
      views.push_back(bytes({pick(random, 1, 12), width}, {pitch * step, 1},
                            kBase + static_cast<Address>(first_row * pitch + column)));
      if (pick(random, 0, 30) == 0)  // a dense row or two, which joins all that cross it
        views.push_back(bytes({pick(random, 1, 2) * pitch}, {1}, kBase + static_cast<Address>(first_row * pitch)));
    }
    bool complete = true;
    const Lowest found = found_groups(views, complete);
    INFO("scene " << scene);
    REQUIRE(complete);
    REQUIRE(found == expected_groups(views));
  }
}

// Too many for comparing all with all, and with no common stride: every byte is given an owner instead.
TEST_CASE("Thousands of views that interleave are connected as their bytes say", "[core][memory]") {
  std::vector<OwnedView> views;
  for (std::int64_t i = 0; i < 2200; ++i)
    views.push_back(bytes({3}, {100'003 + 7 * i}, kBase + 16 * static_cast<Address>(i)));
  for (std::int64_t i = 0; i < 2200; i += 50)  // from one view's second byte to the next one's first
    views.push_back(bytes({2}, {100'003 + 7 * i - 16}, kBase + 16 * static_cast<Address>(i + 1)));
  bool complete = true;
  const Lowest found = found_groups(views, complete);
  CHECK(complete);
  CHECK(found == expected_groups(views));
}
