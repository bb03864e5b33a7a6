#include "core/inventory/unchanged_sharing.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "core/inventory/snapshot_builder.h"
#include "core/inventory/unchanged_tensors.h"
#include "tests/core/inventory/refresh_agreement.h"
#include "tests/core/inventory/sample_snapshot.h"

namespace dlscope::core {
namespace {

using testing::array_desc;
using Ids = std::vector<std::uint32_t>;

std::shared_ptr<const Snapshot> analysed(const std::vector<TensorDesc>& descs, const AnalyseOptions& options = {}) {
  SnapshotBuilder builder;
  for (const TensorDesc& desc : descs) builder.add_tensor(desc, builder.intern("numpy"), {}, {});
  builder.analyse(options);
  return builder.finish();
}

// `count` arrays with gaps between them, each with its first half.
std::vector<TensorDesc> arrays(std::size_t count) {
  std::vector<TensorDesc> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(array_desc(0x10000 + i * 0x2000, {64, 16}));
    out.push_back(array_desc(0x10000 + i * 0x2000, {32, 16}));
  }
  return out;
}

// The tensors of `now` whose sharing is not worked out again.
Ids kept(const Snapshot& earlier, const Snapshot& now) {
  const Ids unchanged = find_unchanged(earlier, now);
  const std::vector<std::uint8_t> takes_part(now.tensors.size(), 1);
  const UnchangedSharing sharing(earlier, now, unchanged, takes_part);
  Ids out;
  for (std::uint32_t id = 0; id < now.tensors.size(); ++id) {
    if (sharing.holds_for(id)) out.push_back(id);
  }
  return out;
}

}  // namespace

TEST_CASE("Tensors are found again after others came, went, changed and swapped places", "[core][inventory]") {
  const std::vector<TensorDesc> before = arrays(20);
  const auto earlier = analysed(before);
  const auto matches = [&](const std::vector<TensorDesc>& now) { return find_unchanged(*earlier, *analysed(now)); };
  Ids all(before.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;

  CHECK(matches(before) == all);
  CHECK(matches({}).empty());
  CHECK(find_unchanged(*analysed({}), *earlier) == Ids(all.size(), kNone32));

  std::vector<TensorDesc> now = before;
  Ids expected = all;
  now.insert(now.begin() + 3, array_desc(0x9000, {4}));
  expected.insert(expected.begin() + 3, kNone32);
  now.erase(now.begin() + 8, now.begin() + 30);  // more than is looked ahead
  expected.erase(expected.begin() + 8, expected.begin() + 30);
  now.back() = array_desc(0x9100, {4});
  expected.back() = kNone32;
  CHECK(matches(now) == expected);

  now = before;
  for (int i = 4; i < 25; ++i) now[static_cast<std::size_t>(i)] = array_desc(0x9000, {i});
  expected = all;
  std::fill(expected.begin() + 4, expected.begin() + 25, kNone32);
  CHECK(matches(now) == expected);

  now = before;
  std::ranges::reverse(now);
  expected = all;
  std::ranges::reverse(expected);
  CHECK(matches(now) == expected);
}

TEST_CASE("A tensor at the same address with another shape, stride, item or device is another one", "[core][inventory]") {
  const auto earlier = analysed({array_desc(0x10000, {4, 4})});
  for (const TensorDesc& desc :
       {array_desc(0x10000, {2, 8}), array_desc(0x10000, {4, 4}, {4, 16}), array_desc(0x10000, {16}),
        array_desc(0x10000, {4, 4}, {}, {2, 64, 1}), array_desc(0x10040, {4, 4}), testing::capsule_desc(0x10000, {4, 4}, {2, 0})})
    CHECK(find_unchanged(*earlier, *analysed({desc})) == Ids{kNone32});
  CHECK(find_unchanged(*earlier, *analysed({testing::capsule_desc(0x10000, {4, 4})})) == Ids{0});
}

TEST_CASE("Of equal tensors each is found once", "[core][inventory]") {
  const TensorDesc desc = array_desc(0x10000, {16});
  const auto three = analysed({desc, desc, desc});
  CHECK(find_unchanged(*three, *analysed({desc, desc})) == Ids{0, 1});
  CHECK(find_unchanged(*analysed({desc, desc}), *three) == Ids{0, 1, kNone32});
}

TEST_CASE("Only clusters that something came into, went from or was open in are worked out again", "[core][inventory]") {
  const std::vector<TensorDesc> before = arrays(4);
  const auto earlier = analysed(before);
  CHECK(kept(*earlier, *earlier) == Ids{0, 1, 2, 3, 4, 5, 6, 7});

  std::vector<TensorDesc> now = before;
  now.erase(now.begin() + 2);
  CHECK(kept(*earlier, *analysed(now)) == Ids{0, 1, 3, 4, 5, 6});

  now = before;
  now.insert(now.begin(), array_desc(0x10ffc, {2}));  // the first array's last element and the gap behind it
  CHECK(kept(*earlier, *analysed(now)) == Ids{3, 4, 5, 6, 7, 8});

  now = before;
  now.push_back(array_desc(0x10800, {0x1000}));  // from the first array into the third
  CHECK(kept(*earlier, *analysed(now)) == Ids{6, 7});

  now = before;
  std::swap(now[4], now[5]);
  CHECK(kept(*earlier, *analysed(now)) == Ids{0, 1, 2, 3, 6, 7});

  now = before;
  std::ranges::rotate(now, now.begin() + 2);  // clusters in another order, each in its own
  CHECK(kept(*earlier, *analysed(now)) == Ids{0, 1, 2, 3, 4, 5, 6, 7});

  AnalyseOptions bounded;
  bounded.sharing.max_pairs = 2;
  CHECK(kept(*analysed(before, bounded), *earlier) == Ids{});
}

TEST_CASE("What was over the budget is tried again, what was unreadable is compared when it can be read", "[core][inventory]") {
  const std::vector<TensorDesc> hard = {array_desc(0x10000, {100, 60, 3}, {1000, 12, 7}),
                                        array_desc(0x10003, {90, 70, 2}, {1100, 9, 5}), array_desc(0x90000, {64}),
                                        array_desc(0x90000, {32})};
  AnalyseOptions poor;
  poor.sharing.work = 0;
  const auto unknown = analysed(hard, poor);
  REQUIRE(unknown->pairs.size() == 2);
  REQUIRE(unknown->pairs[0].why == UnknownWhy::over_budget);
  AnalyseOptions again;
  again.earlier = unknown.get();
  const auto refreshed = analysed(hard, again), full = analysed(hard);
  CHECK(kept(*unknown, *full) == Ids{2, 3});
  CHECK(refreshed->pairs[0].relation != Relation::unknown);
  CHECK(refreshed->pairs[0].relation == full->pairs[0].relation);
  CHECK(refreshed->pairs[0].shared_bytes == full->pairs[0].shared_bytes);
  CHECK(refreshed->info.open_groups == UnknownWhy::none);

  const AddressMap hole = AddressMap::parse("10000-90000 rw-p 00000000 00:00 0 \n"),
                   whole = AddressMap::parse("10000-91000 rw-p 00000000 00:00 0 \n");
  AnalyseOptions readable;
  readable.map = &hole;
  const auto unreadable = analysed(hard, readable);
  REQUIRE(unreadable->pairs[1].why == UnknownWhy::unreadable);
  readable.map = &whole;
  readable.earlier = unreadable.get();
  const auto read = analysed(hard, readable);
  CHECK(read->pairs[1].relation == Relation::contains);
  CHECK(read->groups.size() == full->groups.size());
}

TEST_CASE("A refresh that is stopped says so and keeps what it knew", "[core][inventory]") {
  std::vector<TensorDesc> descs = arrays(3);
  const auto earlier = analysed(descs);
  descs.push_back(array_desc(0x10000, {16}));
  std::stop_source stop;
  stop.request_stop();
  AnalyseOptions options;
  options.earlier = earlier.get();
  options.sharing.stop = options.sharing.budget.stop = stop.get_token();
  const auto stopped = analysed(descs, options);
  CHECK(stopped->info.missing_pairs == UnknownWhy::stopped);
  REQUIRE(stopped->pairs.size() == 2);
  CHECK(stopped->pairs[0].relation == Relation::contains);
  options = {};
  options.earlier = stopped.get();
  CHECK(analysed(descs, options)->pairs.size() == 5);
}

TEST_CASE("Thousands of tensors in another order are found again, and of thousands of others none", "[core][inventory]") {
  std::vector<TensorDesc> descs = arrays(4000);
  const auto earlier = analysed(descs);
  std::vector<TensorDesc> moved = descs;
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = array_desc(0x40000000 + i * 0x1000, {64, 8});
  CHECK(find_unchanged(*earlier, *analysed(moved)) == Ids(moved.size(), kNone32));

  Ids order(descs.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = (i * 4001u) % static_cast<std::uint32_t>(order.size());
  std::vector<TensorDesc> shuffled;
  for (const std::uint32_t i : order) shuffled.push_back(descs[i]);
  CHECK(find_unchanged(*earlier, *analysed(shuffled)) == order);

  // Half of them in another order, half of them others: the sample shows that the search is worth it.
  for (std::size_t i = 0; i < shuffled.size(); i += 2) {
    shuffled[i] = moved[i];
    order[i] = kNone32;
  }
  CHECK(find_unchanged(*earlier, *analysed(shuffled)) == order);
}

TEST_CASE("What is copied in runs of shifted ids equals a full analysis, beside an unreadable tensor too", "[core][inventory]") {
  std::vector<TensorDesc> descs = arrays(300);
  for (std::uint32_t i = 0; i < 50; ++i) descs.push_back(array_desc(0x10000 + i * 0x2000, {8, 16}));  // ids far from their cluster's
  const AddressMap hole = AddressMap::parse("10000-90000 rw-p 00000000 00:00 0 \n92000-400000 rw-p 00000000 00:00 0 \n");
  descs.push_back(array_desc(0x8f000, {0x2000}));  // reaches into the hole, from a cluster that stays
  AnalyseOptions options;
  options.map = &hole;
  const auto earlier = analysed(descs, options);
  const auto check = [&](const std::vector<TensorDesc>& now) {
    const auto full = analysed(now, options);
    AnalyseOptions again = options;
    again.earlier = earlier.get();
    const auto refreshed = analysed(now, again);
    REQUIRE(refreshed->pairs.size() == full->pairs.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < full->pairs.size(); ++i) {
      const PairRecord &x = refreshed->pairs[i], &y = full->pairs[i];
      wrong += x.a == y.a && x.b == y.b && x.shared_bytes == y.shared_bytes && x.witness == y.witness && x.why == y.why ? 0 : 1;
    }
    CHECK(wrong == 0);
    CHECK(refreshed->group_members == full->group_members);
    CHECK(refreshed->info.missing_pairs == full->info.missing_pairs);
  };
  check(descs);
  std::vector<TensorDesc> now = descs;
  now.insert(now.begin() + 200, array_desc(0x8000, {4}));  // shifts all that follow
  check(now);
  now.erase(now.begin() + 20, now.begin() + 22);
  check(now);
  now.insert(now.begin() + 603, array_desc(0x9000, {4}));  // between the two parts of clusters
  check(now);
  std::ranges::rotate(now, now.begin() + 300);
  check(now);
  now.pop_back();
  check(now);
}

TEST_CASE("Refreshes after random edits equal full analyses", "[core][inventory]") {
  const test::Agreement found = test::refreshes_agree(4'000, 211);
  INFO(found.difference.value_or(""));
  CHECK(found.cases == 4'000);
  CHECK_FALSE(found.difference);
}

}  // namespace dlscope::core
