#include "app/models/history/tensor_trail.h"

#include <array>

#include "app/models/tensors/same_tensor.h"

namespace dlscope::app {
namespace {

using core::kNone32;

// With more candidates the moments are unpacked: one name lookup in a packed moment costs a part of that.
constexpr std::size_t kFewCandidates = 4;

// The tensor at this place in the previous moment whose names the later moment does not have at all.
std::uint32_t find_by_memory(const KeptMoment& before, const KeptMoment& now, const core::Snapshot& snapshot,
                             const core::TensorRecord& tensor, const std::stop_token& stop) {
  if (!same_place(snapshot, tensor, snapshot, tensor)) return kNone32;  // an empty tensor has no place
  const std::vector<std::uint32_t> candidates = MomentReader(before).tensors_at(tensor.address);
  core::SnapshotPtr all_before, all_now;  // keeps the unpacked moments alive for the readers below
  if (candidates.size() > kFewCandidates) {
    all_before = before.snapshot();
    all_now = now.snapshot();
  }
  const MomentReader reader(before), later(now);
  for (const std::uint32_t id : candidates) {
    if (stop.stop_requested()) return kNone32;
    const TensorExcerpt candidate = excerpt_of(reader, id, kNone32);
    const core::TensorRecord& record = candidate.snapshot->tensors[candidate.tensor];
    if (!same_place(*candidate.snapshot, record, snapshot, tensor)) continue;
    if (find_by_name(later, *candidate.snapshot, record, {}) == kNone32) return id;
  }
  return kNone32;
}

struct Found {
  std::uint32_t id = kNone32;
  bool only_by_memory = false;
};

// id: in the moment `now`; excerpt_id: in its excerpt.
Found find_before(const KeptMoment& before, const KeptMoment& now, std::uint32_t id, const core::Snapshot& excerpt,
                  std::uint32_t excerpt_id, const std::stop_token& stop) {
  const core::TensorRecord& record = excerpt.tensors[excerpt_id];
  // Usually it has the same number in the scan as before, or comes after tensors that were added or removed.
  const std::array likely{id, static_cast<std::uint32_t>(id + before.tensors - now.tensors)};
  const Found by_name{find_by_name(MomentReader(before), excerpt, record, likely), false};
  if (by_name.id != kNone32 || before.process != now.process) return by_name;
  return {find_by_memory(before, now, excerpt, record, stop), true};
}

}  // namespace

const TensorExcerpt& TensorTrail::excerpt(const KeptMoment& moment, TrackedIds ids) {
  const auto [known, is_new] = excerpts_.try_emplace(moment.number);
  if (is_new || known->second.ids != ids) known->second = {ids, excerpt_of(MomentReader(moment), ids.tensor, ids.other)};
  return known->second.excerpt;
}

TensorTrail::Step TensorTrail::back(const KeptMoment& now, TrackedIds ids, const KeptMoment& before,
                                    const std::stop_token& stop) {
  const auto known = steps_.find(now.number);
  if (known != steps_.end() && known->second.from == ids) return known->second.step;
  const TensorExcerpt there = excerpt(now, ids);
  const Found tensor = find_before(before, now, ids.tensor, *there.snapshot, there.tensor, stop);
  Found other;
  if (tensor.id != kNone32 && there.other != kNone32)
    other = find_before(before, now, ids.other, *there.snapshot, there.other, stop);
  const Step step{{tensor.id, other.id}, tensor.only_by_memory, other.only_by_memory};
  if (stop.stop_requested()) return {};
  steps_[now.number] = {ids, step};
  return step;
}

void TensorTrail::forget_before(std::uint64_t moment) {
  excerpts_.erase(excerpts_.begin(), excerpts_.lower_bound(moment));
  steps_.erase(steps_.begin(), steps_.lower_bound(moment));
}

}  // namespace dlscope::app
