#include "app/models/map/map_layout.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "app/models/focus/focus_text.h"
#include "app/models/jobs/budgets.h"
#include "app/models/map/branch_labels.h"
#include "app/models/map/lane_labels.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "core/sharing/run_list.h"
#include "core/sharing/strided_set.h"

namespace dlscope::app {
namespace {

constexpr float kMinRun = 1.5F;      // pixels: narrower runs are drawn as a pale bar
constexpr float kElementFrom = 2.2F;   // lines of text: wide enough for an element's number
constexpr float kNameAndElements = 2.2F, kNumberAndBytes = 3.1F;  // lines of text
constexpr std::size_t kMaxElements = 400;
constexpr std::size_t kLeastOfIndex = 5;  // characters: "7891]"

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
        labels_(box, width, out),
        merge_(kMergeBelow * box.scale) {}

  void make() {
    const double right = static_cast<double>(box_.right());
    add_unnamed();
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
        if (x1 - x0 < static_cast<double>(labels_.least_room() + px(kLabelPad) * 2))  // no room for any name
          out_.merged.push_back({static_cast<float>(x0), static_cast<float>(x1), block.tensors.first, block.tensors.count});
        ++i;
      }
      if (i < lane_.blocks.size()) add_gap(i);
    }
    add_branch_labels(index_, box_, width_, merge_, out_);
    if (box_.ruler > 0) add_ruler();
  }

 private:
  [[nodiscard]] float px(float at_100_percent) const { return at_100_percent * box_.scale; }
  [[nodiscard]] float top(std::uint32_t rows, std::uint32_t row) const { return row_top(box_, rows, row); }
  [[nodiscard]] float bottom(std::uint32_t rows, std::uint32_t row) const {
    return std::max(top(rows, row) + 1, top(rows, row + 1) - (rows > 1 ? 1.0F : 0.0F));
  }

  // What allocations have beside their tensors. Parts too narrow to draw apart are drawn as one.
  void add_unnamed() {
    const double right = static_cast<double>(box_.right());
    std::size_t i = lane_.unnamed_at_unit(axis_.unit_at(static_cast<double>(box_.left)));
    while (i < lane_.unnamed.size()) {
      const MapUnnamed& part = lane_.unnamed[i];
      const double x0 = axis_.x_of_unit(part.unit_begin);
      if (x0 >= right) return;
      const double x1 = std::max(x0 + 1, axis_.x_of_unit(part.unit_end));
      const MapShape shape{.kind = MapShape::Kind::unnamed,
                           .x0 = static_cast<float>(x0),
                           .y0 = top(1, 0),
                           .x1 = static_cast<float>(x1),
                           .y1 = bottom(1, 0),
                           .tensor = part.tensor};
      out_.shapes.push_back(shape);
      const double drawn = part.unit_end - part.unit_begin;
      const bool folded = lane_.scale == MapScale::true_size && drawn < static_cast<double>(part.range.size());
      add_unnamed_label(part.range.size(), folded, shape);
      i = std::max(i + 1, lane_.unnamed_at_unit(axis_.unit_at(x0 + merge_)));
    }
  }

  // "3 MiB unnamed" where there is room, else "3 MiB". folded: it is drawn narrower than it is on this scale.
  void add_unnamed_label(std::uint64_t bytes, bool folded, const MapShape& shape) {
    const std::size_t from = out_.texts.size();
    append_human_bytes(out_.texts, bytes);
    const std::string size = out_.texts.substr(from);
    out_.texts.resize(from);
    for (const char* const words : {folded ? " unnamed, folded" : " unnamed", folded ? " folded" : "", ""}) {
      const std::size_t begin = out_.texts.size();
      out_.texts += size;
      out_.texts += words;
      if (labels_.add(MapLabel::Kind::unnamed, begin, shape, core::kNone32)) return;
    }
  }

  // Draws blocks from block i on that are too narrow to draw apart as one bar. Returns the first block after them.
  std::size_t add_merged_blocks(std::size_t i, double x0) {
    const std::size_t next = std::clamp(axis_.block_at(x0 + merge_), i + 1, lane_.blocks.size());
    const MapBlock& first = lane_.blocks[i];
    const MapBlock& last = lane_.blocks[next - 1];
    const std::uint32_t count = last.tensors.first + last.tensors.count - first.tensors.first;
    const auto x1 = static_cast<float>(x0 + merge_) - (box_.scale >= 1 ? 1.0F : 0.0F);
    out_.merged.push_back({static_cast<float>(x0), x1, first.tensors.first, count});
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
    const std::size_t from = out_.texts.size();
    out_.texts += '+';
    append_grouped(out_.texts, block.hidden);
    out_.texts += " more";
    labels_.add(MapLabel::Kind::deep, from, deep, core::kNone32);
  }

  // The bars of one row do not overlap and are in address order, so narrow neighbours are skipped by binary search.
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
    // When it is divided into elements, the name goes above them.
    MapShape name_line = shape, below = shape;
    name_line.y1 = below.y0 = std::min(shape.y1, shape.y0 + box_.line + px(2));
    const bool both = shape.y1 - shape.y0 >= box_.line * kNameAndElements;
    const std::size_t cells = out_.cells.size();
    const bool labelled = add_elements(i, bar, both ? below : shape);
    // Without numbers the first line is free above the bytes, and the name in the middle would be drawn over them.
    const bool above = labelled ? both : out_.cells.size() != cells;
    if (above) labels_.add_name(index_.snapshot->name(tensor), name_line, bar.tensor);
    if (core::is_dense(tensor.contiguity)) {
      out_.shapes.push_back(shape);
    } else {
      core::AxisStorage storage;
      const core::StridedSet set = core::bytes_of(index_.snapshot->memory_view(tensor), storage);
      shape.kind = set.dense() ? MapShape::Kind::bar : MapShape::Kind::sparse;
      out_.shapes.push_back(shape);
      if (!set.dense()) add_runs(i, set, shape);
    }
    if (!labelled && !above) labels_.add_name(index_.snapshot->name(tensor), shape, bar.tensor);
  }

  // The tensor's own bytes, where runs and holes are wide enough to draw apart.
  void add_runs(std::size_t i, const core::StridedSet& set, const MapShape& bar) {
    const core::ByteRange extent = set.range();
    core::ByteRange window{std::max(extent.begin, axis_.address_at(i, static_cast<double>(box_.left))),
                           std::min(extent.end, axis_.address_at(i, static_cast<double>(box_.right())) + 1)};
    if (window.begin >= window.end) return;
    const double pixels = axis_.px_per_byte(i) * static_cast<double>(window.size());
    const std::uint64_t most = static_cast<std::uint64_t>(pixels / static_cast<double>(px(kMinRun) * 2)) + 2;
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

  // The element numbers, when there is room for them. True: the bar needs no other label.
  bool add_elements(std::size_t i, const MapTensor& bar, const MapShape& shape) {
    const core::TensorRecord& tensor = index_.tensor(bar.tensor);
    const std::uint64_t item_bytes = (tensor.item_bits + 7) / 8;
    if (bar.extent.size() <= item_bytes) return false;  // one element: the tensor's name says more than its index
    const double item = static_cast<double>(item_bytes) * axis_.px_per_byte(i);
    if (item < static_cast<double>(box_.line * kElementFrom) || shape.y1 - shape.y0 < box_.line) return false;
    const core::MemoryView view = index_.snapshot->memory_view(tensor);
    core::Address at = std::max(bar.extent.begin, axis_.address_at(i, static_cast<double>(box_.left)));
    const core::Address end = std::min(bar.extent.end, axis_.address_at(i, static_cast<double>(box_.right())) + 1);
    bool any = false;
    for (std::size_t tries = 0; at < end && tries < kMaxElements; ++tries) {
      const auto element = core::element_at(view, at, budget_per_frame());
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
      add_cell(i, bar.tensor, *element, bytes, cell);
      any = add_element(bar.tensor, view.layout, *element, cell) || any;
      at = std::max(at + 1, bytes.end);
    }
    return any;
  }

  // Below the element's number its bytes, when each has room for two hexadecimal digits.
  void add_cell(std::size_t i, std::uint32_t tensor, std::uint64_t element, core::ByteRange bytes, MapShape& shape) {
    const auto byte_width = static_cast<float>(axis_.px_per_byte(i));
    if (byte_width < width_("00") + px(kLabelPad) || shape.y1 - shape.y0 < box_.line * kNumberAndBytes) return;
    const core::Address from = std::max(bytes.begin, axis_.address_at(i, static_cast<double>(box_.left)));
    const core::Address to = std::min(bytes.end, axis_.address_at(i, static_cast<double>(box_.right())) + 1);
    if (from >= to) return;
    const float split = shape.y0 + box_.line + px(2);
    out_.cells.push_back({.tensor = tensor,
                          .element = element,
                          .bytes = {from, to},
                          .x0 = static_cast<float>(axis_.x_of(i, from)),
                          .y0 = split,
                          .x1 = static_cast<float>(axis_.x_of(i, to)),
                          .y1 = shape.y1,
                          .byte_width = byte_width});
    shape.y1 = split;
  }

  // "x[1, 2]" where there is room, else "…[1, 2]", or "…67891]", else nothing: beside cells with more room, a mere "[1, 2]" would
  // look like another name. The bar has its name besides, and pointing at the cell says the number.
  bool add_element(std::uint32_t tensor, core::LayoutView layout, std::uint64_t element, const MapShape& cell) {
    const std::size_t from = out_.texts.size();
    out_.texts += index_.snapshot->name(index_.tensor(tensor));
    const std::size_t index_from = out_.texts.size();
    append_index(out_.texts, layout, element);
    const float room = cell.x1 - cell.x0 - px(kLabelPad) * 2;
    if (width_(std::string_view(out_.texts).substr(from)) > room) {
      std::size_t kept = index_from;
      const auto fits = [&] { return width_("…") + width_(std::string_view(out_.texts).substr(kept)) <= room; };
      // Of a long number the last digits tell it from its neighbours; of several they would be a guess.
      while (layout.rank() == 1 && out_.texts.size() - kept > kLeastOfIndex && !fits()) ++kept;
      if (!fits()) {
        out_.texts.resize(from);
        return false;
      }
      out_.texts.replace(from, kept - from, "…");
    }
    return labels_.add(MapLabel::Kind::element, from, cell, tensor);
  }

  // The folded space before block i, with its size when there is room.
  void add_gap(std::size_t i) {
    if (i == 0 || i >= lane_.blocks.size()) return;
    const MapUnnamed empty = lane_.empty_before(i);
    const std::uint64_t bytes = empty.range.size();
    if (bytes == 0) return;
    const MapShape space{.x0 = static_cast<float>(axis_.x_of_unit(empty.unit_begin)),
                         .y0 = box_.top,
                         .x1 = static_cast<float>(axis_.x_of_unit(empty.unit_end)),
                         .y1 = box_.bars_bottom()};
    const std::size_t from = out_.texts.size();
    out_.texts += "⋯ ";
    append_human_bytes(out_.texts, bytes);
    out_.texts += " ⋯";
    if (labels_.add(MapLabel::Kind::gap, from, space, core::kNone32)) return;
    out_.texts += "⋯";
    labels_.add(MapLabel::Kind::gap, from, space, core::kNone32);
  }

  // Addresses along the bottom: at the begin of blocks, and at round steps inside a wide one.
  void add_ruler() {
    float free_from = box_.left;
    const float room = width_("0xffff ffff ffff") + px(12);
    // False: no room before the right edge, and so for no later address either.
    const auto add = [&](std::size_t i, core::Address address) {
      const auto x = static_cast<float>(axis_.x_of(i, address));
      if (x < free_from || x < box_.left) return true;
      const std::size_t from = out_.texts.size();
      append_grouped_address(out_.texts, address);
      const float width = width_(std::string_view(out_.texts).substr(from));
      if (x + px(3) + width > box_.right()) {
        out_.texts.resize(from);
        return false;
      }
      out_.ticks.push_back(x);
      labels_.push({.kind = MapLabel::Kind::address,
                  .x = x + px(3),
                  .y = box_.bars_bottom() + (box_.ruler - box_.line) * 0.5F,
                  .width = width,
                  .size = box_.line},
                 from);
      free_from = x + width + px(12);
      return true;
    };
    for (std::size_t i = axis_.first_block(); i < lane_.blocks.size();) {
      const MapBlock& block = lane_.blocks[i];
      const double x0 = axis_.x_of(i, block.range.begin);
      if (x0 >= static_cast<double>(box_.right())) break;
      if (!add(i, block.range.begin)) return;
      const double step_px = static_cast<double>(room);
      std::uint64_t step = 1;
      while (static_cast<double>(step) * axis_.px_per_byte(i) < step_px && step < (std::uint64_t{1} << 62)) step *= 2;
      const core::Address from = std::max(block.range.begin, axis_.address_at(i, static_cast<double>(box_.left)));
      const core::Address to = axis_.address_at(i, static_cast<double>(box_.right()));
      for (core::Address at = (from + step - 1) / step * step; at <= to && at < block.range.end; at += step) {
        if (!add(i, at)) return;
        if (at > ~core::Address{0} - step) break;
      }
      // Skip blocks whose begin would not have room anyway.
      i = std::max(i + 1, axis_.block_at(static_cast<double>(free_from)));
    }
  }

  const SnapshotIndex& index_;
  const MapLane& lane_;
  const LaneBox& box_;
  LaneAxis axis_;
  const TextWidth& width_;
  LanePicture& out_;
  LaneLabels labels_;
  double merge_;
};

}  // namespace

void lay_out_lane(const SnapshotIndex& index, const MapLane& lane, const LaneView& view, const LaneBox& box,
                  const TextWidth& width, LanePicture& out) {
  out.shapes.clear();
  out.cells.clear();
  out.merged.clear();
  out.branches.clear();
  out.labels.clear();
  out.cuts.clear();
  out.ticks.clear();
  out.texts.clear();
  if (!lane.blocks.empty()) LaneLayout(index, lane, view, box, width, out).make();
}

}  // namespace dlscope::app
