// What the tensors use of an allocation, and which keep one alive that is mostly unused: by hand, and against every byte.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/core/inventory/sample_snapshot.h"

namespace dlscope::core {
namespace {

using testing::array_desc;

constexpr DType kByte{1, 8, 1};
constexpr std::uint64_t kMiB = 1 << 20;
constexpr Address kBase = 0x7f0000000000;

struct View {
  Address address = 0;
  std::vector<std::int64_t> shape, strides = {};  // bytes
  std::optional<ByteRange> allocation = std::nullopt;
  AllocationSource source = AllocationSource::base;
};

TensorDesc desc_of(const View& view) {
  TensorDesc desc = array_desc(view.address, view.shape, view.strides, kByte);
  if (view.allocation) desc.allocation = *view.allocation;
  desc.allocation_source = view.source;
  return desc;
}

std::shared_ptr<Snapshot> scanned(const std::vector<View>& views, bool complete = true, std::size_t refused = 0,
                                  const AddressMap* map = nullptr) {
  SnapshotBuilder builder;
  for (const View& view : views)
    builder.add_tensor(desc_of(view), builder.intern("numpy"), builder.intern("numpy.ndarray"), builder.add_text("t"));
  for (; refused > 0; --refused)
    builder.add_tensor({}, builder.intern("numpy"), builder.intern("numpy.ndarray"), builder.add_text("r"));
  if (complete) builder.set_complete();
  AnalyseOptions options;
  options.map = map;
  builder.analyse(options);
  return builder.finish();
}

std::string note(const Snapshot& s, std::size_t id) {
  for (const RemarkRecord& remark : Snapshot::slice(s.remarks, s.tensors[id].remarks)) {
    if (remark.code == RemarkCode::keeps_alive_unused) return std::string(s.str(remark.message));
  }
  return {};
}

const ByteRange kWhole{kBase, kBase + 4 * kMiB};

TEST_CASE("a slice that is alone in a large allocation keeps it alive", "[core][inventory]") {
  const auto s = scanned({{kBase + 100, {4096}, {}, kWhole}});
  CHECK(note(*s, 0) == "keeps 4.0 MiB alive, uses 4.0 KiB");
  CHECK(s->unused_bytes(s->tensors[0]) == 4 * kMiB - 4096);
  const auto empty = scanned({{kBase + 100, {0}, {}, kWhole}});
  CHECK(note(*empty, 0) == "keeps 4.0 MiB alive, uses 0 B");
  const auto every_other = scanned({{kBase, {2 * kMiB}, {2}, kWhole}});  // half of it
  CHECK(note(*every_other, 0).empty());
  CHECK(every_other->unused_bytes(every_other->tensors[0]) == 2 * kMiB);
}

TEST_CASE("tensors that keep it together say so, and bytes that two of them use count once", "[core][inventory]") {
  const auto s = scanned({{kBase, {4096}, {}, kWhole}, {kBase + 2048, {4096}, {}, kWhole}, {kBase + kMiB, {1024}, {}, kWhole}});
  for (std::size_t id = 0; id < 3; ++id)
    CHECK(note(*s, id) == "with 2 other tensors keeps 4.0 MiB alive, together they use 7.0 KiB");
  // Another library's view of the bytes does not say what it keeps.
  const auto seen = scanned({{kBase, {4096}, {}, kWhole}, {kBase + kMiB, {4096}}});
  CHECK(note(*seen, 0) == "keeps 4.0 MiB alive, all tensors in it use 8.0 KiB");
  CHECK(note(*seen, 1).empty());
}

TEST_CASE("nothing is unused when the owner or its other tensors are listed", "[core][inventory]") {
  CHECK(note(*scanned({{kBase, {16}, {}, kWhole}, {kBase, {4 * kMiB}, {}, kWhole, AllocationSource::exporter}}), 0).empty());
  CHECK(note(*scanned({{kBase, {16}, {}, kWhole}, {kBase, {4 * kMiB}}}), 0).empty());
  CHECK(note(*scanned({{kBase, {16}, {}, kWhole}, {kBase + 64, {3 * kMiB}, {}, kWhole}}), 0).empty());
}

TEST_CASE("what is not known is not noted", "[core][inventory]") {
  const View slice{kBase, {16}, {}, kWhole};
  CHECK(note(*scanned({slice}, false), 0).empty());  // a scan that left something out
  CHECK(scanned({slice}, false)->unused_bytes(scanned({slice}, false)->tensors[0]) == kUnknown64);
  CHECK(note(*scanned({slice}, true, 1), 0).empty());  // the refused one may lie in the rest
  CHECK(note(*scanned({slice, {kBase + 3 * kMiB, {2 * kMiB}}}), 0).empty());  // reaches out of it
  CHECK(note(*scanned({slice, {kBase - 64, {128}}}), 0).empty());             // reaches into it
  CHECK(note(*scanned({{kBase, {16}}}), 0).empty());                          // nobody says what it is a part of
  CHECK(note(*scanned({{kBase, {16}, {}, kWhole, AllocationSource::mapping}}), 0).empty());
  CHECK(note(*scanned({{kBase, {16}, {}, kWhole, AllocationSource::driver}}), 0).empty());
  CHECK(note(*scanned({{kBase, {16}, {}, ByteRange{kBase, kBase + kMiB}}}), 0).empty());  // less than 1 MiB is unused
  CHECK(note(*scanned({{kBase, {16}, {}, ByteRange{kBase, kBase + kMiB + 16}}}), 0) == "keeps 1.0 MiB alive, uses 16 B");
}

TEST_CASE("a mapped file costs addresses, shared memory costs memory", "[core][inventory]") {
  const std::vector<std::pair<std::string, bool>> paths{
      {"/home/x/weights.bin", true}, {"/tmp/a (deleted)", true}, {"/dev/shm/torch_1", false}, {"/memfd:x (deleted)", false},
      {"/dev/zero (deleted)", false}, {"[heap]", false},         {"", false}};
  for (const auto& [path, is_file] : paths) {
    const AddressMap map = AddressMap::parse("7f0000000000-7f0000400000 rw-s 00000000 08:01 5 " + path + "\n");
    REQUIRE(map.find(kBase) != nullptr);
    const auto s = scanned({{kBase, {16}, {}, kWhole, AllocationSource::storage}}, true, 0, &map);
    INFO(path);
    CHECK(note(*s, 0).empty() == is_file);
    CHECK((s->unused_bytes(s->tensors[0]) == kUnknown64) == is_file);
  }
}

// Allocations side by side, one of them inside another, and views at random: most in an allocation that they name or do not name,
// some across its end.
struct Scene {
  std::vector<ByteRange> allocations;
  std::vector<View> views;
};

Scene random_scene(std::mt19937_64& random) {
  const auto pick = [&](std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
  };
  Scene scene;
  Address at = kBase;
  for (std::uint64_t i = pick(1, 3); i > 0; --i) {
    const std::uint64_t bytes = pick(1, 5) * kMiB / 2 + pick(0, 99);
    scene.allocations.push_back({at, at + bytes});
    at += bytes + (pick(0, 1) != 0 ? pick(1, 5000) : 0);
  }
  const ByteRange first = scene.allocations.front();
  if (pick(0, 3) == 0) scene.allocations.push_back({first.begin + pick(0, 999), first.end - pick(0, 9999)});
  for (std::uint64_t i = pick(1, 8); i > 0; --i) {
    const ByteRange range = scene.allocations[pick(0, scene.allocations.size() - 1)];
    const std::uint64_t step = pick(1, 7), count = pick(0, range.size() / step / pick(1, 40));
    Address begin = range.begin + pick(0, range.size() - step * count);
    if (pick(0, 19) == 0) begin += range.size() / 2;
    const bool inside = begin >= range.begin && begin + step * count <= range.end;
    View view{begin, {static_cast<std::int64_t>(count)}, {static_cast<std::int64_t>(step)}};
    if (inside && pick(0, 3) != 0) view.allocation = range;
    scene.views.push_back(std::move(view));
  }
  return scene;
}

std::uint64_t used_by_brute_force(const Scene& scene, ByteRange range) {
  std::vector<bool> used(range.size());
  for (const View& view : scene.views) {
    for (std::int64_t i = 0; i < view.shape[0]; ++i) {
      const Address byte = view.address + static_cast<Address>(i * view.strides[0]);
      if (range.contains(byte)) used[byte - range.begin] = true;
    }
  }
  return static_cast<std::uint64_t>(std::ranges::count(used, true));
}

bool any_view_crosses(const Snapshot& s, ByteRange range) {
  return std::ranges::any_of(s.groups, [&](const GroupRecord& g) {
    return g.range.meets(range) && (g.range.begin < range.begin || g.range.end > range.end);
  });
}

TEST_CASE("what is used of an allocation is what every byte says", "[core][inventory]") {
  std::mt19937_64 random(20261124);
  std::size_t noted = 0, unknown = 0;
  for (int i = 0; i < 60; ++i) {
    const Scene scene = random_scene(random);
    const auto s = scanned(scene.views);
    for (std::size_t id = 0; id < scene.views.size(); ++id) {
      const auto allocation = s->allocation_of(s->tensors[id]);
      REQUIRE(allocation.has_value() == scene.views[id].allocation.has_value());
      if (!allocation) continue;
      CHECK(allocation->range == *scene.views[id].allocation);
      const std::uint64_t used = used_by_brute_force(scene, allocation->range), size = allocation->range.size();
      const bool is_known = allocation->used_bytes != kUnknown64;
      CHECK(is_known == !any_view_crosses(*s, allocation->range));
      if (is_known) CHECK(allocation->used_bytes == used);
      CHECK(note(*s, id).empty() == !(is_known && 2 * used < size && size - used >= kMiB));
      noted += note(*s, id).empty() ? 0 : 1;
      unknown += is_known ? 0 : 1;
    }
  }
  CHECK(noted > 20);
  CHECK(unknown > 0);
}

}  // namespace
}  // namespace dlscope::core
