#include "app/models/tensors/snapshot_index.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "app/models/tensors/unpaired.h"
#include "core/inventory/relation.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

IndexPtr index_of(core::SnapshotPtr snapshot) {
  GroupColours colours;
  return build_index(std::move(snapshot), colours);
}

}  // namespace

TEST_CASE("every name of a tensor finds it", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  CHECK(index->find("x") == 0U);
  CHECK(index->find("arrays['x']") == 0U);
  CHECK(index->find("grad") == index->size() - 1);
  CHECK_FALSE(index->find("nobody").has_value());
}

TEST_CASE("the pairs of a tensor are those it is in, the strongest first", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  const auto pairs = index->pairs_of(0);
  REQUIRE(pairs.size() == 3);
  for (const std::uint32_t pair : pairs) CHECK((index->pair(pair).a == 0 || index->pair(pair).b == 0));
  CHECK(index->pairs_of(*index->find("weights")).empty());
  // Every pair is listed for both of its tensors, none twice.
  std::size_t listed = 0;
  for (std::uint32_t id = 0; id < index->size(); ++id) listed += index->pairs_of(id).size();
  CHECK(listed == index->snapshot->pairs.size() * 2);
}

TEST_CASE("an empty snapshot has an index like any other", "[app][models]") {
  const IndexPtr index = index_of(tests::empty_snapshot());
  CHECK(index->size() == 0);
  CHECK(index->map.lanes.empty());
  CHECK_FALSE(index->find("").has_value());
}

TEST_CASE("a group keeps its colour from run to run, and a colour is reused only after its group is gone", "[app][models]") {
  GroupColours colours;
  const auto run = [&](const std::vector<tests::SampleTensor>& tensors) {
    return build_index(tests::snapshot_of(tensors), colours);
  };
  const tests::SampleTensor a{.name = "a", .address = 0x558120001000, .shape = {4}},
      b{.name = "b", .address = 0x558120002000, .shape = {4}}, c{.name = "c", .address = 0x558120000800, .shape = {4}};
  const auto colour = [](const IndexPtr& index, const char* name) { return index->colour_of(index->tensor(*index->find(name))); };
  const IndexPtr first = run({a, b});
  CHECK(colour(first, "a") == 0);
  CHECK(colour(first, "b") == 1);
  const IndexPtr second = run({c, b, a});  // c is new, and lies before both
  CHECK(colour(second, "a") == 0);
  CHECK(colour(second, "b") == 1);
  CHECK(colour(second, "c") == 2);
  const IndexPtr third = run({c});
  CHECK(colour(third, "c") == 2);
  const IndexPtr fourth = run({a, c});  // a's colour was free again
  CHECK(colour(fourth, "c") == 2);
  CHECK(colour(fourth, "a") == 0);
}

TEST_CASE("tensors of one group have one colour, tensors without memory none", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  const auto colour = [&](const char* name) { return index->colour_of(index->tensor(*index->find(name))); };
  CHECK(colour("x") == colour("y"));
  CHECK(colour("x") == colour("t"));
  CHECK(colour("x") != colour("w"));
  CHECK(colour("grad") == core::kNone32);
}

TEST_CASE("a stopped build gives nothing", "[app][models]") {
  GroupColours colours;
  std::stop_source stop;
  stop.request_stop();
  CHECK(build_index(tests::tour_snapshot(), colours, stop.get_token()) == nullptr);
}

TEST_CASE("where pairs are missing, a tensor alone at its addresses shares nothing unless its memory is also at others",
          "[app][models]") {
  const std::vector<tests::SampleTensor> tensors{{.name = "a", .address = 0x558120001000, .shape = {16}},
                                                 {.name = "b", .address = 0x558120009000, .shape = {16}},
                                                 {.name = "c", .address = 0x558120011000, .shape = {16}},
                                                 {.name = "d", .address = 0x558120019000, .shape = {16}},
                                                 {.name = "e", .address = 0x558120021000, .shape = {16}}};
  const auto snapshot = std::make_shared<core::Snapshot>(*tests::snapshot_of(tensors));
  core::Snapshot& s = *snapshot;
  s.info.missing_pairs = core::UnknownWhy::pair_bound;
  // b and c show the same page at two addresses; d and e may show the same page of a file.
  s.tensors[2].page_shift = s.tensors[1].extent.begin - s.tensors[2].extent.begin;
  s.tensors[1].page_shift = 0;
  s.tensors[2].group = s.tensors[1].group;
  core::GroupRecord& group = s.groups[s.tensors[1].group];
  group.members = {static_cast<std::uint32_t>(s.group_members.size()), 2};
  s.group_members.insert(s.group_members.end(), {1, 2});
  for (const std::uint32_t id : {3U, 4U}) {
    s.tensors[id].remarks = {static_cast<std::uint32_t>(s.remarks.size()), 1};
    s.remarks.push_back({core::RemarkCode::same_file_pages, {}});
  }
  const IndexPtr index = index_of(snapshot);
  CHECK(unpaired(*index, 0) == Unpaired::alone);
  CHECK(unpaired(*index, 1) == Unpaired::shares);
  CHECK(unpaired(*index, 2) == Unpaired::shares);
  CHECK(unpaired(*index, 3) == Unpaired::open);
  CHECK(unpaired_sentence(*index, 3, "it") ==
        "it was not compared with all others, so what it shares is unknown: " +
            core::unknown_text(core::UnknownWhy::pair_bound, "it") + ".");
  for (std::uint32_t a = 0; a < index->size(); ++a) {
    if (index->missing_pairs_of(a) != core::UnknownWhy::none) continue;
    for (std::uint32_t b = 0; b < index->size(); ++b)
      CHECK((a == b || core::relation_between(s, a, b).relation == core::Relation::disjoint));
  }
}

}  // namespace dlscope::app
