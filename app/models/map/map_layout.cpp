#include "app/models/map/map_layout.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "app/models/focus/focus_words.h"
#include "app/models/jobs/budgets.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "core/sharing/run_list.h"
#include "core/sharing/strided_set.h"

namespace dlscope::app {
namespace {

constexpr float kPad = 4;              // beside a label
constexpr float kLeastRun = 1.5F;      // pixels: a finer comb is drawn as a pale bar
constexpr float kLeastLetters = 0.6F;  // of a line: smaller names are not read
constexpr float kElementFrom = 2.2F;   // lines of text: wide enough for an element's number
constexpr float kNameAndElements = 2.2F, kNumberAndBytes = 3.1F;  // lines of text
constexpr float kLeastBranch = 64;  // pixels: a branch with room for a name
constexpr float kMixed = 220;       // pixels: a piece of a stretch in which no branch has room, named by what is in it
constexpr std::size_t kMostInMixed = 3;
constexpr float kNear = 2;          // times the width of a merged bar: what is no further apart is one stretch
constexpr std::uint32_t kMostCounted = 64;  // tensors of one bar
constexpr std::size_t kMostKinds = 64;
constexpr std::size_t kMostDepth = 6;
constexpr std::size_t kMostElements = 400;

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
        if (x1 - x0 < static_cast<double>(least_room() + px(kPad) * 2))  // no room for any name
          out_.merged.push_back({static_cast<float>(x0), static_cast<float>(x1), block.tensors.first, block.tensors.count});
        ++i;
      }
      if (i < lane_.blocks.size()) add_gap(i);
    }
    add_branches();
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

  // Where bars stand so close that none has room for its name, stretches of one branch have theirs.
  void add_branches() {
    const std::span all(out_.merged);
    for (std::size_t first = 0; first < all.size();) {
      std::size_t last = first + 1;
      while (last < all.size() && all[last].x0 - all[last - 1].x1 < static_cast<float>(merge_) * kNear) ++last;
      const std::span<const MergedBar> stretch = all.subspan(first, last - first);
      if (stretch.back().x1 - stretch.front().x0 >= px(kLeastBranch)) add_branches_of(stretch);
      first = last;
    }
  }

  // The first `depth` segments of the name of a bar's first tensor; "" for a name with no more than those.
  [[nodiscard]] std::string_view branch_of(const MergedBar& bar, std::size_t depth) const {
    const std::string_view name = index_.snapshot->name(index_.tensor(index_.map.tensors[bar.first].tensor));
    const SegmentStarts starts = segment_starts(name);
    return depth < starts.size() ? name.substr(0, starts[depth]) : std::string_view();
  }

  void take_branches(std::span<const MergedBar> stretch, std::size_t depth) {
    out_.branches.clear();
    for (const MergedBar& bar : stretch) out_.branches.push_back(branch_of(bar, depth));
  }

  // As deep as the branches still have room for a name on the whole; 0: nowhere.
  std::size_t telling_depth(std::span<const MergedBar> stretch) {
    const float width = stretch.back().x1 - stretch.front().x0;
    std::size_t best = 0;
    for (std::size_t depth = 1; depth <= kMostDepth; ++depth) {
      take_branches(stretch, depth);
      std::size_t runs = 0, in_branch = 0;
      for (std::size_t i = 0; i < out_.branches.size(); ++i) {
        runs += i == 0 || out_.branches[i] != out_.branches[i - 1] ? 1 : 0;
        in_branch += out_.branches[i].empty() ? 0 : 1;
      }
      if (in_branch * 2 < stretch.size() || width / static_cast<float>(runs) < px(kLeastBranch)) break;
      best = depth;
    }
    return best;
  }

  void add_branches_of(std::span<const MergedBar> stretch) {
    const std::size_t depth = telling_depth(stretch);
    if (depth == 0) return add_mixed(stretch);
    take_branches(stretch, depth);
    const auto& branches = out_.branches;
    for (std::size_t from = 0; from < branches.size();) {
      std::size_t to = from + 1;
      while (to < branches.size() && branches[to] == branches[from]) ++to;
      if (!branches[from].empty()) add_branch(stretch.subspan(from, to - from), branches[from]);
      from = to;
    }
  }

  // Where the branches lie mixed: pieces of one width, each with the branches most of its tensors are of.
  void add_mixed(std::span<const MergedBar> stretch) {
    const float width = stretch.back().x1 - stretch.front().x0;
    const auto pieces = static_cast<std::size_t>(std::max(1.0F, std::floor(width / px(kMixed))));
    std::size_t from = 0;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const float end = stretch.front().x0 + width * static_cast<float>(piece + 1) / static_cast<float>(pieces);
      std::size_t to = from;
      while (to < stretch.size() && (piece + 1 == pieces || stretch[to].x1 <= end)) ++to;
      if (to > from) add_piece(stretch.subspan(from, to - from));
      from = to;
    }
  }

  // "optimizer 61, net 37, 4 others", as much of it as fits.
  void add_piece(std::span<const MergedBar> bars) {
    std::vector<std::pair<std::string_view, std::uint32_t>> counts;
    std::uint32_t all = 0;
    for (const MergedBar& bar : bars) {
      for (std::uint32_t k = 0; k < std::min(bar.count, kMostCounted); ++k) {
        const std::string_view name = index_.snapshot->name(index_.tensor(index_.map.tensors[bar.first + k].tensor));
        const SegmentStarts starts = segment_starts(name);
        const std::string_view branch = starts.size() < 2 ? name : name.substr(0, starts[1]);
        const auto known = std::ranges::find(counts, branch, &std::pair<std::string_view, std::uint32_t>::first);
        if (known != counts.end())
          ++known->second;
        else if (counts.size() < kMostKinds)
          counts.emplace_back(branch, 1);
        ++all;
      }
    }
    std::ranges::stable_sort(counts, std::ranges::greater(), &std::pair<std::string_view, std::uint32_t>::second);
    const MapShape shape = stretch_shape(bars);
    const float size = letters_in(shape, kLeastLetters);
    const auto [left, right] = room_in(shape);
    if (size <= 0 || right - left < least_room()) return;
    const float room = (right - left) * box_.line / size;
    const std::size_t from = out_.texts.size();
    std::uint32_t named = 0;
    for (std::size_t i = 0; i < std::min(counts.size(), kMostInMixed); ++i) {
      const std::size_t before = out_.texts.size();
      if (i > 0) out_.texts += ", ";
      out_.texts += counts[i].first;
      out_.texts += ' ';
      append_grouped(out_.texts, counts[i].second);
      if (width_(std::string_view(out_.texts).substr(from)) > room) {
        out_.texts.resize(before);
        break;
      }
      named += counts[i].second;
    }
    if (out_.texts.size() == from) return;
    if (named < all) {
      const std::size_t before = out_.texts.size();
      out_.texts += ", others ";
      append_grouped(out_.texts, all - named);
      if (width_(std::string_view(out_.texts).substr(from)) > room) out_.texts.resize(before);
    }
    out_.shapes.push_back(shape);
    add_label(MapLabel::Kind::branch, from, shape, core::kNone32, size);
  }

  [[nodiscard]] MapShape stretch_shape(std::span<const MergedBar> bars) const {
    return {.kind = MapShape::Kind::branch,
            .x0 = std::max(bars.front().x0, box_.left),
            .y0 = top(1, 0),
            .x1 = std::min(bars.back().x1, box_.right()),
            .y1 = bottom(1, 0),
            .count = bars.back().first + bars.back().count - bars.front().first};
  }

  void add_branch(std::span<const MergedBar> bars, std::string_view branch) {
    const MapShape shape = stretch_shape(bars);
    const float size = letters_in(shape, kLeastLetters);
    const auto [left, right] = room_in(shape);
    if (size <= 0 || right - left < least_room()) return;
    const std::size_t from = out_.texts.size();
    const float room = (right - left) * box_.line / size;
    fit_path(branch, room, width_).append_to(out_.texts);
    const std::size_t name_end = out_.texts.size();
    out_.texts += " (";
    append_grouped(out_.texts, shape.count);
    out_.texts += ')';
    if (width_(std::string_view(out_.texts).substr(from)) > room) out_.texts.resize(name_end);
    out_.shapes.push_back(shape);
    add_label(MapLabel::Kind::branch, from, shape, core::kNone32, size);
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
    add_label(MapLabel::Kind::deep, from, deep, core::kNone32);
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
    // Cut into elements it keeps its name, above them.
    MapShape name_line = shape, below = shape;
    name_line.y1 = below.y0 = std::min(shape.y1, shape.y0 + box_.line + px(2));
    const bool both = shape.y1 - shape.y0 >= box_.line * kNameAndElements;
    const bool labelled = add_elements(i, bar, both ? below : shape);
    if (labelled && both) add_name(index_.snapshot->name(tensor), name_line, bar.tensor);
    if (core::is_dense(tensor.contiguity)) {
      out_.shapes.push_back(shape);
    } else {
      core::AxisStorage storage;
      const core::StridedSet set = core::bytes_of(index_.snapshot->memory_view(tensor), storage);
      shape.kind = set.dense() ? MapShape::Kind::bar : MapShape::Kind::sparse;
      out_.shapes.push_back(shape);
      if (!set.dense()) add_runs(i, set, shape);
    }
    if (!labelled) add_name(index_.snapshot->name(tensor), shape, bar.tensor);
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

  // Bytes are told apart where each has room for its two hexadecimal digits, below the element's number.
  void add_cell(std::size_t i, std::uint32_t tensor, std::uint64_t element, core::ByteRange bytes, MapShape& shape) {
    const auto byte_width = static_cast<float>(axis_.px_per_byte(i));
    if (byte_width < width_("00") + px(kPad) || shape.y1 - shape.y0 < box_.line * kNumberAndBytes) return;
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

  // "x[1, 2]" where there is room, else "[1, 2]".
  bool add_element(std::uint32_t tensor, core::LayoutView layout, std::uint64_t element, const MapShape& cell) {
    const std::size_t from = out_.texts.size();
    out_.texts += index_.snapshot->name(index_.tensor(tensor));
    const std::size_t index_from = out_.texts.size();
    append_index(out_.texts, layout, element);
    if (width_(std::string_view(out_.texts).substr(from)) > cell.x1 - cell.x0 - px(kPad) * 2)
      out_.texts.erase(from, index_from - from);
    return add_label(MapLabel::Kind::element, from, cell, tensor);
  }

  // Whole segments of it, as many as fit, in smaller letters where the row is low.
  void add_name(std::string_view name, const MapShape& shape, std::uint32_t tensor) {
    const float size = letters_in(shape, kLeastLetters);
    const auto [left, right] = room_in(shape);
    if (size <= 0 || right - left < least_room()) return;
    const std::size_t from = out_.texts.size();
    fit_path(name, (right - left) * box_.line / size, width_).append_to(out_.texts);
    if (out_.texts.size() > from) add_label(MapLabel::Kind::name, from, shape, tensor, size);
  }

  // Height of the letters that a shape has room for, at least `least` of a line; 0: none.
  [[nodiscard]] float letters_in(const MapShape& shape, float least) const {
    const float height = std::min(box_.line, std::floor(shape.y1 - shape.y0));
    return height >= box_.line * least ? height : 0;
  }

  struct Room {
    float left, right;
  };
  [[nodiscard]] Room room_in(const MapShape& shape) const {
    return {std::max(shape.x0, box_.left) + px(kPad), std::min(shape.x1, box_.right()) - px(kPad)};
  }
  [[nodiscard]] float least_room() const { return box_.line * 0.7F; }

  // The text that begins at `from` in the picture's texts: inside the shape and the box, or not at all. True when it was added.
  bool add_label(MapLabel::Kind kind, std::size_t from, const MapShape& shape, std::uint32_t tensor) {
    return add_label(kind, from, shape, tensor, letters_in(shape, 1));
  }
  bool add_label(MapLabel::Kind kind, std::size_t from, const MapShape& shape, std::uint32_t tensor, float size) {
    const auto [left, right] = room_in(shape);
    const bool room = size > 0 && right - left >= least_room();
    const float width = room ? width_(std::string_view(out_.texts).substr(from)) * size / box_.line : 0;
    if (width <= 0 || width > right - left) {
      out_.texts.resize(from);
      return false;
    }
    const float x = kind == MapLabel::Kind::name ? left : (left + right - width) * 0.5F;
    push_label({.kind = kind,
                .x = std::floor(x),
                .y = std::floor((shape.y0 + shape.y1 - size) * 0.5F),
                .width = width,
                .size = size,
                .tensor = tensor},
               from);
    return true;
  }

  void push_label(MapLabel label, std::size_t from) {
    label.text_begin = static_cast<std::uint32_t>(from);
    label.text_size = static_cast<std::uint32_t>(out_.texts.size() - from);
    out_.labels.push_back(label);
  }

  // The folded space before block i, with its size when there is room.
  void add_gap(std::size_t i) {
    if (i == 0 || i >= lane_.blocks.size()) return;
    const MapBlock& before = lane_.blocks[i - 1];
    const MapBlock& after = lane_.blocks[i];
    const MapShape space{.x0 = static_cast<float>(axis_.x_of(i - 1, before.range.end)),
                         .y0 = box_.top,
                         .x1 = static_cast<float>(axis_.x_of(i, after.range.begin)),
                         .y1 = box_.bars_bottom()};
    const std::uint64_t bytes = after.range.begin - before.range.end;
    if (bytes == 0) return;
    const std::size_t from = out_.texts.size();
    out_.texts += "⋯ ";
    append_human_bytes(out_.texts, bytes);
    out_.texts += " ⋯";
    if (add_label(MapLabel::Kind::gap, from, space, core::kNone32)) return;
    out_.texts += "⋯";
    add_label(MapLabel::Kind::gap, from, space, core::kNone32);
  }

  // Addresses along the bottom: at the begin of blocks, and at round steps inside one that is wide.
  void add_ruler() {
    float free_from = box_.left;
    const float room = width_("0xffff ffff ffff") + px(12);
    // False when it has no room before the right edge: no later one has.
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
      push_label({.kind = MapLabel::Kind::address,
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
