#include "app/models/tensors/snapshot_index.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "app/models/tensors/memory_place.h"
#include "app/models/tensors/unpaired.h"
#include "app/models/text/format.h"
#include "core/inventory/relation.h"
#include "core/inventory/survey.h"

namespace dlscope::app {
namespace {

// Known sharing by bytes, then unknown sharing, then "no byte shared".
std::uint64_t strength(const core::PairRecord& pair) {
  if (pair.shared_bytes == core::kUnknown64) return 1;
  return pair.shared_bytes == 0 ? 0 : pair.shared_bytes + 1;
}

void index_pairs(SnapshotIndex& index) {
  const core::Snapshot& snapshot = *index.snapshot;
  index.pair_first.assign(snapshot.tensors.size() + 1, 0);
  for (const core::PairRecord& pair : snapshot.pairs) {
    ++index.pair_first[pair.a + 1];
    ++index.pair_first[pair.b + 1];
  }
  for (std::size_t i = 1; i < index.pair_first.size(); ++i) index.pair_first[i] += index.pair_first[i - 1];
  index.pair_ids.resize(snapshot.pairs.size() * 2);
  std::vector<std::uint32_t> next(index.pair_first.begin(), index.pair_first.end() - 1);
  for (std::uint32_t id = 0; id < snapshot.pairs.size(); ++id) {
    index.pair_ids[next[snapshot.pairs[id].a]++] = id;
    index.pair_ids[next[snapshot.pairs[id].b]++] = id;
  }
  for (std::size_t t = 0; t < snapshot.tensors.size(); ++t) {
    const std::span own(index.pair_ids.data() + index.pair_first[t], index.pair_first[t + 1] - index.pair_first[t]);
    std::ranges::stable_sort(own, std::greater<>(), [&](std::uint32_t id) { return strength(snapshot.pairs[id]); });
  }
}

void index_names(SnapshotIndex& index) {
  const core::Snapshot& snapshot = *index.snapshot;
  index.by_name.reserve(snapshot.names.size());
  for (std::uint32_t id = 0; id < snapshot.tensors.size(); ++id) {
    for (const core::TextRef name : core::Snapshot::slice(snapshot.names, snapshot.tensors[id].names)) {
      index.by_name.emplace(snapshot.str(name), id);
    }
  }
}

void count(SnapshotIndex& index) {
  const core::Snapshot& snapshot = *index.snapshot;
  for (const core::GroupRecord& group : snapshot.groups) index.shared_groups += group.members.count > 1 ? 1 : 0;
  const auto shares = [&](const core::TensorRecord& t) {
    return t.group != core::kNone32 && snapshot.groups[t.group].members.count > 1;
  };
  const auto first = std::ranges::find_if(snapshot.tensors, shares);
  if (first != snapshot.tensors.end()) {
    index.suggested = static_cast<std::uint32_t>(first - snapshot.tensors.begin());
  } else if (!snapshot.tensors.empty()) {
    index.suggested = 0;
  }
  index.bytes_unknown = core::count_bytes_unknown(snapshot);
  if (snapshot.pairs.empty()) index.no_pairs = no_pairs_sentence(snapshot, index.bytes_unknown);
  for (const core::TensorRecord& tensor : snapshot.tensors) {
    if (tensor.protocol == core::Protocol::none) ++index.refused;
    const auto remarks = core::Snapshot::slice(snapshot.remarks, tensor.remarks);
    const auto is_problem = [](const core::RemarkRecord& r) { return core::remark_kind(r.code) == core::RemarkKind::problem; };
    if (std::ranges::any_of(remarks, is_problem)) ++index.with_problems;
    if (!core::has_readable_values(snapshot, tensor) || tensor.nbytes == core::kUnknown64) continue;
    if (__builtin_add_overflow(index.value_bytes, std::min(tensor.nbytes, tensor.distinct_bytes), &index.value_bytes))
      index.value_bytes = ~std::uint64_t{0};
  }
}

}  // namespace

std::optional<std::uint32_t> SnapshotIndex::find(std::string_view name_path) const {
  const auto found = by_name.find(name_path);
  if (found == by_name.end()) return std::nullopt;
  return found->second;
}

core::UnknownWhy SnapshotIndex::missing_pairs_of(std::uint32_t id) const {
  const core::UnknownWhy why = snapshot->info.missing_pairs;
  const core::TensorRecord& self = tensor(id);
  const bool has_company = self.group != core::kNone32 && snapshot->groups[self.group].members.count > 1;
  // A tensor that is alone at its addresses shares nothing, unless its memory is also at others.
  if (why == core::UnknownWhy::none || has_company || core::may_share_elsewhere(*snapshot, self) || !has_place(self)) return why;
  const auto lane = std::ranges::find(map.lanes, self.space, &MapLane::space);
  if (lane == map.lanes.end()) return why;
  const auto block = lane->block_at_address(self.extent.begin);
  return block && lane->blocks[*block].tensors.count == 1 ? core::UnknownWhy::none : why;
}

namespace {

IndexPtr finish_index(core::SnapshotPtr snapshot, std::vector<std::uint32_t> colours, MarkBases bases, MarkedAgainst against,
                      const std::stop_token& stop) {
  auto index = std::make_shared<SnapshotIndex>();
  index->snapshot = std::move(snapshot);
  index->colours = std::move(colours);
  index_names(*index);
  if (stop.stop_requested()) return nullptr;
  index_pairs(*index);
  count(*index);
  index->bases = std::move(bases);
  index->marks = compare_runs(index->bases.usual(), *index->snapshot, stop, std::move(against));
  index->map = build_memory_map(*index->snapshot, stop);
  if (stop.stop_requested()) return nullptr;
  return index;
}

}  // namespace

IndexPtr build_index(core::SnapshotPtr snapshot, GroupColours& colours, const std::stop_token& stop, MarkBases bases) {
  std::vector<std::uint32_t> of_groups = colours.assign(*snapshot);
  return finish_index(std::move(snapshot), std::move(of_groups), std::move(bases), {}, stop);
}

IndexPtr build_past_index(core::SnapshotPtr snapshot, std::vector<std::uint32_t> had_colours, const GroupColours& colours,
                          MarkBases bases, MarkedAgainst against, const std::stop_token& stop) {
  if (had_colours.size() != snapshot->groups.size()) had_colours = GroupColours(colours).assign(*snapshot);
  return finish_index(std::move(snapshot), std::move(had_colours), std::move(bases), std::move(against), stop);
}

std::string found_sentence(const SnapshotIndex& index) {
  std::string text = counted(index.size(), "tensor", "tensors");
  if (index.snapshot->sharing_not_yet()) return text + " found; which of them share bytes is still being worked out.";
  const bool open = index.snapshot->info.open_groups != core::UnknownWhy::none;
  if (open && index.size() > 0 && index.snapshot->groups.empty())
    return text + " found; which of them share bytes was not worked out.";
  const char* const in = open ? " in at most " : " in ";
  if (index.size() > 0) text += in + counted(index.snapshot->groups.size(), "memory group", "memory groups");
  std::string changes;
  const auto add = [&changes](std::uint64_t number, const char* one, const char* many) {
    if (number > 0) changes += (changes.empty() ? "; " : ", ") + counted(number, one, many);
  };
  add(index.marks.fresh, "is new", "are new");
  add(index.marks.changed, "changed", "changed");
  add(index.marks.gone.size(), "is gone", "are gone");
  if (!changes.empty() && index.marks.since_stop) changes += " since the last stop";
  return text + changes + ".";
}

}  // namespace dlscope::app
