#include "core/sharing/pair_list.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/sharing/sharing.h"
#include "tests/core/sharing/brute_force.h"

using namespace dlscope::core;
using namespace dlscope::core::test;

namespace {

SharingPair pair_of_ids(std::uint32_t a, std::uint32_t b) {
  SharingPair pair;
  pair.a = a;
  pair.b = b;
  pair.shared_bytes = std::uint64_t{a} << 32 | b;  // shows whether a pair was moved as a whole
  return pair;
}

constexpr Address kBase = Address{1} << 40;

// Clusters of 34 views of three axes, more of them than are worked on at once; some views are equal; ids in no order.
std::vector<OwnedView> many_large_clusters(Random& random, std::size_t clusters) {
  std::vector<OwnedView> views;
  for (Address cluster = 0; cluster < clusters; ++cluster) {
    for (Address i = 0; i < 34; ++i) {
      if (i % 11 == 10) {
        views.push_back(views.back());
        continue;
      }
      const std::int64_t step = pick(random, 1, 20);
      views.push_back(make_view(Layout::from_byte_strides({20, pick(random, 1, 20), 2}, {400, step, 1}, 8),
                                kBase + cluster * 65536 + static_cast<Address>(pick(random, 0, 900))));
    }
  }
  std::ranges::shuffle(views, random);
  return views;
}

}  // namespace

TEST_CASE("Pairs written in any order are sorted by both ids, few and many, near and far", "[core][memory]") {
  Random random(3);
  for (const std::uint32_t farthest : {300u, 70'000u, ~std::uint32_t{0} - 1}) {
    constexpr std::uint32_t kRanks = 40;
    PairList list(kRanks);
    std::vector<std::vector<std::uint32_t>> partners(kRanks);  // by rank, which is also the lower id
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      const std::int64_t size = rank % 4 == 0 ? 0 : rank % 4 == 1 ? pick(random, 1, 70) : pick(random, 1, 200);
      while (std::cmp_less(partners[rank].size(), size)) {
        const auto b = static_cast<std::uint32_t>(pick(random, kRanks, farthest));
        if (std::ranges::find(partners[rank], b) == partners[rank].end()) partners[rank].push_back(b);
      }
      if (rank % 3 == 0) std::ranges::sort(partners[rank]);
      list.counts()[rank] = static_cast<std::uint32_t>(size);
    }
    REQUIRE(list.make_room({}));
    std::vector<SharingPair> expected;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      std::uint32_t next = list.starts()[rank];
      for (const std::uint32_t b : partners[rank]) list.pairs()[next++] = pair_of_ids(rank, b);
      REQUIRE(next == list.starts()[rank + 1]);
      list.sort_by_b(rank, static_cast<std::uint32_t>(partners[rank].size()));
      std::ranges::sort(partners[rank]);
      for (const std::uint32_t b : partners[rank]) expected.push_back(pair_of_ids(rank, b));
    }
    const std::vector<SharingPair> found = list.take();
    CHECK(std::ranges::equal(found, expected, [](const SharingPair& x, const SharingPair& y) {
      return x.a == y.a && x.b == y.b && x.shared_bytes == y.shared_bytes;
    }));
  }
}

TEST_CASE("Pairs that a stop left out are removed from the list, and none is there if it came before", "[core][memory]") {
  PairList list(3);
  list.counts()[0] = 4;
  list.counts()[2] = 1;
  REQUIRE(list.make_room({}));
  list.pairs()[0] = pair_of_ids(0, 9);
  list.pairs()[1] = pair_of_ids(0, 5);
  list.sort_by_b(0, 2);
  list.compact();
  REQUIRE(list.pairs().size() == 2);
  CHECK(list.pairs()[0].b == 5);
  CHECK(list.pairs()[1].b == 9);

  std::stop_source source;
  source.request_stop();
  PairList stopped(3);
  stopped.counts()[1] = 7;
  CHECK_FALSE(stopped.make_room(source.get_token()));
  CHECK(stopped.pairs().empty());
}

TEST_CASE("Hundreds of large clusters have the pairs that comparing all with all finds, and a limit lists just so many",
          "[core][memory]") {
  Random random(5);
  const std::vector<OwnedView> views = many_large_clusters(random, 300);
  std::vector<SharingItem> items;
  for (const OwnedView& view : views)
    items.push_back({static_cast<std::uint32_t>(7 * items.size() + 3), kHostSpace, view.view(), kUnknownBytes});
  std::map<std::uint64_t, std::vector<std::uint32_t>> places;
  for (std::uint32_t i = 0; i < views.size(); ++i) places[(views[i].address - kBase) / 65536].push_back(i);
  std::map<std::pair<std::uint32_t, std::uint32_t>, SharingPair> expected;
  for (const auto& [place, members] : places) {
    for (const std::uint32_t i : members) {
      for (const std::uint32_t j : members) {
        if (i >= j || !views[i].extent.meets(views[j].extent)) continue;
        expected[{items[i].id, items[j].id}] = compare_views(items[i].id, items[i].view, items[j].id, items[j].view);
      }
    }
  }
  for (const std::uint64_t most : {std::uint64_t{1'000'000}, std::uint64_t{100'000}, std::uint64_t{33}}) {
    for (const std::size_t threads : {1u, 3u}) {
      const Sharing found = find_sharing(items, {.max_pairs = most, .budget = {}, .threads = threads, .stop = {}});
      CHECK(found.pairs.size() == std::min<std::size_t>(most, expected.size()));
      CHECK(found.missing_pairs == (found.pairs.size() < expected.size() ? UnknownWhy::pair_bound : UnknownWhy::none));
      CHECK(found.open_groups == UnknownWhy::none);
      CHECK(std::ranges::is_sorted(found.pairs, {}, [](const SharingPair& p) { return std::pair(p.a, p.b); }));
      std::size_t wrong = 0;
      for (const SharingPair& p : found.pairs) {
        const auto known = expected.find({p.a, p.b});
        const bool right = known != expected.end() && known->second.relation == p.relation && p.witness == known->second.witness &&
                           p.shared_bytes == known->second.shared_bytes;
        wrong += right ? 0 : 1;
      }
      CHECK(wrong == 0);
    }
  }
}
