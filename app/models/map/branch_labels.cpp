#include "app/models/map/branch_labels.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "app/models/map/lane_labels.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"

namespace dlscope::app {
namespace {

constexpr float kMinBranch = 64;  // pixels: least width of a branch with a name
constexpr float kMixed = 220;       // pixels: width of the pieces of a group in which no branch has room for a name
constexpr std::size_t kMaxInMixed = 3;
constexpr float kNear = 2;                  // times the width of a merged bar: bars no farther apart form one group
constexpr std::uint32_t kMaxCounted = 64;    // tensors of a bar, when counting its branches
constexpr std::uint32_t kMaxCompared = 8;    // tensors of a bar, when testing whether all are of one branch
constexpr std::uint64_t kScatter = 2654435761;  // Knuth's multiplicative hash, to sample without a pattern
constexpr std::size_t kMaxKinds = 64;
constexpr std::size_t kMaxDepth = 6;

class BranchLabels {
 public:
  BranchLabels(const SnapshotIndex& index, const LaneBox& box, const TextWidth& width, double merge, LanePicture& out)
      : index_(index), box_(box), width_(width), merge_(merge), out_(out), labels_(box, width, out) {}

  // Bars that are close together form one group.
  void add() {
    const std::span all(out_.merged);
    for (std::size_t first = 0; first < all.size();) {
      std::size_t last = first + 1;
      while (last < all.size() && all[last].x0 - all[last - 1].x1 < static_cast<float>(merge_) * kNear) ++last;
      const std::span<const MergedBar> stretch = all.subspan(first, last - first);
      if (stretch.back().x1 - stretch.front().x0 >= px(kMinBranch)) add_branches_of(stretch);
      first = last;
    }
  }

 private:
  [[nodiscard]] float px(float at_100_percent) const { return at_100_percent * box_.scale; }

  [[nodiscard]] std::string_view name_in(const MergedBar& bar, std::uint64_t number) const {
    return index_.snapshot->name(index_.tensor(index_.map.tensors[bar.first + static_cast<std::uint32_t>(number)].tensor));
  }

  // The first `depth` segments shared by the names of a bar's tensors; "" where they differ, or for shorter names. Of a bar for
  // many tensors a scattered sample is tested, so that the cost depends on the pixels.
  [[nodiscard]] std::string_view branch_of(const MergedBar& bar, std::size_t depth) const {
    const std::string_view name = name_in(bar, 0);
    const SegmentStarts starts = segment_starts(name);
    if (depth >= starts.size()) return {};
    const std::string_view branch = name.substr(0, starts[depth]);
    for (std::uint64_t k = 1; k < std::min(bar.count, kMaxCompared); ++k) {
      const std::string_view other = name_in(bar, bar.count <= kMaxCompared ? k : k * kScatter % bar.count);
      if (!other.starts_with(branch) || (other.size() > branch.size() && other[branch.size()] != name[branch.size()])) return {};
    }
    return branch;
  }

  void take_branches(std::span<const MergedBar> stretch, std::size_t depth) {
    out_.branches.clear();
    for (const MergedBar& bar : stretch) out_.branches.push_back(branch_of(bar, depth));
  }

  // The greatest depth at which most branches have room for a name; 0: none.
  std::size_t deepest_with_room(std::span<const MergedBar> stretch) {
    const float width = stretch.back().x1 - stretch.front().x0;
    std::size_t best = 0;
    for (std::size_t depth = 1; depth <= kMaxDepth; ++depth) {
      take_branches(stretch, depth);
      std::size_t runs = 0, in_branch = 0;
      for (std::size_t i = 0; i < out_.branches.size(); ++i) {
        runs += i == 0 || out_.branches[i] != out_.branches[i - 1] ? 1 : 0;
        in_branch += out_.branches[i].empty() ? 0 : 1;
      }
      if (in_branch * 2 < stretch.size() || width / static_cast<float>(runs) < px(kMinBranch)) break;
      best = depth;
    }
    return best;
  }

  void add_branches_of(std::span<const MergedBar> stretch) {
    const std::size_t depth = deepest_with_room(stretch);
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

  // Where branches are interleaved: pieces of equal width, each labelled with the branches that most of its tensors belong to.
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

  using Count = std::pair<std::string_view, std::uint32_t>;

  // The number of tensors of each branch in these bars, most first. For a bar with very many tensors only a sample is counted:
  // then the branches are known, but not the numbers.
  struct Mix {
    std::vector<Count> branches;
    std::uint32_t tensors = 0;
    bool all_counted = true;
  };
  [[nodiscard]] Mix mix_of(std::span<const MergedBar> bars) const {
    Mix mix;
    for (const MergedBar& bar : bars) {
      mix.all_counted = mix.all_counted && bar.count <= kMaxCounted;
      for (std::uint64_t k = 0; k < std::min(bar.count, kMaxCounted); ++k) {
        const std::string_view name = name_in(bar, bar.count <= kMaxCounted ? k : k * kScatter % bar.count);
        const SegmentStarts starts = segment_starts(name);
        const std::string_view branch = starts.size() < 2 ? name : name.substr(0, starts[1]);
        const auto known = std::ranges::find(mix.branches, branch, &Count::first);
        if (known != mix.branches.end())
          ++known->second;
        else if (mix.branches.size() < kMaxKinds)
          mix.branches.emplace_back(branch, 1);
        ++mix.tensors;
      }
    }
    std::ranges::stable_sort(mix.branches, std::ranges::greater(), &Count::second);
    return mix;
  }

  // Appends ", net 37"; false: it does not fit.
  bool add_count(std::size_t from, std::string_view name, std::uint32_t count, bool with_count, float room) {
    const std::size_t before = out_.texts.size();
    if (before > from) out_.texts += ", ";
    out_.texts += name;
    if (with_count) {
      out_.texts += ' ';
      append_grouped(out_.texts, count);
    }
    if (labels_.width_of(from) <= room) return true;
    out_.texts.resize(before);
    return false;
  }

  // Adds "optimizer 61, net 37, others 4", as much of it as fits.
  void add_piece(std::span<const MergedBar> bars) {
    const MapShape shape = stretch_shape(bars);
    const LaneLabels::Room room = labels_.room_for_name(shape);
    if (room.letters <= 0) return;
    const Mix mix = mix_of(bars);
    const std::size_t from = out_.texts.size();
    std::uint32_t named = 0;
    for (std::size_t i = 0; i < std::min(mix.branches.size(), kMaxInMixed); ++i) {
      if (!add_count(from, mix.branches[i].first, mix.branches[i].second, mix.all_counted, room.width)) break;
      named += mix.branches[i].second;
    }
    if (out_.texts.size() == from) return;
    if (named < mix.tensors || !mix.all_counted) add_count(from, "others", mix.tensors - named, mix.all_counted, room.width);
    out_.shapes.push_back(shape);
    labels_.add(MapLabel::Kind::branch, from, shape, core::kNone32, room.letters);
  }

  [[nodiscard]] MapShape stretch_shape(std::span<const MergedBar> bars) const {
    return {.kind = MapShape::Kind::branch,
            .x0 = std::max(bars.front().x0, box_.left),
            .y0 = row_top(box_, 1, 0),
            .x1 = std::min(bars.back().x1, box_.right()),
            .y1 = row_top(box_, 1, 1),
            .count = bars.back().first + bars.back().count - bars.front().first};
  }

  void add_branch(std::span<const MergedBar> bars, std::string_view branch) {
    const MapShape shape = stretch_shape(bars);
    const LaneLabels::Room room = labels_.room_for_name(shape);
    if (room.letters <= 0) return;
    const std::size_t from = out_.texts.size();
    fit_short_path(branch, room.width, width_).append_to(out_.texts);
    const std::size_t name_end = out_.texts.size();
    if (name_end > from && std::ranges::all_of(bars, [](const MergedBar& bar) { return bar.count <= kMaxCompared; })) {
      out_.texts += " (";
      append_grouped(out_.texts, shape.count);
      out_.texts += ')';
    }
    if (labels_.width_of(from) > room.width) out_.texts.resize(name_end);
    out_.shapes.push_back(shape);
    labels_.add(MapLabel::Kind::branch, from, shape, core::kNone32, room.letters);
  }

  const SnapshotIndex& index_;
  const LaneBox& box_;
  const TextWidth& width_;
  double merge_;
  LanePicture& out_;
  LaneLabels labels_;
};

}  // namespace

void add_branch_labels(const SnapshotIndex& index, const LaneBox& box, const TextWidth& width, double merge, LanePicture& out) {
  BranchLabels(index, box, width, merge, out).add();
}

}  // namespace dlscope::app
