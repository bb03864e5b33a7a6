#include "core/sharing/sharing.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "tests/core/sharing/brute_force.h"

using namespace dlscope::core;
using namespace dlscope::core::test;

namespace {

struct Scene {
  std::vector<OwnedView> views;
  std::vector<SharingItem> items;

  void add(OwnedView view, SpaceId space = kHostSpace) {
    views.push_back(std::move(view));
    items.push_back({static_cast<std::uint32_t>(items.size()), space, {}, kUnknownBytes});
  }
  // Views borrow from `views`, which no longer moves.
  Sharing find(const SharingLimits& limits = {}) {
    for (std::size_t i = 0; i < items.size(); ++i) items[i].view = views[i].view();
    return find_sharing(items, limits);
  }
};

using Ids = std::vector<std::uint32_t>;

std::string text_of(const SharingGroup& group, std::span<const std::uint32_t> members) {
  std::ostringstream out;
  out << "space " << group.space << " [" << group.range.begin << ", " << group.range.end << ") " << group.distinct_bytes
      << " bytes:";
  for (const std::uint32_t id : members) out << ' ' << id;
  return out.str();
}

Ids members_of(const Sharing& sharing, std::size_t group) {
  const std::span<const std::uint32_t> members = sharing.members_of(sharing.groups[group]);
  return {members.begin(), members.end()};
}

std::string text_of(const SharingPair& pair) {
  std::ostringstream out;
  out << pair.a << ' ' << pair.b << ' ' << relation_name(pair.relation) << ' ' << pair.shared_bytes;
  if (pair.witness != 0) out << " at " << pair.witness;
  return out.str();
}

std::string text_of(std::uint32_t a, std::uint32_t b, const Overlap& overlap) {
  std::ostringstream out;
  out << a << ' ' << b << ' ' << relation_name(overlap.relation) << ' ' << overlap.shared_bytes.value_or(kUnknownBytes);
  if (overlap.witness) out << " at " << overlap.witness->address;
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
  for (std::size_t root = 0; root < n; ++root) {
    SharingGroup found{.range = {~Address{0}, 0}};
    Ids members;
    std::set<Address> bytes;
    for (std::size_t i = 0; i < n; ++i) {
      if (group[i] != root || scene.views[i].extent.empty() || scene.items[i].space == kNoSpace) continue;
      found.space = scene.items[i].space;
      members.push_back(static_cast<std::uint32_t>(i));
      found.range = {std::min(found.range.begin, scene.views[i].extent.begin),
                     std::max(found.range.end, scene.views[i].extent.end)};
      for (const auto& [address, flat] : touched_bytes(scene.views[i])) bytes.insert(address);
    }
    found.distinct_bytes = bytes.size();
    if (!members.empty()) out.groups.push_back(text_of(found, members));
  }
  return out;
}

void check_against_brute_force(Scene& scene, const SharingLimits& limits = {}) {
  Expected expected = expected_sharing(scene);
  const Sharing found = scene.find(limits);
  std::vector<std::string> pairs, groups;
  for (const SharingPair& pair : found.pairs) pairs.push_back(text_of(pair));
  for (const SharingGroup& group : found.groups) groups.push_back(text_of(group, found.members_of(group)));
  CHECK(std::ranges::is_sorted(found.groups, {}, [](const SharingGroup& g) { return std::pair(g.space, g.range.begin); }));
  std::ranges::sort(groups);
  std::ranges::sort(expected.groups);
  REQUIRE(groups == expected.groups);
  REQUIRE(found.open_groups == UnknownWhy::none);
  if (found.missing_pairs != UnknownWhy::none) {
    REQUIRE(found.missing_pairs == UnknownWhy::pair_bound);
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

namespace {

constexpr Address kBase = Address{1} << 40;

OwnedView bytes(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& strides, Address address,
                std::uint32_t item_bits = 32) {
  return make_view(Layout::from_byte_strides(std::move(shape), strides, item_bits), address);
}

}  // namespace

TEST_CASE("Nothing shares with nothing", "[core][memory]") {
  const Sharing found = find_sharing({});
  CHECK(found.pairs.empty());
  CHECK(found.groups.empty());
  CHECK(found.open_groups == UnknownWhy::none);
  CHECK(found.missing_pairs == UnknownWhy::none);
}

TEST_CASE("Views at both ends of the address space are found as at one end", "[core][memory]") {
  Random random(57);
  std::vector<OwnedView> low, both;
  for (int i = 0; i < 200; ++i) {
    const OwnedView view = random_view(random);
    low.push_back(make_view(view.layout, (Address{1} << 20) + static_cast<Address>(pick(random, 0, 2'000))));
    both.push_back(i % 2 == 0 ? low.back() : make_view(view.layout, low.back().address - (Address{1} << 21)));  // just below 2^64
  }
  const auto find = [](const std::vector<OwnedView>& views, int parity) {
    std::vector<SharingItem> items;
    for (std::uint32_t i = 0; i < views.size(); ++i) {
      if (parity < 0 || i % 2 == static_cast<std::uint32_t>(parity))
        items.push_back({i, kHostSpace, views[i].view(), kUnknownBytes});
    }
    return find_sharing(items);
  };
  const Sharing found = find(both, -1), even = find(low, 0), odd = find(low, 1);
  REQUIRE(found.pairs.size() == even.pairs.size() + odd.pairs.size());
  CHECK(found.pairs.size() > 1'000);
  for (const SharingPair& pair : found.pairs) {
    REQUIRE(pair.a % 2 == pair.b % 2);
    const std::vector<SharingPair>& expected = pair.a % 2 == 0 ? even.pairs : odd.pairs;
    const auto same = std::ranges::find_if(expected, [&](const SharingPair& e) { return e.a == pair.a && e.b == pair.b; });
    REQUIRE(same != expected.end());
    REQUIRE(same->relation == pair.relation);
    REQUIRE(same->shared_bytes == pair.shared_bytes);
  }
  CHECK(std::ranges::is_sorted(found.groups, {}, [](const SharingGroup& group) { return group.range.begin; }));
}

TEST_CASE("Equal addresses in different spaces share nothing", "[core][memory]") {
  Scene scene;
  scene.add(bytes({10}, {4}, kBase), 2);
  scene.add(bytes({10}, {4}, kBase), 3);
  scene.add(bytes({10}, {4}, kBase), kNoSpace);
  const Sharing found = scene.find();
  CHECK(found.pairs.empty());
  REQUIRE(found.groups.size() == 2);
  CHECK(found.groups[0].space == 2);
  CHECK(members_of(found, 1) == Ids{1});
}

TEST_CASE("Ids need not be in order, and pairs speak of the lower one first", "[core][memory]") {
  Scene scene;
  scene.add(bytes({10}, {4}, kBase));
  scene.add(bytes({5}, {8}, kBase));
  scene.items[0].id = 70;
  scene.items[1].id = 30;
  const Sharing found = scene.find();
  REQUIRE(found.pairs.size() == 1);
  CHECK(text_of(found.pairs[0]) == "30 70 contained 20 at " + std::to_string(kBase));
  CHECK(found.pairs[0].a == 30);
  CHECK(members_of(found, 0) == Ids{30, 70});
}

TEST_CASE("A hundred thousand names of one array are one group and a million pairs", "[core][memory]") {
  Scene scene;
  for (int i = 0; i < 100'000; ++i) scene.add(bytes({10, 3}, {40, 4}, kBase));
  const Sharing found = scene.find();
  CHECK(found.pairs.size() == 1'000'000);
  CHECK(found.missing_pairs == UnknownWhy::pair_bound);
  CHECK(found.open_groups == UnknownWhy::none);
  REQUIRE(found.groups.size() == 1);
  CHECK(found.groups[0].member_count == 100'000);
  CHECK(found.groups[0].distinct_bytes == 120);
}

TEST_CASE("A hundred thousand views of one buffer are one group", "[core][memory]") {
  Random random(1);
  Scene scene;
  scene.add(bytes({1'000'000}, {4}, kBase));
  for (int i = 1; i < 100'000; ++i) {
    scene.add(
        bytes({pick(random, 1, 1000)}, {pick(random, 1, 20) * 4}, kBase + static_cast<Address>(pick(random, 0, 900'000)) * 4));
  }
  const Sharing found = scene.find({.max_pairs = 1000, .budget = {}, .stop = {}});
  CHECK(found.pairs.size() == 1000);
  CHECK(found.missing_pairs == UnknownWhy::pair_bound);
  CHECK(found.open_groups == UnknownWhy::none);
  REQUIRE(found.groups.size() == 1);
  CHECK(found.groups[0].member_count == 100'000);
  CHECK(found.groups[0].distinct_bytes == 4'000'000);
}

TEST_CASE("Every second byte from everywhere, without the buffer: two groups, found in no time", "[core][memory]") {
  const auto scene_of = [](std::int64_t count) {
    Scene scene;
    for (std::int64_t i = 0; i < count; ++i) {
      scene.add(bytes({(2 * count - i + 1) / 2}, {2}, kBase + static_cast<Address>(i), 8));  // buffer[i::2]
    }
    return scene;
  };
  Scene small = scene_of(50);
  check_against_brute_force(small, {.max_pairs = 10, .budget = {}, .stop = {}});
  constexpr std::int64_t kCount = 400'000;
  Scene large = scene_of(kCount);
  const Sharing found = large.find({.max_pairs = 1000, .budget = {}, .stop = {}});
  CHECK(found.open_groups == UnknownWhy::none);
  REQUIRE(found.groups.size() == 2);
  CHECK(found.groups[0].member_count == kCount / 2);
  CHECK(found.groups[1].member_count == kCount / 2);
}

TEST_CASE("Strided views over many arrays that are joined already cost no more than the views", "[core][memory]") {
  constexpr std::int64_t kArrays = 400'000, kViews = 200'000;
  Scene scene;
  for (std::int64_t i = 0; i < kArrays; ++i) scene.add(bytes({4}, {4}, kBase + static_cast<Address>(i) * 32));
  scene.add(bytes({kArrays}, {32}, kBase));  // joins them all
  for (std::int64_t i = 0; i < kViews; ++i) scene.add(bytes({2}, {32 * (kArrays - 1 - i)}, kBase + static_cast<Address>(i) * 32));
  const Sharing found = scene.find({.max_pairs = 1000, .budget = {}, .stop = {}});
  CHECK(found.open_groups == UnknownWhy::none);
  REQUIRE(found.groups.size() == 1);
  CHECK(found.groups[0].member_count == kArrays + 1 + kViews);
}

TEST_CASE("Columns without their matrix are groups of their own, whatever the pair limit", "[core][memory]") {
  constexpr std::int64_t kColumns = 20'000;
  Scene scene;
  for (std::int64_t i = 0; i < kColumns; ++i) scene.add(bytes({7}, {kColumns * 4}, kBase + static_cast<Address>(i) * 4));
  // One view ties two columns together, another one lies packed across the bytes of two more.
  scene.add(bytes({2}, {400}, kBase + 12));
  scene.add(make_view(Layout::from_element_strides({3}, {11}, 12), kBase + 4003));
  const Sharing found = scene.find({.max_pairs = 100, .budget = {}, .stop = {}});
  CHECK(found.missing_pairs == UnknownWhy::pair_bound);
  CHECK(found.open_groups == UnknownWhy::none);
  std::vector<std::vector<std::uint32_t>> several;
  for (std::size_t group = 0; group < found.groups.size(); ++group) {
    if (found.groups[group].member_count > 1)
      several.push_back(members_of(found, group));
    else
      CHECK(found.groups[group].distinct_bytes == 28);
  }
  // 4003 + bits 0-12, 132-144, 264-276 of packed items: bytes 4003-4004, 4019-4020, 4036-4037.
  CHECK(several == std::vector<std::vector<std::uint32_t>>{{3, 103, 20'000}, {1000, 1001, 1004, 1005, 1009, 20'001}});
}

TEST_CASE("The union of views without a base array is counted exactly", "[core][memory]") {
  Scene scene;
  scene.add(bytes({100, 30}, {1000, 8}, kBase));
  scene.add(bytes({50, 100}, {2000, 12}, kBase));
  scene.add(bytes({1000}, {28}, kBase + 4));
  check_against_brute_force(scene);
  // The same far larger, where lists of runs would not do.
  Scene large;
  large.add(bytes({3000, 3000}, {30011 * 4, 8}, kBase));
  large.add(bytes({3000, 3000}, {30011 * 4, 8}, kBase + 4 * 2));
  large.add(bytes({3000, 3000}, {30011 * 4, 8}, kBase + 4 * 1));
  large.add(bytes({2}, {4}, kBase));  // ties the odd and the even columns together
  const Sharing found = large.find();
  REQUIRE(found.groups.size() == 1);
  CHECK(found.groups[0].distinct_bytes == 3000u * 6002 * 4 - 3000u * 4);
}

TEST_CASE("What is over budget is unknown and said so, and nothing else suffers", "[core][memory]") {
  const std::int64_t big = std::int64_t{1} << 38;
  Scene scene;
  scene.add(bytes({1000, 1000, 1000, 1000}, {big / 1000 + 7, big / 999 + 10, big / 998 + 1, 3}, kBase, 8));
  scene.add(bytes({1000, 1000, 1000, 1000}, {big / 997 + 3, big / 996 + 8, big / 995 + 5, 7}, kBase + 1, 8));
  scene.add(bytes({10}, {4}, kBase - 100));
  scene.add(bytes({10}, {4}, kBase - 80));
  const Sharing found = scene.find();
  REQUIRE(found.pairs.size() == 2);
  CHECK(found.pairs[0].relation == Relation::unknown);
  CHECK(found.pairs[1].relation == Relation::overlaps);
  CHECK(found.pairs[0].why == UnknownWhy::over_budget);
  CHECK(found.missing_pairs == UnknownWhy::none);
  CHECK(found.open_groups == UnknownWhy::over_budget);
  REQUIRE(found.groups.size() == 3);
  CHECK(found.groups[0].distinct_bytes == 60);
  CHECK(found.groups[1].distinct_bytes == kUnknownBytes);
}

TEST_CASE("A stopped search says that it is not complete", "[core][memory]") {
  Scene scene;
  for (int i = 0; i < 100; ++i) scene.add(bytes({50}, {8}, kBase + static_cast<Address>(i) * 8));
  std::stop_source source;
  source.request_stop();
  for (const SharingLimits& limits :
       {SharingLimits{.max_pairs = 1'000'000, .budget = {}, .stop = source.get_token()},
        SharingLimits{.max_pairs = 1'000'000, .budget = {.stop = source.get_token()}, .stop = {}}}) {
    const Sharing found = scene.find(limits);
    CHECK(found.missing_pairs == UnknownWhy::stopped);
    CHECK(found.open_groups == UnknownWhy::stopped);
  }
}

TEST_CASE("What a stop cannot change is known all the same", "[core][memory]") {
  Scene scene;
  scene.add(bytes({50}, {4}, kBase));
  scene.add(bytes({50}, {4}, kBase + 4096));
  std::stop_source source;
  source.request_stop();
  const Sharing found = scene.find({.max_pairs = 1'000'000, .budget = {}, .stop = source.get_token()});
  CHECK(found.missing_pairs == UnknownWhy::none);
  CHECK(found.open_groups == UnknownWhy::none);
  CHECK(found.groups.size() == 2);
}

TEST_CASE("A scene of hard pairs ends when its work is spent", "[core][memory]") {
  Random random(23);
  Scene scene;
  for (int i = 0; i < 60; ++i) {
    scene.add(bytes({400, 400, 400}, {pick(random, 3000, 9000), pick(random, 3000, 9000), pick(random, 3000, 9000)},
                    kBase + static_cast<Address>(pick(random, 0, 1000)), 8));
  }
  scene.add(bytes({100}, {4}, kBase - 40));
  const Sharing found = scene.find({.max_pairs = 1'000'000, .budget = {}, .work = 10'000'000, .stop = {}});
  const auto known = std::ranges::count_if(found.pairs, [](const SharingPair& p) { return p.relation != Relation::unknown; });
  CHECK(found.pairs.size() >= 60u * 59 / 2);
  CHECK(known > 0);
  CHECK(known < static_cast<std::ptrdiff_t>(found.pairs.size()));
}
