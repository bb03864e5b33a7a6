#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/sharing/sharing.h"
#include "tests/core/sharing/brute_force.h"

using namespace dlscope::core;
using namespace dlscope::core::test;

namespace {

struct Scene {
  std::vector<OwnedView> views;
  std::vector<SharingItem> items;

  void add(OwnedView view) { views.push_back(std::move(view)); }
  void finish(Random& random) {
    std::ranges::shuffle(views, random);
    for (const OwnedView& view : views)
      items.push_back({static_cast<std::uint32_t>(items.size()), kHostSpace, view.view(), kUnknownBytes});
  }
};

constexpr Address kBase = Address{1} << 40;

OwnedView bytes(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& strides, Address address) {
  return make_view(Layout::from_byte_strides(std::move(shape), strides, 8), address);
}

// Clusters of one view, of a few and of more than a small cluster has, some of them equal: several parts of work.
Scene many_clusters(Random& random) {
  Scene scene;
  for (Address cluster = 0; cluster < 1200; ++cluster) {
    const std::int64_t size = cluster % 400 == 7 ? 50 : pick(random, 1, 8);
    for (std::int64_t i = 0; i < size; ++i) {
      const OwnedView view = i > 0 && pick(random, 0, 4) == 0 ? scene.views.back() : random_view(random);
      const bool is_moved = view.address >= kBase;
      scene.add(is_moved ? view : make_view(view.layout, kBase + cluster * 65536 + view.address));
    }
  }
  return scene;
}

// Pairs that no formula decides, each in a place of its own; strides up to `longest`.
void add_hard_views(Scene& scene, Random& random, int count, std::int64_t longest) {
  for (int i = 0; i < count; ++i) {
    const Address place = kBase + (Address{1} << 36) + static_cast<Address>(i) * (Address{1} << 34);
    for (Address j = 0; j < 2; ++j) {
      const auto stride = [&] { return pick(random, longest / 3, longest); };
      scene.add(bytes({400, 400, 400}, {stride(), stride(), stride()}, place + j));
    }
  }
}

// Clusters of more views than are compared all with all, with pairs enough for several threads; some of the views are equal.
Scene large_clusters(Random& random) {
  Scene scene;
  const std::int64_t sizes[] = {40, 110, 40, 40};
  Address place = kBase;
  for (const std::int64_t size : sizes) {
    for (std::int64_t i = 0; i < size; ++i) {
      if (i > 0 && i % 9 == 0) {
        scene.add(scene.views.back());
        continue;
      }
      const std::int64_t step = pick(random, 1, 30), pitch = 40 * pick(random, 30, 50);
      scene.add(bytes({30, pick(random, 1, 40), pick(random, 1, 3)}, {pitch, step, 1},
                      place + static_cast<Address>(pick(random, 0, 2000))));
    }
    place += Address{1} << 30;
  }
  return scene;
}

std::string text_of(const Sharing& sharing) {
  std::string out = "missing " + std::to_string(static_cast<int>(sharing.missing_pairs)) + ", open " +
                    std::to_string(static_cast<int>(sharing.open_groups)) + "\n";
  const auto add = [&out](std::uint64_t number) { out += ' ' + std::to_string(number); };
  for (const SharingPair& p : sharing.pairs) {
    for (const std::uint64_t number : {std::uint64_t{p.a}, std::uint64_t{p.b}, p.shared_bytes, p.witness}) add(number);
    out += std::string(" ") + relation_name(p.relation) + ' ' + overlap_method_name(p.method) + ' ' +
           std::to_string(static_cast<int>(p.why)) + '\n';
  }
  for (const SharingGroup& group : sharing.groups) {
    for (const std::uint64_t number : {group.range.begin, group.range.end, group.distinct_bytes, std::uint64_t{group.space}})
      add(number);
    for (const std::uint32_t member : sharing.members_of(group)) add(member);
    out += '\n';
  }
  return out;
}

std::string found_with(std::size_t threads, const Scene& scene, SharingLimits limits) {
  limits.threads = threads;
  return text_of(find_sharing(scene.items, limits));
}

}  // namespace

TEST_CASE("Any number of threads finds the same", "[core][memory]") {
  Random random(31);
  Scene scene = many_clusters(random);
  scene.finish(random);
  REQUIRE(scene.items.size() > 4096);
  for (const std::uint64_t max_pairs : {std::uint64_t{1'000'000}, std::uint64_t{5000}, std::uint64_t{100}}) {
    SharingLimits limits;
    limits.max_pairs = max_pairs;
    const std::string one = found_with(1, scene, limits);
    for (const std::size_t threads : {2u, 3u, 7u}) CHECK(found_with(threads, scene, limits) == one);
    CHECK(found_with(0, scene, limits) == one);
  }
}

TEST_CASE("A budget that is spent leaves the same pairs unknown with any number of threads", "[core][memory]") {
  Random random(37);
  Scene scene = many_clusters(random);
  add_hard_views(scene, random, 6, 9000);
  scene.finish(random);
  for (const std::uint64_t work : {std::uint64_t{0}, std::uint64_t{1} << 17, std::uint64_t{1} << 22, std::uint64_t{1} << 33}) {
    SharingLimits limits;
    limits.work = work;
    const std::string one = found_with(1, scene, limits);
    for (const std::size_t threads : {2u, 5u}) CHECK(found_with(threads, scene, limits) == one);
    const bool is_open = one.find("unknown") != one.npos;
    if (work == 0) CHECK(is_open);
    if (work == std::uint64_t{1} << 33) CHECK_FALSE(is_open);
  }
}

TEST_CASE("Large clusters are compared in parts, and any number of threads finds the same", "[core][memory]") {
  Random random(43);
  Scene scene = large_clusters(random);
  for (Address i = 0; i < 34; ++i) {  // a cluster in which some pairs are hard
    const auto stride = [&] { return pick(random, 3000, 9000); };
    const std::int64_t size = i < 8 ? 30 : 2;
    scene.add(bytes({size, size, size}, {stride(), stride(), stride()}, kBase + (Address{1} << 40) + i));
  }
  scene.finish(random);
  const Sharing all = find_sharing(scene.items, {.budget = {}, .threads = 3, .stop = {}});
  REQUIRE(all.pairs.size() > 7000);
  CHECK(all.missing_pairs == UnknownWhy::none);
  CHECK(all.open_groups == UnknownWhy::none);
  std::size_t wrong = 0;
  for (const SharingPair& pair : all.pairs) {
    const SharingPair expected = compare_views(pair.a, scene.items[pair.a].view, pair.b, scene.items[pair.b].view);
    const bool right = pair.relation == expected.relation && pair.shared_bytes == expected.shared_bytes &&
                       pair.witness == expected.witness && pair.why == expected.why;
    wrong += right ? 0 : 1;
  }
  CHECK(wrong == 0);
  struct Bounds {
    std::uint64_t max_pairs, work;
  };
  constexpr std::uint64_t kAllPairs = 1'000'000, kAllWork = std::uint64_t{1} << 33;
  constexpr Bounds kBounds[] = {{kAllPairs, kAllWork}, {5000, kAllWork}, {300, kAllWork}, {kAllPairs, std::uint64_t{1} << 22},
                                {5000, std::uint64_t{1} << 12}, {kAllPairs, 0}};
  for (const Bounds bounds : kBounds) {
    SharingLimits limits;
    limits.max_pairs = bounds.max_pairs;
    limits.work = bounds.work;
    const std::string one = found_with(1, scene, limits);
    for (const std::size_t threads : {2u, 7u}) CHECK(found_with(threads, scene, limits) == one);
  }
}

TEST_CASE("What is too hard for a part's own budget is decided with the budget of all", "[core][memory]") {
  Random random(41);
  Scene scene;
  add_hard_views(scene, random, 2, 2'000'000);
  scene.finish(random);
  const Sharing found = find_sharing(scene.items);
  REQUIRE(found.pairs.size() == 2);
  for (const SharingPair& pair : found.pairs) {
    const SharingPair expected = compare_views(pair.a, scene.items[pair.a].view, pair.b, scene.items[pair.b].view);
    CHECK(pair.relation != Relation::unknown);
    CHECK(pair.relation == expected.relation);
    CHECK(pair.shared_bytes == expected.shared_bytes);
    CHECK(pair.witness == expected.witness);
    CHECK(pair.method == expected.method);
    CHECK((pair.method == OverlapMethod::sweep || pair.method == OverlapMethod::bitset));
  }
  CHECK(found.open_groups == UnknownWhy::none);
}

TEST_CASE("A search of many views that is stopped at any time ends at once, and claims no more than it knows", "[core][memory]") {
  Random random(17);
  Scene scene;
  for (std::int64_t i = 0; i < 60'000; ++i) {
    const Address array = kBase + static_cast<Address>(i / 8) * 65536;
    scene.add(bytes({20, 10 + i % 8}, {100 + i % 3, 4}, array + static_cast<Address>(i % 8) * 4));
  }
  for (std::int64_t i = 0; i < 50; ++i) scene.add(bytes({1000, 7}, {20 + i, 1}, kBase - 65536 + static_cast<Address>(i)));
  scene.finish(random);
  const Sharing all = find_sharing(scene.items, {.max_pairs = 4'000'000, .budget = {}, .stop = {}});
  REQUIRE(all.missing_pairs == UnknownWhy::none);
  std::map<std::pair<std::uint32_t, std::uint32_t>, SharingPair> expected;
  for (const SharingPair& pair : all.pairs) expected[{pair.a, pair.b}] = pair;
  for (int round = 0; round < 25; ++round) {
    std::stop_source source;
    if (round == 0) source.request_stop();
    std::chrono::steady_clock::time_point stopped_at{};
    std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2 * round));
      stopped_at = std::chrono::steady_clock::now();
      source.request_stop();
    });
    const Sharing found =
        find_sharing(scene.items, {.max_pairs = 4'000'000, .budget = {}, .threads = 1 + round % 3u, .stop = source.get_token()});
    stopper.join();
    CHECK(std::chrono::steady_clock::now() - stopped_at < std::chrono::seconds(2));
    if (round == 0) CHECK(found.missing_pairs == UnknownWhy::stopped);
    if (found.missing_pairs == UnknownWhy::none) CHECK(found.pairs.size() == all.pairs.size());
    if (found.open_groups == UnknownWhy::none) CHECK(found.groups.size() == all.groups.size());
    std::size_t wrong = 0;
    for (const SharingPair& pair : found.pairs) {
      const auto known = expected.find({pair.a, pair.b});
      const bool right = known != expected.end() && known->second.relation == pair.relation &&
                         known->second.shared_bytes == pair.shared_bytes;
      wrong += right || pair.relation == Relation::unknown ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}
