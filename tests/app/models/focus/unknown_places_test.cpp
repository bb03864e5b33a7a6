// What is not known of a tensor's place in memory is said to be unknown, the same in table, copied cells, report and map.
#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>

#include "app/models/focus/focus_text.h"
#include "app/models/map/map_hit.h"
#include "app/models/map/map_layout.h"
#include "app/models/table/table_columns.h"
#include "app/models/tensors/group_colours.h"
#include "app/models/tensors/snapshot_index.h"
#include "core/report/json_writer.h"
#include "core/report/record_json.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

IndexPtr index_of(core::SnapshotPtr snapshot) {
  GroupColours colours;
  return build_index(std::move(snapshot), colours);
}

std::string report_of(const core::Snapshot& snapshot, std::uint32_t id) {
  std::string text;
  const core::JsonSink sink = [&text](std::string_view piece) {
    text += piece;
    return true;
  };
  core::JsonWriter json(sink);
  core::put_tensor(json, snapshot, snapshot.tensors[id], false);
  static_cast<void>(json.finish());
  std::erase(text, ' ');
  return text;
}

bool says_null(const std::string& report, const char* key) {
  return report.find("\"" + std::string(key) + "\":null") != std::string::npos;
}

}  // namespace

TEST_CASE("an extent that is not known is so in the table, in its copy and in the report", "[app][models]") {
  const IndexPtr index = index_of(tests::broken_snapshot());
  std::size_t unknown = 0;
  for (std::uint32_t id = 0; id < index->size(); ++id) {
    const core::Snapshot& snapshot = *index->snapshot;
    const core::TensorRecord& tensor = snapshot.tensors[id];
    INFO(snapshot.name(tensor));
    const bool null = says_null(report_of(snapshot, id), "extent");
    unknown += null ? 1 : 0;
    CHECK(cell_text(snapshot, tensor, TableColumn::extent).empty() == null);
    CHECK(cell_copy(snapshot, tensor, TableColumn::extent).empty() == null);
  }
  CHECK(unknown >= 3);
  const std::uint32_t null = *index->find("null"), nothing = *index->find("nothing");
  CHECK(says_null(report_of(*index->snapshot, null), "extent"));  // NULL data with twelve elements
  CHECK(cell_text(*index->snapshot, index->tensor(nothing), TableColumn::extent) == "empty");
}

TEST_CASE("an opaque handle and an address that overflows are no addresses, in table and report", "[app][models]") {
  core::Snapshot snapshot = *tests::snapshot_of({{.name = "handle", .shape = {4}, .device = core::DeviceId{.type = 7, .id = 0}},
                                                 {.name = "overflowed", .shape = {4}},
                                                 {.name = "plain", .shape = {4}}});
  snapshot.tensors[1].address = snapshot.tensors[1].data - 16;  // data + byte_offset wrapped around
  for (const core::TensorRecord& tensor : snapshot.tensors) {
    const auto id = static_cast<std::uint32_t>(&tensor - snapshot.tensors.data());
    INFO(snapshot.name(tensor));
    const bool known = snapshot.name(tensor) == "plain";
    CHECK(core::has_known_address(tensor) == known);
    CHECK(cell_text(snapshot, tensor, TableColumn::address).empty() == !known);
    CHECK(cell_copy(snapshot, tensor, TableColumn::address).empty() == !known);
    CHECK(says_null(report_of(snapshot, id), "address") == !known);
  }
}

TEST_CASE("where it takes too much work, the map calls a byte neither the tensor's nor a hole", "[app][models]") {
  std::vector<std::int64_t> shape(24, 2), strides;
  for (std::int64_t d = 0; d < 24; ++d)
    strides.push_back(1'000'003 + d * d * d * 7919);  // hardly any sum can be told from another
  const IndexPtr index = index_of(
      tests::snapshot_of({{.name = "hard", .dtype = "int8", .address = 0x100000000, .shape = shape, .strides = strides}}));
  const MapLane& lane = index->map.lanes.at(0);
  const LaneBox box{.left = 0, .top = 0, .width = 1200, .height = 143};
  LaneView view;
  std::size_t undecided = 0;
  for (int x = 1; x < 1200; x += 7) {
    const LaneHit hit = hit_lane(*index, lane, view, box, static_cast<float>(x), 20);
    if (hit.tensor == core::kNone32) continue;
    CHECK_FALSE((hit.own_byte && hit.hole));
    undecided += !hit.own_byte && !hit.hole ? 1 : 0;
    if (!hit.own_byte) CHECK(focus_of(*index, hit).bytes.empty());
  }
  CHECK(undecided > 0);
}

TEST_CASE("elements of 12 bits have all the bytes that they touch, the last one included", "[app][models]") {
  const IndexPtr index = index_of(tests::snapshot_of({{.name = "packed", .dtype = "int4x3", .address = 0x10000, .shape = {6}}}));
  REQUIRE(index->tensor(0).item_bits == 12);
  std::set<core::Address> touched;
  for (std::uint64_t element = 0; element < 6; ++element) {
    const core::ByteRange bytes = focus_on(*index, 0, element).bytes;
    CHECK(bytes.begin == 0x10000 + element * 12 / 8);
    CHECK(bytes.end == 0x10000 + (element * 12 + 12 + 7) / 8);
    for (core::Address at = bytes.begin; at < bytes.end; ++at) touched.insert(at);
  }
  CHECK(touched.size() == 9);  // 72 bits
}

}  // namespace dlscope::app
