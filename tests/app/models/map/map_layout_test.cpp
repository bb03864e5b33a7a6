#include "app/models/map/map_layout.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "app/models/map/lane_labels.h"
#include "app/models/map/map_hit.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

using tests::SampleTensor;

constexpr core::Address kBase = 0x558120001000;

IndexPtr index_of(core::SnapshotPtr snapshot) {
  GroupColours colours;
  return build_index(std::move(snapshot), colours);
}

// A font whose every character is seven pixels wide.
float seven(std::string_view text) {
  return 7 *
         static_cast<float>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

const LaneBox kBox{.left = 10, .top = 20, .width = 1200, .height = 160, .line = 15, .scale = 1, .ruler = 17};

LanePicture picture_of(const SnapshotIndex& index, const LaneView& view, const LaneBox& box = kBox,
                       MapScale scale = MapScale::compressed) {
  LanePicture out;
  lay_out_lane(index, index.map.lane(0, scale), view, box, seven, out);
  return out;
}

void check_labels(const LanePicture& picture, const LaneBox& box) {
  for (std::size_t i = 0; i < picture.labels.size(); ++i) {
    const MapLabel& a = picture.labels[i];
    CHECK(std::abs(a.width - seven(picture.text(a)) * a.size / box.line) < 0.01F);
    CHECK(a.x >= box.left);
    CHECK(a.x + a.width <= box.right());
    for (std::size_t j = i + 1; j < picture.labels.size(); ++j) {
      const MapLabel& b = picture.labels[j];
      const bool apart = a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.size <= b.y || b.y + b.size <= a.y;
      if (!apart) FAIL("\"" << picture.text(a) << "\" lies over \"" << picture.text(b) << "\"");
    }
    // A name stands inside a bar of its tensor, not touching its edges, and not over the bytes that are written there.
    if (a.kind != MapLabel::Kind::name) continue;
    for (const MapCell& cell : picture.cells) {
      const bool apart = a.x + a.width <= cell.x0 || cell.x1 <= a.x || a.y + a.size <= cell.y0 || cell.y1 <= a.y;
      if (!apart) FAIL("\"" << picture.text(a) << "\" lies over its bytes");
    }
    CHECK(std::ranges::any_of(picture.shapes, [&](const MapShape& s) {
      return s.tensor == a.tensor && s.x0 + 2 <= a.x && a.x + a.width + 2 <= s.x1 && s.y0 <= a.y && a.y + a.size <= s.y1 + 1;
    }));
  }
}

std::vector<SampleTensor> random_tensors(std::mt19937& random) {
  std::vector<SampleTensor> tensors;
  const int count = static_cast<int>(1 + random() % 60);
  for (int i = 0; i < count; ++i) {
    const auto n = static_cast<std::int64_t>(1 + random() % 6), m = static_cast<std::int64_t>(1 + random() % 6);
    SampleTensor t{.name = std::string(random() % 3 == 0 ? "state['moments'][" : "t") + std::to_string(i) + "]",
                   .dtype = random() % 2 == 0 ? "uint8" : "float32",
                   .address = kBase + random() % 3000 * (random() % 4 == 0 ? 1000 : 1),
                   .shape = {n, m}};
    if (random() % 3 == 0) t.allocation = {t.address - random() % 500, t.address + 1000 + random() % 100000};
    if (random() % 2 == 0)
      t.strides = {m * static_cast<std::int64_t>(1 + random() % 3), static_cast<std::int64_t>(1 + random() % 2)};
    tensors.push_back(std::move(t));
  }
  return tensors;
}

// Whether byte `at` is one of the tensor's own, element by element.
bool holds(const SnapshotIndex& index, std::uint32_t id, core::Address at) {
  const core::TensorRecord& tensor = index.tensor(id);
  const core::LayoutView layout = index.snapshot->layout(tensor);
  for (std::uint64_t e = 0; e < tensor.elements; ++e) {
    const core::Address first = tensor.address + static_cast<core::Address>(core::bit_offset_of(layout, e) / 8);
    if (first <= at && at < first + layout.item_bits / 8) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("labels never lie over one another, nor leave their bar, at any zoom", "[app][models]") {
  std::mt19937 random(17);
  for (int round = 0; round < 40; ++round) {
    const IndexPtr index = index_of(tests::snapshot_of(random_tensors(random)));
    const auto scale = round % 2 == 0 ? MapScale::compressed : MapScale::true_size;
    const MapLane& lane = index->map.lane(0, scale);
    LaneView view;
    LaneBox box = kBox;
    box.width = static_cast<float>(100 + random() % 1500);
    for (int step = 0; step < 30; ++step) {
      const LanePicture picture = picture_of(*index, view, box, scale);
      check_labels(picture, box);
      CHECK(picture.shapes.size() < 4 * static_cast<std::size_t>(box.width));
      zoom_view(lane, view, box, static_cast<float>(random() % 100) / 100 * box.width, random() % 5 == 0 ? 3 : 0.5);
      if (random() % 3 == 0) pan_view(lane, view, box, static_cast<float>(random() % 400) - 200);
    }
  }
}

TEST_CASE("a point hits the byte that is drawn there, and its tensor by brute force", "[app][models]") {
  std::mt19937 random(23);
  for (int round = 0; round < 30; ++round) {
    const IndexPtr index = index_of(tests::snapshot_of(random_tensors(random)));
    const MapLane& lane = index->map.lanes.at(0);
    LaneView view;
    for (int i = static_cast<int>(random() % 12); i > 0; --i)
      zoom_view(lane, view, kBox, static_cast<float>(random() % 1200), 0.5);
    const LaneAxis axis(lane, view, kBox);
    for (int i = 0; i < 200; ++i) {
      const float x = kBox.left + static_cast<float>(random() % 12000) / 10, y = kBox.top + static_cast<float>(random() % 143);
      const LaneHit hit = hit_lane(*index, lane, view, kBox, x, y);
      if (hit.tensor == core::kNone32) continue;
      // The byte's place on the screen is where the point is.
      CHECK(axis.x_of(hit.block, hit.address) <= static_cast<double>(x) + 0.01);
      CHECK(axis.x_of(hit.block, hit.address + 1) >= static_cast<double>(x) - 0.01);
      CHECK(index->tensor(hit.tensor).extent.contains(hit.address));
      CHECK(hit.own_byte == holds(*index, hit.tensor, hit.address));
      const Focus focus = focus_of(*index, hit);
      CHECK(focus.tensor == hit.tensor);
      if (hit.own_byte) {
        REQUIRE(focus.element.has_value());
        CHECK(focus.bytes.contains(hit.address));
      } else {
        CHECK(focus.bytes.empty());  // a hole is not lit
      }
    }
  }
}

TEST_CASE("a point in unnamed memory hits the part that is drawn there, at any zoom", "[app][models]") {
  std::mt19937 random(29);
  int hits = 0;
  for (int round = 0; round < 30; ++round) {
    const IndexPtr index = index_of(tests::snapshot_of(random_tensors(random)));
    const auto scale = round % 2 == 0 ? MapScale::compressed : MapScale::true_size;
    const MapLane& lane = index->map.lane(0, scale);
    LaneView view;
    for (int i = static_cast<int>(random() % 6); i > 0; --i)
      zoom_view(lane, view, kBox, static_cast<float>(random() % 1200), 0.5);
    const LanePicture picture = picture_of(*index, view, kBox, scale);
    for (const MapShape& shape : picture.shapes) {
      if (shape.kind != MapShape::Kind::unnamed || shape.x1 - shape.x0 < 8) continue;
      const float from = std::max(shape.x0, kBox.left), to = std::min(shape.x1, kBox.right());
      if (to - from < 2) continue;
      const float middle = (from + to) / 2;
      const LaneHit hit = hit_lane(*index, lane, view, kBox, middle, kBox.top + 40);
      CHECK(hit.unnamed);
      CHECK(hit.owner == shape.tensor);
      CHECK(hit.tensor == core::kNone32);
      REQUIRE(!hit.gap.empty());
      // Not one of its bytes is of a tensor.
      for (std::uint32_t id = 0; id < index->size(); ++id) {
        const core::ByteRange extent = index->tensor(id).extent;
        CHECK((extent.end <= hit.gap.begin || hit.gap.end <= extent.begin));
      }
      // No tensor is drawn over it.
      for (const MapShape& other : picture.shapes) {
        if (other.kind == MapShape::Kind::bar || other.kind == MapShape::Kind::sparse)
          CHECK((other.x1 <= middle || middle <= other.x0));
      }
      ++hits;
    }
  }
  CHECK(hits > 20);
}

TEST_CASE("a strided tensor is a comb of exactly its own bytes once there is room", "[app][models]") {
  const IndexPtr index = index_of(
      tests::snapshot_of({{.name = "holes", .dtype = "uint8", .address = kBase + 27, .shape = {4, 3}, .strides = {-9, 2}}}));
  const MapLane& lane = index->map.lanes.at(0);
  LaneView view;
  show_bytes(lane, view, kBox, index->tensor(0).extent);
  const LanePicture picture = picture_of(*index, view);
  const LaneAxis axis(lane, view, kBox);
  CHECK(std::ranges::count(picture.shapes, MapShape::Kind::sparse, &MapShape::kind) == 1);
  std::set<core::Address> lit, expected;
  for (const MapShape& shape : picture.shapes) {
    if (shape.kind != MapShape::Kind::run) continue;
    for (core::Address at = index->tensor(0).extent.begin; at < index->tensor(0).extent.end; ++at) {
      const auto middle = static_cast<float>((axis.x_of(0, at) + axis.x_of(0, at + 1)) / 2);
      if (shape.x0 <= middle && middle < shape.x1) lit.insert(at);
    }
  }
  for (core::Address at = index->tensor(0).extent.begin; at < index->tensor(0).extent.end; ++at) {
    if (holds(*index, 0, at)) expected.insert(at);
  }
  CHECK(lit == expected);
}

TEST_CASE("zooming keeps what is under the mouse, down to single bytes of a tebibyte behind many blocks", "[app][models]") {
  std::vector<SampleTensor> tensors;
  for (int i = 0; i < 5000; ++i)
    tensors.push_back({.name = "s" + std::to_string(i), .address = kBase + static_cast<core::Address>(i) * 4096, .shape = {4}});
  tensors.push_back({.name = "huge", .dtype = "uint8", .address = 0x7f3a00000000, .shape = {std::int64_t{1} << 31}});
  const IndexPtr index = index_of(tests::snapshot_of(tensors));
  const MapLane& lane = index->map.lanes.at(0);
  LaneView view;
  const core::Address wanted = 0x7f3a00000000 + 1'234'567'891;
  show_bytes(lane, view, kBox, index->tensor(5000).extent);
  for (int i = 0; i < 300; ++i) {
    const LaneAxis axis(lane, view, kBox);
    const std::size_t block = lane.blocks.size() - 1;
    const auto x = static_cast<float>((axis.x_of(block, wanted) + axis.x_of(block, wanted + 1)) / 2);
    const LaneHit hit = hit_lane(*index, lane, view, kBox, x, kBox.top + 20);
    CHECK(std::max(hit.address, wanted) - std::min(hit.address, wanted) <=
          1 + static_cast<core::Address>(1 / axis.px_per_byte(block)));
    zoom_view(lane, view, kBox, x - kBox.left, 0.9);
  }
  const LaneAxis axis(lane, view, kBox);
  const std::size_t block = lane.blocks.size() - 1;
  CHECK(std::abs(axis.px_per_byte(block) - 96) < 0.1);
  const double step = axis.x_of(block, wanted + 1) - axis.x_of(block, wanted);
  CHECK(std::abs(step - 96) < 0.1);
  check_labels(picture_of(*index, view), kBox);
  const LanePicture picture = picture_of(*index, view);
  // The whole number has no room even in the widest cell.
  CHECK(std::ranges::any_of(picture.labels, [&](const MapLabel& l) {
    return l.kind == MapLabel::Kind::element && picture.text(l).starts_with("…") && picture.text(l).ends_with("4567891]");
  }));
}

TEST_CASE("the view stays inside the lane, fits, and finds its place in the next snapshot", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  const MapLane& lane = index->map.lanes.at(0);
  LaneView view;
  zoom_view(lane, view, kBox, 600, 2);  // out of what is all of it already
  CHECK(view.units_per_px == 0);
  zoom_view(lane, view, kBox, 600, 0.25);
  for (const float far : {1e9F, -1e9F}) {
    pan_view(lane, view, kBox, far);
    const LaneAxis axis(lane, view, kBox);
    if (far > 0) CHECK(axis.x_of(0, lane.blocks[0].range.begin) >= static_cast<double>(kBox.left) - 1e-3);
    if (far < 0)
      CHECK(axis.x_of(lane.blocks.size() - 1, lane.blocks.back().range.end) <= static_cast<double>(kBox.right()) + 1e-3);
  }
  one_to_one(lane, view, kBox, 100);
  CHECK(std::abs(LaneAxis(lane, view, kBox).px_per_byte(view.block) - 1) < 1e-6);
  show_bytes(lane, view, kBox, lane.blocks[2].range);
  CHECK(is_visible(lane, view, kBox, lane.blocks[2].range));
  CHECK_FALSE(is_visible(lane, view, kBox, lane.blocks[0].range));
  // The next snapshot has one block less before it.
  const IndexPtr next =
      index_of(tests::snapshot_of({{.name = "mask", .dtype = "bool", .address = lane.blocks[2].range.begin, .shape = {64}},
                                   {.name = "z", .address = 0x7f3a20000000, .shape = {4}}}));
  find_again(next->map.lanes.at(0), view);
  CHECK(is_visible(next->map.lanes.at(0), view, kBox, lane.blocks[2].range));
  LaneView lost = view;
  lost.anchor = 1;
  find_again(next->map.lanes.at(0), lost);
  CHECK(lost.units_per_px == 0);
}

TEST_CASE("a hundred thousand tensors make a bounded picture at any zoom", "[app][models]") {
  const IndexPtr index = index_of(tests::many_snapshot(100'000));
  const MapLane& lane = index->map.lanes.at(0);
  LaneView view;
  for (int i = 0; i < 60; ++i) {
    const LanePicture picture = picture_of(*index, view);
    CHECK(picture.shapes.size() < 2000);
    CHECK(picture.labels.size() < 300);
    if (i == 0) {
      std::uint64_t counted = 0;
      for (const MapShape& shape : picture.shapes) counted += shape.kind == MapShape::Kind::branch ? 0 : shape.count;
      CHECK(counted == 100'000);  // the grey bars stand for every tensor
    }
    zoom_view(lane, view, kBox, 700, 0.7);
  }
}

TEST_CASE("tensors too deep to draw are counted, and those without memory named with the reason", "[app][models]") {
  std::vector<SampleTensor> tensors(20, {.name = "v", .shape = {8}});
  const IndexPtr index = index_of(tests::snapshot_of(tensors));
  const LanePicture picture = picture_of(*index, {});
  const auto deep = std::ranges::find(picture.shapes, MapShape::Kind::deep, &MapShape::kind);
  REQUIRE(deep != picture.shapes.end());
  CHECK(deep->count == 20 - kMaxMapRows);
  const LaneHit hit = hit_lane(*index, index->map.lanes[0], {}, kBox, (deep->x0 + deep->x1) / 2, (deep->y0 + deep->y1) / 2);
  CHECK(hit.count == 20 - kMaxMapRows);
  CHECK(hit.tensor == core::kNone32);
  const IndexPtr broken = index_of(tests::broken_snapshot());
  const auto why = [&](const char* name) { return std::string(why_without_memory(broken->tensor(*broken->find(name)))); };
  CHECK(why("nothing") == "no elements");
  CHECK(why("null") == "NULL data");
  CHECK(why("strings") == "not described");
  CHECK(why("rank6").empty());
  for (const std::uint32_t id : broken->map.without_memory) CHECK(*why_without_memory(broken->tensor(id)) != '\0');
}

TEST_CASE("on the true scale twice as wide is twice as many bytes", "[app][models]") {
  const IndexPtr index = index_of(tests::snapshot_of({{.name = "small", .address = kBase, .shape = {9, 256}},
                                                      {.name = "large", .address = kBase + 0x100000, .shape = {36, 256}}}));
  CHECK(index->map.default_scale[0] == MapScale::true_size);
  const LanePicture picture = picture_of(*index, {}, kBox, MapScale::true_size);
  REQUIRE(picture.shapes.size() == 2);
  const auto width = [&](std::size_t i) { return picture.shapes[i].x1 - picture.shapes[i].x0; };
  CHECK(std::abs(width(1) / width(0) - 4) < 0.05F);
  const LanePicture compressed = picture_of(*index, {});
  CHECK(compressed.shapes[1].x1 - compressed.shapes[1].x0 < 2 * (compressed.shapes[0].x1 - compressed.shapes[0].x0));
  // One giant beside many small ones: on the true scale there would be nothing but the giant.
  std::vector<SampleTensor> tensors{{.name = "giant", .address = kBase, .shape = {1 << 28}}};
  for (int i = 0; i < 20; ++i)
    tensors.push_back({.name = "s", .address = kBase + 0x80000000 + static_cast<core::Address>(i) * 4096, .shape = {4}});
  CHECK(index_of(tests::snapshot_of(tensors))->map.default_scale[0] == MapScale::compressed);
}

TEST_CASE("where bars are too close for names, branches have theirs", "[app][models]") {
  std::vector<SampleTensor> tensors;
  for (int layer = 0; layer < 4; ++layer) {
    for (int i = 0; i < 500; ++i)
      tensors.push_back({.name = "net.layers[" + std::to_string(layer) + "].w" + std::to_string(i),
                         .address = kBase + static_cast<core::Address>(layer * 500 + i) * 4096,
                         .shape = {16}});
  }
  const IndexPtr index = index_of(tests::snapshot_of(tensors));
  const LanePicture picture = picture_of(*index, {}, kBox, MapScale::true_size);
  std::vector<std::string> names;
  std::uint64_t counted = 0;
  for (const MapLabel& label : picture.labels) {
    if (label.kind == MapLabel::Kind::branch) names.emplace_back(picture.text(label));
  }
  for (const MapShape& shape : picture.shapes) counted += shape.kind == MapShape::Kind::branch ? shape.count : 0;
  REQUIRE(names.size() == 4);
  CHECK(names[0].starts_with("net.layers[0]"));
  CHECK(counted <= 2000);
  CHECK(counted > 1950);  // a bar at a border may stand for tensors of both
}

TEST_CASE("where branches lie mixed, stretches say what is in them", "[app][models]") {
  std::vector<SampleTensor> tensors;
  for (int i = 0; i < 260; ++i) {
    const std::string name = i % 3 == 0 ? "net.w" : "optimizer.state.w";
    tensors.push_back(
        {.name = name + std::to_string(i), .address = kBase + static_cast<core::Address>(i) * 4096, .shape = {16 + i % 7 * 40}});
  }
  const IndexPtr index = index_of(tests::snapshot_of(tensors));
  const LanePicture picture = picture_of(*index, {}, kBox, MapScale::compressed);
  std::size_t mixed = 0;
  for (const MapLabel& label : picture.labels) {
    if (label.kind != MapLabel::Kind::branch) continue;
    ++mixed;
    CHECK(picture.text(label).starts_with("optimizer "));
    CHECK(picture.text(label).find("net ") != std::string_view::npos);
  }
  CHECK(mixed >= 3);
  check_labels(picture, kBox);
}

TEST_CASE("where a bar stands for more tensors than are looked at, no number is told", "[app][models]") {
  std::vector<SampleTensor> tensors;
  for (int i = 0; i < 60000; ++i) {
    const std::string name = i % 3 == 0 ? "net.w" : "optimizer.state.w";
    tensors.push_back({.name = name + std::to_string(i), .address = kBase + static_cast<core::Address>(i) * 4096, .shape = {16}});
  }
  const IndexPtr index = index_of(tests::snapshot_of(tensors));
  const LanePicture picture = picture_of(*index, {}, kBox, MapScale::compressed);
  REQUIRE(std::ranges::any_of(picture.merged, [](const MergedBar& bar) { return bar.count > 64; }));
  std::size_t mixed = 0;
  for (const MapLabel& label : picture.labels) {
    if (label.kind != MapLabel::Kind::branch) continue;
    ++mixed;
    CHECK(picture.text(label).starts_with("optimizer, net"));
    CHECK(picture.text(label).find_first_of("0123456789") == std::string_view::npos);
  }
  CHECK(mixed >= 3);
}

TEST_CASE("cut into elements a tensor keeps its name, and the deepest zoom has room for bytes", "[app][models]") {
  const IndexPtr index = index_of(tests::snapshot_of({{.name = "net.weight", .address = kBase, .shape = {8}}}));
  const MapLane& lane = index->map.lanes.at(0);
  LaneView view;
  show_bytes(lane, view, kBox, {kBase, kBase + 32});
  const LanePicture elements = picture_of(*index, view);
  const auto has = [](const LanePicture& picture, MapLabel::Kind kind, std::string_view text) {
    return std::ranges::any_of(picture.labels, [&](const MapLabel& l) { return l.kind == kind && picture.text(l) == text; });
  };
  CHECK(has(elements, MapLabel::Kind::name, "net.weight"));
  CHECK(has(elements, MapLabel::Kind::element, "net.weight[3]"));
  show_bytes(lane, view, kBox, {kBase + 8, kBase + 12});
  const LanePicture bytes = picture_of(*index, view);
  CHECK(has(bytes, MapLabel::Kind::name, "net.weight"));
  const auto cell = std::ranges::find(bytes.cells, 2U, &MapCell::element);
  REQUIRE(cell != bytes.cells.end());
  CHECK(cell->bytes == core::ByteRange{kBase + 8, kBase + 12});
  CHECK(std::abs(cell->x1 - cell->x0 - cell->byte_width * 4) < 0.5F);
  CHECK(elements.cells.size() <= 8);
  // In narrower cells and in those that the view cuts, it is seen that the name is left out; else they say nothing.
  std::size_t whole = 0, cut = 0;
  for (std::uint64_t begin = 0; begin < 16; ++begin) {
    for (std::uint64_t count = 2; count <= 32 - begin; ++count) {
      show_bytes(lane, view, kBox, {kBase + begin, kBase + begin + count});
      const LanePicture picture = picture_of(*index, view);
      for (const MapLabel& label : picture.labels) {
        if (label.kind != MapLabel::Kind::element) continue;
        const std::string_view text = picture.text(label);
        INFO(text);
        whole += text.starts_with("net.weight[") ? 1 : 0;
        cut += text.starts_with("…[") ? 1 : 0;
        REQUIRE((text.starts_with("net.weight[") || text.starts_with("…[")));
      }
    }
  }
  CHECK((whole > 0 && cut > 0));
}

TEST_CASE("where bytes have room and the numbers of their elements have none, the name is above the bytes", "[app][models]") {
  const IndexPtr index =
      index_of(tests::snapshot_of({{.name = "x", .dtype = "uint8", .address = kBase, .shape = {200, 200, 200}}}));
  LaneView view;
  show_bytes(index->map.lanes.at(0), view, kBox, {kBase + 40'000, kBase + 40'024});
  const LanePicture picture = picture_of(*index, view);
  CHECK(picture.cells.size() >= 24);
  CHECK(std::ranges::none_of(picture.labels, [](const MapLabel& label) { return label.kind == MapLabel::Kind::element; }));
  CHECK(std::ranges::any_of(picture.labels, [](const MapLabel& label) { return label.kind == MapLabel::Kind::name; }));
  check_labels(picture, kBox);
}

}  // namespace dlscope::app
