#include "core/memory/sharing.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "tests/core/memory/brute_force.h"

using namespace dlscope::core;
using namespace dlscope::core::test;

namespace {

struct Scene {
  std::vector<OwnedView> views;
  std::vector<SharingItem> items;

  void add(OwnedView view, SpaceId space = kHostSpace) {
    views.push_back(std::move(view));
    items.push_back({static_cast<std::uint32_t>(items.size()), space, {}});
  }
  // Views borrow from `views`, which no longer moves.
  Sharing find(const SharingLimits& limits = {}) {
    for (std::size_t i = 0; i < items.size(); ++i) items[i].view = views[i].view();
    return find_sharing(items, limits);
  }
};

std::string text_of(const SharingGroup& group) {
  std::ostringstream out;
  out << "space " << group.space << " [" << group.range.begin << ", " << group.range.end << ") " << group.distinct_bytes
      << " bytes:";
  for (const std::uint32_t id : group.members) out << ' ' << id;
  return out.str();
}

std::string text_of(std::uint32_t a, std::uint32_t b, const Overlap& overlap) {
  std::ostringstream out;
  out << a << ' ' << b << ' ' << relation_name(overlap.relation) << ' ' << overlap.shared_bytes.value_or(kUnknownBytes);
  if (overlap.witness)
    out << " at " << overlap.witness->address << ' ' << overlap.witness->a_flat << ' ' << overlap.witness->b_flat;
  return out.str();
}

// All pairs compared with all, groups by repeated joining, bytes by sets.
struct Expected {
  std::vector<std::string> pairs;
  std::vector<std::string> groups;
};

Expected expected_sharing(const Scene& scene) {
  Expected out;
  const std::size_t n = scene.views.size();
  std::vector<std::size_t> group(n);
  for (std::size_t i = 0; i < n; ++i) group[i] = i;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (scene.items[i].space != scene.items[j].space || scene.items[i].space == kNoSpace) continue;
      const Overlap overlap = expected_overlap(scene.views[i], scene.views[j]);
      if (overlap.relation == Relation::disjoint) continue;
      out.pairs.push_back(text_of(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), overlap));
      if (*overlap.shared_bytes == 0) continue;
      const std::size_t kept = group[i], joined = group[j];  // copies: replace() takes references
      std::replace(group.begin(), group.end(), joined, kept);
    }
  }
  std::vector<SharingGroup> groups;
  for (std::size_t root = 0; root < n; ++root) {
    SharingGroup found{scene.items[root].space, {~Address{0}, 0}, 0, {}};
    std::set<Address> bytes;
    for (std::size_t i = 0; i < n; ++i) {
      if (group[i] != root || scene.views[i].extent.empty() || scene.items[i].space == kNoSpace) continue;
      found.space = scene.items[i].space;
      found.members.push_back(static_cast<std::uint32_t>(i));
      found.range = {std::min(found.range.begin, scene.views[i].extent.begin),
                     std::max(found.range.end, scene.views[i].extent.end)};
      for (const auto& [address, flat] : touched_bytes(scene.views[i])) bytes.insert(address);
    }
    found.distinct_bytes = bytes.size();
    if (!found.members.empty()) groups.push_back(found);
  }
  for (const SharingGroup& found : groups) out.groups.push_back(text_of(found));
  return out;
}

void check_against_brute_force(Scene& scene, const SharingLimits& limits = {}) {
  Expected expected = expected_sharing(scene);
  const Sharing found = scene.find(limits);
  std::vector<std::string> pairs, groups;
  for (const SharingPair& pair : found.pairs) pairs.push_back(text_of(pair.a, pair.b, pair.overlap));
  for (const SharingGroup& group : found.groups) groups.push_back(text_of(group));
  CHECK(std::ranges::is_sorted(found.groups, {}, [](const SharingGroup& g) { return std::pair(g.space, g.range.begin); }));
  std::ranges::sort(groups);
  std::ranges::sort(expected.groups);
  REQUIRE(groups == expected.groups);
  REQUIRE(found.groups_complete);
  if (found.pairs_truncated) {
    REQUIRE(pairs.size() == limits.max_pairs);
    for (const std::string& pair : pairs) REQUIRE(std::ranges::find(expected.pairs, pair) != expected.pairs.end());
  } else {
    REQUIRE(pairs == expected.pairs);
  }
}

}  // namespace

TEST_CASE("Sharing of generated scenes equals comparing all with all", "[core][memory]") {
  Random random(7);
  for (int round = 0; round < 600; ++round) {
    Scene scene;
    const auto count = pick(random, 0, 14);
    const auto spread = pick(random, 0, 3) * 300;
    for (std::int64_t i = 0; i < count; ++i) {
      OwnedView view = random_view(random);
      const Address moved = static_cast<Address>(pick(random, 0, spread));
      view = make_view(view.layout, view.address + moved);
      const auto space = pick(random, 0, 9) == 0 ? kNoSpace : static_cast<SpaceId>(pick(random, 0, 5) == 0 ? 2 : kHostSpace);
      if (!scene.views.empty() && pick(random, 0, 3) == 0) view = scene.views[static_cast<std::size_t>(pick(random, 0, i - 1))];
      scene.add(std::move(view), space);
    }
    check_against_brute_force(scene);
    for (const std::uint64_t max_pairs : {0u, 1u, 3u})
      check_against_brute_force(scene, {.max_pairs = max_pairs, .budget = {}, .stop = {}});
  }
}
