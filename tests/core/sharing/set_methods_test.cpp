// The methods behind overlap() and find_sharing(), each by itself against every byte of small sets: a wrong one may otherwise go
// unseen, because for most pairs another one is chosen.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <vector>

#include "core/sharing/nested_overlap.h"
#include "core/sharing/prepared_set.h"
#include "core/sharing/residue_search.h"
#include "core/sharing/run_list.h"
#include "core/sharing/sharing_pair.h"
#include "core/sharing/union_bytes.h"
#include "core/sharing/work_budget.h"
#include "tests/core/sharing/brute_force.h"

using namespace dlscope::core;
using namespace dlscope::core::test;

namespace {

// A view's bytes in normal form, and one by one.
struct Judged {
  explicit Judged(OwnedView of) : view(std::move(of)), memory(view.view()), prepared(memory) {
    for (const auto& [address, element] : touched_bytes(view)) bytes.insert(address);
  }
  [[nodiscard]] const StridedSet& set() const { return prepared.get().set; }
  [[nodiscard]] const NestedLevel* top() const { return prepared.get().top; }

  OwnedView view;
  MemoryView memory;
  PreparedView prepared;
  std::set<Address> bytes;
};

std::set<Address> common(const Judged& a, const Judged& b) {
  std::set<Address> out;
  std::ranges::set_intersection(a.bytes, b.bytes, std::inserter(out, out.end()));
  return out;
}

std::vector<ByteRange> runs_of(const std::set<Address>& bytes, ByteRange window) {
  std::vector<ByteRange> runs;
  for (const Address byte : bytes) {
    if (!window.contains(byte)) continue;
    if (runs.empty() || runs.back().end != byte) runs.push_back({byte, byte});
    runs.back().end = byte + 1;
  }
  return runs;
}

ByteRange part_of(Random& random, ByteRange range) {
  const auto size = static_cast<std::int64_t>(range.size());
  const std::int64_t begin = pick(random, 0, size - 1), length = pick(random, 1, size - begin);
  return {range.begin + static_cast<Address>(begin), range.begin + static_cast<Address>(begin + length)};
}

}  // namespace

TEST_CASE("Bytes below an offset and the next byte of a nested set", "[core][memory]") {
  Random random(31);
  int judged = 0;
  for (int round = 0; round < 2'000; ++round) {
    const Judged one(random_view(random));
    if (one.top() == nullptr || one.set().empty()) continue;
    ++judged;
    REQUIRE(one.top()->size == one.bytes.size());
    std::uint64_t below = 0, wrong = 0;
    auto at = one.bytes.begin();
    for (std::uint64_t offset = 0; offset <= one.set().span + 2; ++offset) {
      while (at != one.bytes.end() && *at < one.set().base + offset) {
        ++at;
        ++below;
      }
      wrong += count_below(*one.top(), offset) == below ? 0 : 1;
      if (offset < one.set().span) wrong += next_in(*one.top(), offset) == *at - one.set().base ? 0 : 1;
    }
    REQUIRE(wrong == 0);
  }
  CHECK(judged > 500);
}

TEST_CASE("Common bytes of two nested sets by formula, and with few steps", "[core][memory]") {
  Random random(37);
  int judged = 0, given_up = 0;
  for (int round = 0; round < 5'000; ++round) {
    const ViewPair pair = random_pair(random);
    const Judged a(pair.a), b(pair.b);
    if (a.top() == nullptr || b.top() == nullptr || a.set().empty() || b.set().empty()) continue;
    const std::set<Address> expected = common(a, b);
    const auto distance = static_cast<std::int64_t>(b.set().base - a.set().base);
    for (const std::uint64_t steps : {std::uint64_t{1} << 20, static_cast<std::uint64_t>(pick(random, 0, 3))}) {
      std::uint64_t left = steps;
      CommonBytes found;
      if (!common_bytes(*a.top(), *b.top(), distance, left, {}, found)) {
        REQUIRE(steps < 4);
        ++given_up;
        continue;
      }
      REQUIRE(left <= steps);
      REQUIRE(found.count == expected.size());
      if (found.count > 0) REQUIRE(found.lowest == *expected.begin() - a.set().base);
      ++judged;
    }
  }
  CHECK(judged > 1'000);
  CHECK(given_up > 0);
}

TEST_CASE("Residues and the bounded search never answer wrong", "[core][memory]") {
  Random random(41);
  int apart = 0, searched = 0, given_up = 0;
  for (int round = 0; round < 4'000; ++round) {
    const ViewPair pair = random_pair(random);
    const Judged a(pair.a), b(pair.b);
    if (!a.set().in_bytes() || !b.set().in_bytes() || a.set().empty() || b.set().empty()) continue;
    const bool meets = !common(a, b).empty();
    if (residues_are_disjoint(a.set(), b.set())) {
      REQUIRE_FALSE(meets);
      ++apart;
    }
    for (const std::uint64_t nodes : {std::uint64_t{1} << 22, static_cast<std::uint64_t>(pick(random, 0, 20))}) {
      const std::optional<bool> found = search_common_byte(a.set(), b.set(), nodes, {});
      if (found) REQUIRE(*found == meets);
      if (!found) REQUIRE(nodes <= 20);
      ++(found ? searched : given_up);
    }
  }
  CHECK(apart > 10);
  CHECK(searched > 1'000);
  CHECK(given_up > 10);
}

TEST_CASE("Runs in any window of a set, packed ones too, and what two lists have in common", "[core][memory]") {
  Random random(43);
  for (int round = 0; round < 2'000; ++round) {
    const ViewPair pair = random_pair(random);
    const Judged a(pair.a), b(pair.b);
    if (a.set().empty() || b.set().empty()) continue;
    const ByteRange window = part_of(random, a.set().range());
    const std::vector<ByteRange> expected = runs_of(a.bytes, window);
    const auto runs = list_runs(a.set(), window, {});
    REQUIRE(runs);
    REQUIRE(*runs == expected);
    REQUIRE(runs_to_visit(a.set(), window) >= expected.size());
    std::uint64_t size = 0;
    for (const Address byte : a.bytes) size += window.contains(byte) ? 1 : 0;
    REQUIRE(size_of_runs(*runs) == size);
    const auto all_a = list_runs(a.set(), a.set().range(), {}), all_b = list_runs(b.set(), b.set().range(), {});
    REQUIRE(all_a);
    REQUIRE(all_b);
    const std::set<Address> both = common(a, b);
    const auto found = common_of_runs(*all_a, *all_b, {});
    REQUIRE(found);
    REQUIRE(found->count == both.size());
    if (found->count > 0) REQUIRE(found->lowest == *both.begin());
    std::vector<ByteRange> merged = *all_b;
    merged.insert(merged.end(), all_a->begin(), all_a->end());
    std::ranges::shuffle(merged, random);
    REQUIRE(merge_runs(merged, {}));
    std::set<Address> either = a.bytes;
    either.insert(b.bytes.begin(), b.bytes.end());
    REQUIRE(merged == runs_of(either, {0, ~Address{0}}));
  }
  std::stop_source stopped;
  stopped.request_stop();
  const Judged any(make_view(Layout::from_byte_strides({9}, {2}, 8), 4096));
  CHECK_FALSE(list_runs(any.set(), any.set().range(), stopped.get_token()));
}

TEST_CASE("The union of any sets, by lists of runs and by bit sets", "[core][memory]") {
  Random random(47);
  for (int round = 0; round < 1'000; ++round) {
    std::vector<std::unique_ptr<Judged>> all;
    std::vector<const PreparedSet*> sets;
    std::set<Address> expected;
    for (std::int64_t i = pick(random, 1, 6); i > 0; --i) {
      all.push_back(std::make_unique<Judged>(random_view(random)));
      if (all.back()->set().empty()) continue;
      sets.push_back(&all.back()->prepared.get());
      expected.insert(all.back()->bytes.begin(), all.back()->bytes.end());
    }
    if (sets.empty()) continue;
    WorkBudget budget({}, std::uint64_t{1} << 40);
    REQUIRE(union_bytes(sets, budget) == expected.size());
    // Without room for a list of runs a bit set is tried, and without room for that nothing is claimed.
    OverlapBudget narrow;
    narrow.scratch_bytes = static_cast<std::uint64_t>(pick(random, 0, 4000));
    WorkBudget small(narrow, std::uint64_t{1} << 40);
    const std::uint64_t found = union_bytes(sets, small);
    REQUIRE((found == expected.size() || found == kUnknownBytes));
  }
}
