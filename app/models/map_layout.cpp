#include "app/models/map_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/models/fitted_text.h"
#include "app/models/focus_words.h"
#include "app/models/format.h"
#include "core/sharing/run_list.h"
#include "core/sharing/strided_set.h"

namespace dlscope::app {
namespace {

constexpr double kMergeBelow = 3;      // pixels at 100 %: narrower blocks and bars are drawn together
constexpr double kOutside = 64;        // pixels kept outside the box
constexpr double kMostPxPerByte = 96;  // how far one can zoom in
constexpr float kPad = 4;              // beside a label
constexpr float kLeastRun = 1.5F;      // pixels: a finer comb is drawn as a pale bar
constexpr float kElementFrom = 2.2F;   // lines of text: wide enough for an element's number
constexpr std::size_t kMostElements = 400;

core::OverlapBudget small_budget() {
  core::OverlapBudget budget;
  budget.window_bytes = budget.scratch_bytes = 1u << 16;
  budget.work = 200'000;
  return budget;
}

double whole(const MapLane& lane, const LaneBox& box) { return std::max(lane.units, 1.0) / static_cast<double>(box.width); }

double units_of(const MapBlock& block) { return block.unit_end - block.unit_begin; }

double least_units_per_px(const MapBlock& block, const LaneBox& box) {
  return units_of(block) / static_cast<double>(block.range.size()) / (kMostPxPerByte * static_cast<double>(box.scale));
}

// Rows and, when some lie too deep, one more for those.
std::uint32_t shown_rows(const MapBlock& block) { return block.rows + (block.hidden > 0 ? 1 : 0); }

float row_top(const LaneBox& box, std::uint32_t rows, std::uint32_t row) {
  const float pad = std::floor(2 * box.scale);
  const float height = (box.bars_bottom() - box.top - pad * 2) / static_cast<float>(rows);
  return std::floor(box.top + pad + height * static_cast<float>(row));
}

// Relative to the block at hand, then clamped to the lane's ends.
void settle(const MapLane& lane, LaneView& view, const LaneBox& box) {
  if (lane.blocks.empty() || view.units_per_px <= 0) return;
  if (view.units_per_px >= whole(lane, box)) {
    view = {};
    return;
  }
  const double width = view.units_per_px * static_cast<double>(box.width);
  // The block in the middle is the one that positions are exact for.
  const double middle = lane.blocks[view.block].unit_begin + view.offset + width / 2;
  const std::size_t near = std::min(lane.block_at_unit(middle), lane.blocks.size() - 1);
  if (near != view.block) {
    view.offset += lane.blocks[view.block].unit_begin - lane.blocks[near].unit_begin;
    view.block = near;
  }
  const double base = lane.blocks[view.block].unit_begin;
  view.offset = std::clamp(view.offset, -base, std::max(-base, lane.units - width - base));
  view.anchor = lane.blocks[view.block].range.begin;
}

void open(const MapLane& lane, LaneView& view, const LaneBox& box) {
  if (view.units_per_px <= 0 || view.block >= lane.blocks.size()) view = {.units_per_px = whole(lane, box)};
}

// --- the picture ------------------------------------------------------------------------------------------------------

class LaneLayout {
 public:
  LaneLayout(const SnapshotIndex& index, const MapLane& lane, const LaneView& view, const LaneBox& box, const TextWidth& width,
             LanePicture& out)
      : index_(index),
        lane_(lane),
        box_(box),
        axis_(lane, view, box),
        width_(width),
        out_(out),
        merge_(kMergeBelow * box.scale) {}

  void make() {
    const double right = static_cast<double>(box_.right());
    std::size_t i = axis_.first_block();
    if (i > 0 && i <= lane_.blocks.size()) add_gap(i);
    while (i < lane_.blocks.size()) {
      const MapBlock& block = lane_.blocks[i];
      const double x0 = axis_.x_of(i, block.range.begin), x1 = axis_.x_of(i, block.range.end);
      if (x0 >= right) break;
      if (x1 - x0 < merge_) {
        i = add_merged_blocks(i, x0);
      } else {
        add_block(i, x1);
        ++i;
      }
      if (i < lane_.blocks.size()) add_gap(i);
    }
    if (box_.ruler > 0) add_ruler();
  }

 private:
  [[nodiscard]] float px(float at_100_percent) const { return at_100_percent * box_.scale; }
  [[nodiscard]] float top(std::uint32_t rows, std::uint32_t row) const { return row_top(box_, rows, row); }
  [[nodiscard]] float bottom(std::uint32_t rows, std::uint32_t row) const {
    return std::max(top(rows, row) + 1, top(rows, row + 1) - (rows > 1 ? 1.0F : 0.0F));
  }

  // Blocks too narrow to tell apart, from block i on: one bar. Returns the first block not in it.
  std::size_t add_merged_blocks(std::size_t i, double x0) {
    const std::size_t next = std::clamp(axis_.block_at(x0 + merge_), i + 1, lane_.blocks.size());
    const MapBlock& first = lane_.blocks[i];
    const MapBlock& last = lane_.blocks[next - 1];
    const std::uint32_t count = last.tensors.first + last.tensors.count - first.tensors.first;
    const auto x1 = static_cast<float>(x0 + merge_) - (box_.scale >= 1 ? 1.0F : 0.0F);
    out_.shapes.push_back({.kind = count > 1 ? MapShape::Kind::many : MapShape::Kind::bar,
                           .x0 = static_cast<float>(x0),
                           .y0 = top(1, 0),
                           .x1 = x1,
                           .y1 = bottom(1, 0),
                           .tensor = index_.map.tensors[first.tensors.first].tensor,
                           .count = count,
                           .one_group = next - i == 1 && first.one_group});
    return next;
  }

  void add_block(std::size_t i, double x1) {
    const MapBlock& block = lane_.blocks[i];
    const std::uint32_t rows = shown_rows(block);
    for (std::uint32_t row = 0; row < block.rows; ++row) add_row(i, row, rows);
    if (block.hidden == 0) return;
    MapShape deep{.kind = MapShape::Kind::deep,
                  .x0 = static_cast<float>(axis_.x_of(i, block.range.begin)),
                  .y0 = top(rows, block.rows),
                  .x1 = static_cast<float>(x1),
                  .y1 = bottom(rows, block.rows),
                  .count = block.hidden,
                  .one_group = block.one_group};
    const auto deepest = index_.map.row_of(block, kMaxMapRows);
    if (!deepest.empty()) deep.tensor = deepest.front().tensor;
    out_.shapes.push_back(deep);
    add_label(MapLabel::Kind::deep, fmt::format("+{} more", grouped(block.hidden)), deep, core::kNone32);
  }

  // Bars of one row do not overlap and lie in address order: narrow neighbours are skipped by binary search.
  void add_row(std::size_t i, std::uint32_t row, std::uint32_t rows) {
    const MapBlock& block = lane_.blocks[i];
    const auto bars = index_.map.row_of(block, row);
    const core::Address seen_from = axis_.address_at(i, static_cast<double>(box_.left));
    const core::Address seen_to = axis_.address_at(i, static_cast<double>(box_.right()));
    auto bar = std::ranges::upper_bound(bars, seen_from, {}, [](const MapTensor& t) { return t.extent.end; });
    while (bar != bars.end() && bar->extent.begin <= seen_to) {
      const double x0 = axis_.x_of(i, bar->extent.begin), x1 = axis_.x_of(i, bar->extent.end);
      MapShape shape{.x0 = static_cast<float>(x0),
                     .y0 = top(rows, row),
                     .x1 = static_cast<float>(std::max(x0 + 1, x1)),
                     .y1 = bottom(rows, row),
                     .tensor = bar->tensor};
      if (x1 - x0 >= merge_) {
        if (shape.x1 - shape.x0 > 4) shape.x1 -= 1;
        add_bar(i, *bar, shape);
        ++bar;
        continue;
      }
      const core::Address after = axis_.address_at(i, x0 + merge_);
      const auto next = std::ranges::upper_bound(bar + 1, bars.end(), after, {}, [](const MapTensor& t) { return t.extent.end; });
      shape.count = static_cast<std::uint32_t>(next - bar);
      shape.one_group = block.one_group;
      if (shape.count > 1) {
        shape.kind = MapShape::Kind::many;
        shape.x1 = static_cast<float>(x0 + merge_) - 1;
      }
      out_.shapes.push_back(shape);
      bar = next;
    }
  }

  void add_bar(std::size_t i, const MapTensor& bar, MapShape shape) {
    const core::TensorRecord& tensor = index_.tensor(bar.tensor);
    const auto dense = [&] {
      using enum core::Contiguity;
      return tensor.contiguity == c || tensor.contiguity == f || tensor.contiguity == c_and_f || tensor.contiguity == scalar;
    };
    const bool labelled = add_elements(i, bar, shape);
    if (dense()) {
      out_.shapes.push_back(shape);
    } else {
      core::AxisStorage storage;
      const core::StridedSet set = core::bytes_of(index_.snapshot->memory_view(tensor), storage);
      shape.kind = set.dense() ? MapShape::Kind::bar : MapShape::Kind::sparse;
      out_.shapes.push_back(shape);
      if (!set.dense()) add_runs(i, set, shape);
    }
    if (!labelled) add_label(MapLabel::Kind::name, std::string(index_.snapshot->name(tensor)), shape, bar.tensor);
  }

  // The tensor's own bytes, where a run of them and the hole behind it can be told apart.
  void add_runs(std::size_t i, const core::StridedSet& set, const MapShape& bar) {
    const core::ByteRange extent = set.range();
    core::ByteRange window{std::max(extent.begin, axis_.address_at(i, static_cast<double>(box_.left))),
                           std::min(extent.end, axis_.address_at(i, static_cast<double>(box_.right())) + 1)};
    if (window.begin >= window.end) return;
    const double pixels = axis_.px_per_byte(i) * static_cast<double>(window.size());
    const std::uint64_t most = static_cast<std::uint64_t>(pixels / static_cast<double>(px(kLeastRun) * 2)) + 2;
    if (core::runs_to_visit(set, window) > most) return;
    const auto runs = core::list_runs(set, window, {});
    if (!runs) return;
    for (const core::ByteRange& run : *runs) {
      MapShape shape = bar;
      shape.kind = MapShape::Kind::run;
      shape.x0 = static_cast<float>(axis_.x_of(i, run.begin));
      shape.x1 = std::max(shape.x0 + 1, static_cast<float>(axis_.x_of(i, run.end)));
      out_.shapes.push_back(shape);
    }
  }

  // The numbers of the elements, once there is room for them. True when the bar needs no other label.
  bool add_elements(std::size_t i, const MapTensor& bar, const MapShape& shape) {
    const core::TensorRecord& tensor = index_.tensor(bar.tensor);
    const std::uint64_t item_bytes = (tensor.item_bits + 7) / 8;
    if (bar.extent.size() <= item_bytes) return false;  // one cell: the tensor's name says more than its index
    const double item = static_cast<double>(item_bytes) * axis_.px_per_byte(i);
    if (item < static_cast<double>(box_.line * kElementFrom) || shape.y1 - shape.y0 < box_.line) return false;
    const core::MemoryView view = index_.snapshot->memory_view(tensor);
    core::Address at = std::max(bar.extent.begin, axis_.address_at(i, static_cast<double>(box_.left)));
    const core::Address end = std::min(bar.extent.end, axis_.address_at(i, static_cast<double>(box_.right())) + 1);
    bool any = false;
    for (std::size_t tries = 0; at < end && tries < kMostElements; ++tries) {
      const auto element = core::element_at(view, at, small_budget());
      if (!element) {
        ++at;
        continue;
      }
      const core::ByteRange bytes = focus_on(index_, bar.tensor, *element).bytes;
      MapShape cell = shape;
      cell.x0 = std::max(static_cast<float>(axis_.x_of(i, bytes.begin)), box_.left);
      cell.x1 = std::min(static_cast<float>(axis_.x_of(i, bytes.end)), box_.right());
      out_.cuts.push_back(static_cast<float>(axis_.x_of(i, bytes.begin)));
      out_.cuts.push_back(static_cast<float>(axis_.x_of(i, bytes.end)));
      std::string text = index_text(view.layout, *element);
      const std::string full = std::string(index_.snapshot->name(tensor)) + text;
      if (width_(full) <= cell.x1 - cell.x0 - px(kPad) * 2) text = full;
      any = add_label(MapLabel::Kind::element, text, cell, bar.tensor) || any;
      at = std::max(at + 1, bytes.end);
    }
    return any;
  }

  // Inside the shape and the box, cut to what fits, or not at all. True when it was added.
  bool add_label(MapLabel::Kind kind, const std::string& text, const MapShape& shape, std::uint32_t tensor) {
    const float from = std::max(shape.x0, box_.left) + px(kPad), to = std::min(shape.x1, box_.right()) - px(kPad);
    if (to - from < box_.line * 0.7F || shape.y1 - shape.y0 < box_.line) return false;
    std::string fitted = kind == MapLabel::Kind::name ? fit_text(text, to - from, width_) : text;
    const float width = width_(fitted);
    if (fitted.empty() || width > to - from) return false;
    const bool centred = kind != MapLabel::Kind::name;
    const float x = centred ? (from + to - width) * 0.5F : from;
    out_.labels.push_back({.kind = kind,
                           .x = std::floor(x),
                           .y = std::floor((shape.y0 + shape.y1 - box_.line) * 0.5F),
                           .width = width,
                           .tensor = tensor,
                           .text = std::move(fitted)});
    return true;
  }

  // The folded space before block i, with its size when there is room.
  void add_gap(std::size_t i) {
    if (i == 0 || i >= lane_.blocks.size()) return;
    const MapBlock& before = lane_.blocks[i - 1];
    const MapBlock& after = lane_.blocks[i];
    MapShape space{.x0 = static_cast<float>(axis_.x_of(i - 1, before.range.end)),
                   .y0 = box_.top,
                   .x1 = static_cast<float>(axis_.x_of(i, after.range.begin)),
                   .y1 = box_.bars_bottom()};
    const std::uint64_t bytes = after.range.begin - before.range.end;
    if (bytes == 0) return;
    if (!add_label(MapLabel::Kind::gap, "⋯ " + human_bytes(bytes) + " ⋯", space, core::kNone32))
      add_label(MapLabel::Kind::gap, "⋯", space, core::kNone32);
  }

  // Addresses along the bottom: at the begin of blocks, and at round steps inside one that is wide.
  void add_ruler() {
    float free_from = box_.left;
    const float room = width_(grouped_address(~core::Address{0} >> 16)) + px(12);
    const auto add = [&](std::size_t i, core::Address address) {
      const auto x = static_cast<float>(axis_.x_of(i, address));
      if (x < free_from || x < box_.left) return;
      std::string text = grouped_address(address);
      const float width = width_(text);
      if (x + px(3) + width > box_.right()) return;
      out_.ticks.push_back(x);
      out_.labels.push_back({.kind = MapLabel::Kind::address,
                             .x = x + px(3),
                             .y = box_.bars_bottom() + (box_.ruler - box_.line) * 0.5F,
                             .width = width,
                             .text = std::move(text)});
      free_from = x + width + px(12);
    };
    for (std::size_t i = axis_.first_block(); i < lane_.blocks.size();) {
      const MapBlock& block = lane_.blocks[i];
      const double x0 = axis_.x_of(i, block.range.begin);
      if (x0 >= static_cast<double>(box_.right())) break;
      add(i, block.range.begin);
      const double step_px = static_cast<double>(room);
      std::uint64_t step = 1;
      while (static_cast<double>(step) * axis_.px_per_byte(i) < step_px && step < (std::uint64_t{1} << 62)) step *= 2;
      const core::Address from = std::max(block.range.begin, axis_.address_at(i, static_cast<double>(box_.left)));
      const core::Address to = axis_.address_at(i, static_cast<double>(box_.right()));
      for (core::Address at = (from + step - 1) / step * step; at <= to && at < block.range.end; at += step) {
        add(i, at);
        if (at > ~core::Address{0} - step) break;
      }
      // Blocks whose begin could not be written anyway are passed over.
      i = std::max(i + 1, axis_.block_at(static_cast<double>(free_from)));
    }
  }

  const SnapshotIndex& index_;
  const MapLane& lane_;
  const LaneBox& box_;
  LaneAxis axis_;
  const TextWidth& width_;
  LanePicture& out_;
  double merge_;
};

}  // namespace

// --- the axis ---------------------------------------------------------------------------------------------------------

LaneAxis::LaneAxis(const MapLane& lane, const LaneView& view, const LaneBox& box) : lane_(lane), box_(box) {
  const bool all = view.units_per_px <= 0 || view.block >= lane.blocks.size();
  anchor_ = all ? 0 : view.block;
  offset_ = all ? 0 : view.offset;
  units_per_px_ = all ? whole(lane, box) : view.units_per_px;
}

double LaneAxis::begin_of(std::size_t block) const {
  return block == anchor_ ? 0 : lane_.blocks[block].unit_begin - lane_.blocks[anchor_].unit_begin;
}

double LaneAxis::x_of(std::size_t number, core::Address address) const {
  const MapBlock& block = lane_.blocks[number];
  const core::Address inside = std::clamp(address, block.range.begin, block.range.end);
  const double part = static_cast<double>(inside - block.range.begin) / static_cast<double>(block.range.size());
  const double x = (begin_of(number) + part * units_of(block) - offset_) / units_per_px_;
  return static_cast<double>(box_.left) + std::clamp(x, -kOutside, static_cast<double>(box_.width) + kOutside);
}

double LaneAxis::px_per_byte(std::size_t number) const {
  const MapBlock& block = lane_.blocks[number];
  return units_of(block) / static_cast<double>(block.range.size()) / units_per_px_;
}

std::size_t LaneAxis::first_block() const { return block_at(static_cast<double>(box_.left)); }

std::size_t LaneAxis::block_at(double x) const {
  if (lane_.blocks.empty()) return 0;
  const double unit = offset_ + (x - static_cast<double>(box_.left)) * units_per_px_;
  if (unit >= 0 && unit < units_of(lane_.blocks[anchor_])) return anchor_;
  return lane_.block_at_unit(unit + lane_.blocks[anchor_].unit_begin);
}

core::Address LaneAxis::address_at(std::size_t number, double x) const {
  const MapBlock& block = lane_.blocks[number];
  const double unit = offset_ + (x - static_cast<double>(box_.left)) * units_per_px_ - begin_of(number);
  const double part = std::clamp(unit / units_of(block), 0.0, 1.0);
  const auto offset = static_cast<std::uint64_t>(part * static_cast<double>(block.range.size()));
  return block.range.begin + std::min(offset, block.range.size() - 1);
}

// --- moving -----------------------------------------------------------------------------------------------------------

void zoom_view(const MapLane& lane, LaneView& view, const LaneBox& box, float x, double factor) {
  if (lane.blocks.empty()) return;
  open(lane, view, box);
  const LaneAxis axis(lane, view, box);
  // Exact for the block under the mouse: that is where one zooms to.
  const std::size_t near = std::min(axis.block_at(static_cast<double>(box.left + x)), lane.blocks.size() - 1);
  if (near != view.block) view.offset += lane.blocks[view.block].unit_begin - lane.blocks[near].unit_begin;
  view.block = near;
  const double under = view.offset + view.units_per_px * static_cast<double>(x);
  view.units_per_px = std::max(view.units_per_px * factor, least_units_per_px(lane.blocks[near], box));
  view.offset = under - view.units_per_px * static_cast<double>(x);
  settle(lane, view, box);
}

void pan_view(const MapLane& lane, LaneView& view, const LaneBox& box, float pixels) {
  if (view.units_per_px <= 0 || view.block >= lane.blocks.size()) return;
  view.offset -= static_cast<double>(pixels) * view.units_per_px;
  settle(lane, view, box);
}

void show_bytes(const MapLane& lane, LaneView& view, const LaneBox& box, core::ByteRange bytes) {
  const auto block = lane.block_at_address(bytes.begin);
  if (!block || bytes.empty()) return;
  const MapBlock& in = lane.blocks[*block];
  const double per_byte = units_of(in) / static_cast<double>(in.range.size());
  const double from = per_byte * static_cast<double>(bytes.begin - in.range.begin),
               length = per_byte * static_cast<double>(bytes.size());
  const double margin = length * 0.15;
  view.block = *block;
  view.units_per_px = std::max((length + margin * 2) / static_cast<double>(box.width), least_units_per_px(in, box));
  view.offset = from + length / 2 - view.units_per_px * static_cast<double>(box.width) / 2;
  settle(lane, view, box);
}

void one_to_one(const MapLane& lane, LaneView& view, const LaneBox& box, float x) {
  if (lane.blocks.empty()) return;
  open(lane, view, box);
  const LaneAxis axis(lane, view, box);
  const std::size_t near = std::min(axis.block_at(static_cast<double>(box.left + x)), lane.blocks.size() - 1);
  const MapBlock& block = lane.blocks[near];
  zoom_view(lane, view, box, x, units_of(block) / static_cast<double>(block.range.size()) / view.units_per_px);
}

void find_again(const MapLane& lane, LaneView& view) {
  if (view.units_per_px <= 0) return;
  const auto block = lane.block_at_address(view.anchor);
  if (block)
    view.block = *block;
  else
    view = {};
}

bool is_visible(const MapLane& lane, const LaneView& view, const LaneBox& box, core::ByteRange bytes) {
  const auto block = lane.block_at_address(bytes.begin);
  if (!block) return false;
  const LaneAxis axis(lane, view, box);
  return axis.x_of(*block, bytes.end) > static_cast<double>(box.left) &&
         axis.x_of(*block, bytes.begin) < static_cast<double>(box.right());
}

void lay_out_lane(const SnapshotIndex& index, const MapLane& lane, const LaneView& view, const LaneBox& box,
                  const TextWidth& width, LanePicture& out) {
  out.shapes.clear();
  out.labels.clear();
  out.cuts.clear();
  out.ticks.clear();
  if (!lane.blocks.empty()) LaneLayout(index, lane, view, box, width, out).make();
}

// --- and back ---------------------------------------------------------------------------------------------------------

LaneHit hit_lane(const SnapshotIndex& index, const MapLane& lane, const LaneView& view, const LaneBox& box, float x, float y) {
  LaneHit hit;
  const LaneAxis axis(lane, view, box);
  const double merge = kMergeBelow * static_cast<double>(box.scale);
  hit.block = axis.block_at(static_cast<double>(x));
  if (hit.block >= lane.blocks.size()) return hit;
  const MapBlock& block = lane.blocks[hit.block];
  const double x0 = axis.x_of(hit.block, block.range.begin);
  const bool narrow = units_of(block) / axis.units_per_px() < merge;
  if (static_cast<double>(x) < x0 && !(narrow && x0 - static_cast<double>(x) < merge)) {
    if (hit.block > 0) hit.gap = {lane.blocks[hit.block - 1].range.end, block.range.begin};
    return hit;
  }
  hit.address = axis.address_at(hit.block, static_cast<double>(x));
  if (narrow) {
    const std::size_t first = std::min(axis.block_at(static_cast<double>(x) - merge / 2), hit.block);
    const std::size_t next = std::clamp(axis.block_at(static_cast<double>(x) + merge / 2), hit.block + 1, lane.blocks.size());
    const MapBlock& last = lane.blocks[next - 1];
    hit.count = last.tensors.first + last.tensors.count - lane.blocks[first].tensors.first;
    if (hit.count > 1) return hit;
  }
  const std::uint32_t rows = shown_rows(block);
  std::uint32_t row = 0;
  while (row + 1 < rows && y >= row_top(box, rows, row + 1)) ++row;
  if (row >= block.rows) {
    hit.count = block.hidden;
    const auto deep = index.map.row_of(block, kMaxMapRows);
    if (block.hidden == 1 && deep.front().extent.contains(hit.address)) hit.tensor = deep.front().tensor;
    return hit;
  }
  const auto bars = index.map.row_of(block, row);
  const auto bar = std::ranges::upper_bound(bars, hit.address, {}, [](const MapTensor& t) { return t.extent.end; });
  if (bar == bars.end() || !bar->extent.contains(hit.address)) return hit;
  hit.tensor = bar->tensor;
  hit.count = 1;
  const core::TensorRecord& tensor = index.tensor(hit.tensor);
  const auto element = core::element_at(index.snapshot->memory_view(tensor), hit.address, small_budget());
  hit.own_byte = element.has_value() || tensor.contiguity == core::Contiguity::c || tensor.contiguity == core::Contiguity::f;
  return hit;
}

Focus focus_of(const SnapshotIndex& index, const LaneHit& hit) {
  if (hit.tensor == core::kNone32) return {};
  if (hit.own_byte) return focus_at(index, hit.tensor, hit.address);
  return {.tensor = hit.tensor, .element = std::nullopt, .space = index.tensor(hit.tensor).space, .bytes = {}};
}

}  // namespace dlscope::app
