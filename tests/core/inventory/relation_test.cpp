#include "core/inventory/relation.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "core/inventory/snapshot_builder.h"
#include "tests/core/inventory/sample_snapshot.h"

namespace dlscope::core {
namespace {

using testing::array_desc;
using testing::capsule_desc;

constexpr DeviceId kGpu{2, 0}, kMetal{8, 0};

std::shared_ptr<Snapshot> analysed(const std::vector<TensorDesc>& descs, AnalyseOptions options = {}) {
  SnapshotBuilder builder;
  for (const TensorDesc& desc : descs) builder.add_tensor(desc, {}, {}, {});
  builder.analyse(options);
  return builder.finish();
}

TensorDesc refused_desc() {
  TensorDesc desc;
  desc.clear();
  return desc;
}

PairRecord unknown_pair(UnknownWhy why) {
  PairRecord pair;
  pair.b = 1;
  pair.relation = Relation::unknown;
  pair.why = why;
  return pair;
}

TEST_CASE("a listed pair is told as it is listed, from either side", "[core][inventory]") {
  const auto s = analysed({array_desc(0x10000, {8}), array_desc(0x10008, {2})});
  REQUIRE(s->pairs.size() == 1);
  for (const PairRecord& pair : {relation_between(*s, 0, 1), relation_between(*s, 1, 0)}) {
    CHECK(pair.a == 0);
    CHECK(pair.b == 1);
    CHECK(pair.relation == Relation::contains);
    CHECK(pair.shared_bytes == 8);
    CHECK(pair.witness == 0x10008);
    const auto elements = witness_elements(*s, pair);
    REQUIRE(elements);
    CHECK(elements->a == 2);
    CHECK(elements->b == 0);
  }
}

TEST_CASE("a pair that the list has no room for is worked out", "[core][inventory]") {
  AnalyseOptions options;
  options.sharing.max_pairs = 0;
  const auto s = analysed(
      {array_desc(0x10000, {8}), array_desc(0x10008, {2}), capsule_desc(0x10000, {4}, kGpu), capsule_desc(0x10008, {4}, kGpu)},
      options);
  REQUIRE(s->pairs.empty());
  const PairRecord pair = relation_between(*s, 1, 0);
  CHECK(pair.relation == Relation::contains);
  CHECK(pair.shared_bytes == 8);
  CHECK(witness_elements(*s, pair).value().a == 2);
  // Device memory is not read, but its addresses are exact: not readable is no reason.
  CHECK(relation_between(*s, 2, 3).relation == Relation::overlaps);
}

TEST_CASE("working it out keeps to the budget, and says when it stopped", "[core][inventory]") {
  AnalyseOptions options;
  options.sharing.max_pairs = 0;
  const std::int64_t big = std::int64_t{1} << 38;
  const auto s = analysed(
      {array_desc(0x100000, {1000, 1000, 1000, 1000}, {big / 1000 + 7, big / 999 + 10, big / 998 + 1, 3}, DType{1, 8, 1}),
       array_desc(0x100001, {1000, 1000, 1000, 1000}, {big / 997 + 3, big / 996 + 8, big / 995 + 5, 7}, DType{1, 8, 1})},
      options);
  OverlapBudget budget;
  budget.work = 1000;
  CHECK(relation_between(*s, 0, 1, budget).why == UnknownWhy::over_budget);
  std::stop_source stop;
  stop.request_stop();
  budget.stop = stop.get_token();
  const PairRecord pair = relation_between(*s, 0, 1, budget);
  CHECK(pair.relation == Relation::unknown);
  CHECK(pair.shared_bytes == kUnknown64);
  CHECK(pair.why == UnknownWhy::stopped);
  CHECK(subject_of(*s, pair) == kNone32);
}

TEST_CASE("what lies apart shares nothing, whatever else is wrong with it", "[core][inventory]") {
  const auto s = analysed({array_desc(0x10000, {4}), array_desc(0x20000, {4}), capsule_desc(0x10000, {4}, kGpu),
                           array_desc(0x10000, {0}), refused_desc()});
  for (const auto& [a, b] : {std::pair{0u, 1u}, {0u, 2u}, {0u, 3u}, {3u, 4u}}) {
    const PairRecord pair = relation_between(*s, a, b);
    CHECK(pair.relation == Relation::disjoint);
    CHECK(pair.shared_bytes == 0);
    CHECK(pair.why == UnknownWhy::none);
  }
}

TEST_CASE("memory whose place is unknown is unknown for its own reason, and named", "[core][inventory]") {
  TensorDesc impossible = array_desc(0x10000, {4});
  impossible.has_layout = false;
  const auto s =
      analysed({array_desc(0x10000, {4}), refused_desc(), impossible, capsule_desc(0x10000, {4}, kMetal), array_desc(0, {4})});
  const UnknownWhy reasons[] = {UnknownWhy::none, UnknownWhy::not_described, UnknownWhy::no_layout, UnknownWhy::no_address,
                                UnknownWhy::null_data};
  for (std::uint32_t id = 0; id < 5; ++id) {
    INFO(id);
    CHECK(why_bytes_unknown(*s, s->tensors[id]) == reasons[id]);
    if (id == 0) continue;
    const PairRecord pair = relation_between(*s, id, 0);
    CHECK(pair.relation == Relation::unknown);
    CHECK(pair.shared_bytes == kUnknown64);
    CHECK(pair.why == reasons[id]);
    CHECK(subject_of(*s, pair) == id);
  }
}

TEST_CASE("memory that cannot be read is unknown where it would be met, listed or not", "[core][inventory]") {
  const AddressMap map = AddressMap::parse("10000-11000 rw-p 00000000 00:00 0\n");
  for (const std::uint64_t max_pairs : {0u, 10u}) {
    AnalyseOptions options;
    options.map = &map;
    options.sharing.max_pairs = max_pairs;
    const auto s = analysed({array_desc(0x10000, {4}), array_desc(0x10000, {0x1000}), array_desc(0x90000, {4})}, options);
    CHECK(s->pairs.size() == std::min<std::uint64_t>(max_pairs, 1));
    CHECK(why_bytes_unknown(*s, s->tensors[1]) == UnknownWhy::unreadable);
    const PairRecord pair = relation_between(*s, 0, 1);
    CHECK(pair.why == UnknownWhy::unreadable);
    CHECK(subject_of(*s, pair) == 1);
    CHECK(relation_between(*s, 0, 2).relation == Relation::disjoint);
  }
}

TEST_CASE("oneAPI memory that is mapped here is compared with the host's by address", "[core][inventory]") {
  constexpr DeviceId kUsm{14, 0};
  const AddressMap map = AddressMap::parse("10000-20000 rw-p 00000000 00:00 0 [heap]\n30000-40000 ---p 00000000 00:00 0\n");
  AnalyseOptions options;
  options.map = &map;
  const auto s = analysed({capsule_desc(0x10000, {8}, kUsm), array_desc(0x10008, {2}), capsule_desc(0x10008, {2}, kUsm),
                           capsule_desc(0x30000, {8}, kUsm)},
                          options);
  CHECK(s->tensors[0].space == kHostSpace);
  CHECK_FALSE(s->tensors[0].readable);  // a read could move memory of the kind "shared"
  CHECK(relation_between(*s, 0, 1).relation == Relation::contains);
  CHECK(relation_between(*s, 0, 2).relation == Relation::contains);
  CHECK(s->tensors[3].space != kHostSpace);
  CHECK(relation_between(*s, 1, 3).relation == Relation::disjoint);
}

TEST_CASE("oneAPI memory of an unknown kind is unknown where it would meet the host's", "[core][inventory]") {
  constexpr DeviceId kUsm{14, 0};
  const auto s = analysed({capsule_desc(0x10000, {8}, kUsm), array_desc(0x10008, {2}), array_desc(0x20000, {2}),
                           capsule_desc(0x10000, {8}, kGpu)});
  for (const PairRecord& pair : {relation_between(*s, 0, 1), relation_between(*s, 1, 0)}) {
    CHECK(pair.relation == Relation::unknown);
    CHECK(pair.shared_bytes == kUnknown64);
    CHECK(pair.why == UnknownWhy::host_or_device);
    CHECK(subject_of(*s, pair) == 0);
    CHECK(text_for_unknown(*s, pair, "x", "y") == "x is in oneAPI memory, which may be the host's as well");
  }
  CHECK(relation_between(*s, 0, 2).relation == Relation::disjoint);
  CHECK(relation_between(*s, 0, 3).relation == Relation::disjoint);
}

TEST_CASE("memory that is not where its producer says is not known to lie apart", "[core][inventory]") {
  TensorDesc lying = capsule_desc(0x10000, {4}, kGpu), pinned = capsule_desc(0x30000, {4}, {3, 0});
  lying.remark(RemarkCode::device_mismatch, "described as cuda:0, but __dlpack_device__ says cpu");
  pinned.claimed_device = kCpuDevice;
  pinned.remark(RemarkCode::device_mismatch, "described as cuda_host:0, but __dlpack_device__ says cpu");
  const auto s = analysed({array_desc(0x10000, {4}), lying, pinned, capsule_desc(0x50000, {4}, kGpu), array_desc(0x10000, {0})});
  const PairRecord pair = relation_between(*s, 0, 1);
  CHECK(pair.relation == Relation::unknown);
  CHECK(pair.why == UnknownWhy::device_contradicted);
  CHECK(subject_of(*s, pair) == 1);
  CHECK(text_for_unknown(*s, pair, "x", "y") ==
        "y is not where its producer says: described as cuda:0, but __dlpack_device__ says cpu");
  CHECK(relation_between(*s, 1, 2).why == UnknownWhy::device_contradicted);
  CHECK(relation_between(*s, 1, 4).relation == Relation::disjoint);  // it has no bytes
  // Two names for the host's memory contradict nothing.
  CHECK(relation_between(*s, 0, 2).relation == Relation::disjoint);
  CHECK(relation_between(*s, 2, 3).relation == Relation::disjoint);
}

TEST_CASE("a copy made for the export tells nothing about the tensor's own bytes", "[core][inventory]") {
  const AddressMap map = AddressMap::parse("10000-20000 rw-p 00000000 00:00 0\n");
  TensorDesc copied = capsule_desc(0x10000, {4}), of_capsule = copied, of_file = copied, empty = capsule_desc(0x10000, {0});
  for (TensorDesc* const desc : {&copied, &of_capsule, &of_file, &empty}) desc->is_copied = Tri::yes;
  copied.given_by = GivenBy::dlpack_method;
  of_capsule.given_by = GivenBy::held_capsule;  // the user has it, and with it its memory
  of_file.protocol = Protocol::file;            // an array that was compressed
  class Ready final : public MemoryReader {
    std::size_t read(Address, std::span<std::byte> out) const override { return out.size(); }
  } const reader;
  for (const bool held : {false, true}) {
    AnalyseOptions options;
    options.map = &map;
    options.reader = &reader;
    options.exports_are_held = held;
    const auto s = analysed({copied, copied, array_desc(0x10000, {4}), of_capsule, of_file, empty}, options);
    CHECK(s->tensors[0].readable == held);
    CHECK(s->tensors[0].group == kNone32);
    CHECK(s->pairs.size() == 3);
    for (const std::uint32_t other : {1u, 2u, 3u, 4u}) {
      const PairRecord pair = relation_between(*s, 0, other);
      CHECK(pair.relation == Relation::unknown);
      CHECK(pair.why == UnknownWhy::copied_for_export);
      CHECK(subject_of(*s, pair) == 0);
      CHECK(text_for_unknown(*s, pair, "x", "y") == "x hands over a copy of its bytes, made each time it is asked");
    }
    CHECK(relation_between(*s, 2, 3).relation == Relation::identical);
    CHECK(relation_between(*s, 2, 4).relation == Relation::identical);
    CHECK(relation_between(*s, 0, 5).relation == Relation::disjoint);
    CHECK(count_bytes_unknown(*s) == 2);
  }
}

TEST_CASE("every reason has a name and words of its own", "[core][inventory]") {
  CHECK(unknown_text(UnknownWhy::unreadable, "x") == "x claims bytes that cannot be read");
  CHECK(unknown_text(UnknownWhy::over_budget, "x") == "the exact answer takes more work than is allowed");
  CHECK(unknown_text(UnknownWhy::none, "x").empty());
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(UnknownWhy::not_yet); ++i) {
    const auto why = static_cast<UnknownWhy>(i);
    CHECK(std::ranges::find(names, unknown_why_name(why)) == names.end());
    names.emplace_back(unknown_why_name(why));
    CHECK(unknown_text(why, "x").empty() == (why == UnknownWhy::none));
  }
  const auto s = analysed({array_desc(0x10000, {4}), array_desc(0x10000, {4})});
  CHECK(subject_of(*s, unknown_pair(UnknownWhy::stopped)) == kNone32);
  CHECK(subject_of(*s, s->pairs[0]) == kNone32);
}

}  // namespace
}  // namespace dlscope::core
