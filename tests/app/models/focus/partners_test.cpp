#include "app/models/focus/partners.h"

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "app/models/tensors/device_doubt.h"
#include "core/inventory/relation.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

IndexPtr index_of(core::SnapshotPtr snapshot) {
  GroupColours colours;
  return build_index(std::move(snapshot), colours);
}

std::string compared(const IndexPtr& index, const char* a, const char* b) {
  return compare_tensors(*index, index->find(a).value(), index->find(b).value()).sentence;
}

}  // namespace

TEST_CASE("a tensor's partners come strongest first, with the evidence and how it was found", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  const Partners x = partners_of_tensor(*index, *index->find("y"), 50);
  REQUIRE(x.list.size() == 3);
  CHECK(x.not_listed == 0);
  CHECK(x.title == "“y” meets 3 tensors in memory.");
  const Partner& first = x.list.front();
  CHECK(first.name == "x");
  CHECK(first.sentence == "“y” is the transpose of “x”: the same 48 bytes, rows and columns swapped.");
  CHECK(first.consequence == "Writing to one changes the other.");
  CHECK(first.bytes == "48 B");
  CHECK(first.evidence == "Lowest common byte 0x5581 2e40 4a80: y[0, 0] and x[0, 0].");
  CHECK(first.method.starts_with("Exact"));
  CHECK(first.witness.tensor == *index->find("y"));
  CHECK(first.witness.element == 0U);
  CHECK(first.witness.bytes.contains(0x55812e404a80));
  const Partners two = partners_of_tensor(*index, *index->find("y"), 2);
  CHECK(two.list.size() == 2);
  CHECK(two.not_listed == 1);
  const Partners columns = partners_of_tensor(*index, *index->find("table[:, 0::2]"), 50);
  REQUIRE(columns.list.size() == 1);
  CHECK(columns.list[0].evidence.empty());
  CHECK(columns.list[0].bytes.empty());
  CHECK_FALSE(columns.list[0].witness.on_tensor());
  const Partners weights = partners_of_tensor(*index, *index->find("weights"), 50);
  CHECK(weights.list.empty());
  CHECK(weights.title == "“weights” shares no byte with any other listed tensor whose bytes are known.");
}

TEST_CASE("after a stop nobody is said to be alone who was not compared", "[app][models]") {
  const std::vector<tests::SampleTensor> tensors = {
      {.name = "a", .address = 0x558120001000, .shape = {8}, .strides = {2}},
      {.name = "b", .address = 0x558120001004, .shape = {8}, .strides = {2}},
      {.name = "apart", .address = 0x558120009000, .shape = {8}},
  };
  const IndexPtr index = index_of(tests::snapshot_of(tensors, 1, tests::stopped_limits()));
  REQUIRE(index->snapshot->pairs.empty());
  const auto title = [&](std::uint32_t id) { return partners_of_tensor(*index, id, 50).title; };
  CHECK(title(0) == "“a” was not compared with all others, so what it shares is unknown: the analysis was stopped.");
  CHECK(title(2) == "“apart” shares no byte with any other listed tensor.");  // no extent meets its own
  // Asked for, the two are compared all the same.
  CHECK(compared(index, "a", "b") == "“a” and “b” alternate in the same stretch of memory, but share no byte.");
}

TEST_CASE("nobody shares nothing for certain where oneAPI memory has the addresses of the host's", "[app][models]") {
  constexpr core::DeviceId kUsm{14, 0}, kCuda{2, 0};
  // At addresses that the sample's map does not have: where it has them, oneAPI memory is the host's, and compared.
  auto snapshot = std::make_shared<core::Snapshot>(
      *tests::snapshot_of({{.name = "x", .address = 0x558120001000, .shape = {8}},
                           {.name = "u", .address = 0x1000, .shape = {2}, .device = kUsm},
                           {.name = "c", .address = 0x1000, .shape = {2}, .device = kCuda},
                           {.name = "apart", .address = 0x558120009000, .shape = {8}}}));
  for (const std::size_t id : {1U, 2U}) {
    core::TensorRecord& tensor = snapshot->tensors[id];
    tensor.address = tensor.data = 0x558120001004;
    tensor.extent = {0x558120001004, 0x55812000100c};
  }
  const IndexPtr index = index_of(snapshot);
  const auto title = [&](std::uint32_t id) { return partners_of_tensor(*index, id, 50).title; };
  CHECK(core::relation_between(*index->snapshot, 0, 1).relation == core::Relation::unknown);
  CHECK(title(0) == "“x” shares no byte with any other listed tensor of its own memory. Whether “x” shares bytes with “u” (oneapi:0) "
                    "is unknown: they have the same addresses, and oneAPI memory may be the host's as well.");
  CHECK(title(1) == "“u” shares no byte with any other listed tensor of its own memory. Whether “u” shares bytes with “x” (cpu) "
                    "is unknown: they have the same addresses, and oneAPI memory may be the host's as well.");
  CHECK(title(2) == "“c” shares no byte with any other listed tensor.");
  CHECK(title(3) == "“apart” shares no byte with any other listed tensor.");
}

TEST_CASE("that some tensors meet on different devices is found as by comparing each two", "[app][models]") {
  const core::Remark lie{core::RemarkCode::device_mismatch, "described as cuda:0, but the address lies in own memory"};
  const std::vector<core::DeviceId> devices = {{1, 0}, {2, 0}, {2, 1}, {14, 0}};
  std::mt19937 random(7);
  const auto below = [&](std::size_t count) { return static_cast<std::int64_t>(random() % count); };
  int met = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<tests::SampleTensor> tensors;
    const std::int64_t count = 2 + below(4);
    for (std::int64_t i = 0; i < count; ++i) {
      const core::DeviceId device = devices[static_cast<std::size_t>(below(devices.size()))];
      tensors.push_back({.name = "t" + std::to_string(i),
                         .address = 0x1000 + 4 * static_cast<core::Address>(below(40)),
                         .shape = {below(9)},
                         .device = device});
      if (device.type == 2 && below(3) == 0) tensors.back().remarks = {lie};
    }
    const core::SnapshotPtr snapshot = tests::snapshot_of(tensors);
    bool expected = false;
    for (std::uint32_t a = 0; a < tensors.size(); ++a) {
      for (std::uint32_t b = 0; b < a; ++b) {
        const core::TensorRecord &x = snapshot->tensors[a], &y = snapshot->tensors[b];
        const bool unknown = core::relation_between(*snapshot, a, b).relation == core::Relation::unknown;
        expected = expected || (x.space != y.space && unknown && x.extent.meets(y.extent));
      }
    }
    CHECK(some_meet_elsewhere(*snapshot) == expected);
    met += expected ? 1 : 0;
  }
  CHECK(met > 20);
  CHECK(met < 280);
}

TEST_CASE("the reason why a pair is unknown is the one that was found", "[app][models]") {
  const IndexPtr index = index_of(tests::snapshot_of({{.name = "a", .address = 0x558120001000, .shape = {8}},
                                                      {.name = "liar", .address = 0x558120001000, .shape = {1 << 30}},
                                                      {.name = "nil", .address = 0, .shape = {8}},
                                                      {.name = "metal", .address = 0x1000, .shape = {8}, .device = {8, 0}},
                                                      {.name = "c", .address = 0x1000, .shape = {8}, .device = {2, 0}},
                                                      {.name = "d", .address = 0x1000, .shape = {8}, .device = {2, 0}}}));
  const Partners a = partners_of_tensor(*index, 0, 50);
  REQUIRE(a.list.size() == 1);
  CHECK(a.list[0].sentence == "Whether “a” and “liar” share bytes is unknown: “liar” claims bytes that cannot be read.");
  CHECK(a.list[0].method.empty());
  CHECK(compared(index, "a", "liar") == a.list[0].sentence);
  CHECK(compared(index, "nil", "a") ==
        "Whether “nil” and “a” share bytes is unknown: “nil” has elements but a NULL data pointer.");
  CHECK(compared(index, "a", "metal") ==
        "Whether “a” and “metal” share bytes is unknown: “metal” has no address that could be compared.");
  CHECK(compared(index, "c", "d") == "“c” shows the same 32 bytes as “d”, in the same order.");
}

TEST_CASE("two tensors are compared whatever they are", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  CHECK(compared(index, "y", "x") == "“y” is the transpose of “x”: the same 48 bytes, rows and columns swapped.");
  CHECK(compared(index, "w", "mask") == "“w” and “mask” share nothing: there are 108 B between them.");
  CHECK(compared(index, "mask", "w") == "“mask” and “w” share nothing: there are 108 B between them.");
  CHECK(compared(index, "x", "grad") == "Whether “x” and “grad” share bytes is unknown: “grad” was not described.");
  const IndexPtr broken = index_of(tests::broken_snapshot());
  CHECK(compared(broken, "rank6", "nothing") == "“rank6” and “nothing” share nothing: “nothing” has no elements.");
  CHECK(compared(broken, "rank6", "null").starts_with("Whether"));
  const IndexPtr next = index_of(tests::snapshot_of({{.name = "a", .address = 0x558120001000, .shape = {4}},
                                                     {.name = "b", .address = 0x558120001010, .shape = {4}},
                                                     {.name = "c", .address = 0x1000, .shape = {4}, .device = {2, 0}}}));
  CHECK(compared(next, "b", "a") == "“b” and “a” share nothing: one begins where the other ends.");
  CHECK(compared(next, "a", "c").find("the other on cuda") != std::string::npos);
  for (std::uint32_t a = 0; a < broken->size(); ++a) {
    for (std::uint32_t b = 0; b < broken->size(); ++b) {
      if (a != b) CHECK_FALSE(compare_tensors(*broken, a, b).sentence.empty());
    }
  }
}

}  // namespace dlscope::app
