#include "app/models/history/moment_history.h"

#include <algorithm>
#include <utility>

namespace dlscope::app {

std::uint64_t MomentHistory::keep(core::SnapshotPtr snapshot, std::uint64_t process, std::string time) {
  moments_.push_back(std::make_shared<const KeptMoment>(++last_number_, std::move(snapshot), process, std::move(time)));
  ++revision_;
  leaving_.reset();  // stop waiting for it: a view may read it for long
  give_way();
  return last_number_;
}

std::size_t MomentHistory::count_bytes() const {
  std::size_t bytes = store_->bytes();
  for (const KeptMomentPtr& moment : moments_) bytes += moment->own_bytes();
  return bytes;
}

// How much memory a packed moment frees is known only when it is destroyed, because others may share its chunks. So packed
// moments are dropped one by one: the next when no job or view has the previous one any more.
void MomentHistory::give_way() {
  bytes_ = count_bytes();
  std::size_t leave = 0;
  while (leave + 1 < moments_.size() && (bytes_ > most_bytes_ || moments_.size() - leave > most_moments_)) {
    const bool is_packed = !moments_[leave]->is_whole();
    if (is_packed && !leaving_.expired()) break;
    bytes_ -= moments_[leave]->own_bytes();
    if (is_packed) leaving_ = moments_[leave];
    dropped_.push_back(std::move(moments_[leave++]));
  }
  if (leave == 0) return;
  moments_.erase(moments_.begin(), moments_.begin() + static_cast<std::ptrdiff_t>(leave));
  given_up_ += leave;
  ++revision_;
}

KeptMoments MomentHistory::to_pack() const {
  KeptMoments out;
  for (std::size_t i = 0; i + 1 < moments_.size(); ++i) {
    if (moments_[i]->is_whole() && moments_[i]->record_bytes >= KeptMoment::kPackedFrom) out.push_back(moments_[i]);
  }
  return out;
}

KeptMomentPtr MomentHistory::moment_of(const core::SnapshotPtr& snapshot) const {
  // The newest first: nearly always it is that one.
  const auto found = std::find_if(moments_.rbegin(), moments_.rend(), [&](const KeptMomentPtr& m) { return m->is_of(snapshot); });
  return found != moments_.rend() ? *found : nullptr;
}

void MomentHistory::note_look(const core::SnapshotPtr& snapshot, std::vector<std::uint32_t> colours,
                              const core::SnapshotPtr& marked_against) {
  const KeptMomentPtr moment = moment_of(snapshot), base = moment_of(marked_against);
  if (moment) moment->note_look({std::move(colours), base ? base->number : 0, true});
}

KeptMomentPtr MomentHistory::find(std::uint64_t number) const {
  const auto found = std::ranges::lower_bound(moments_, number, {}, [](const KeptMomentPtr& m) { return m->number; });
  return found != moments_.end() && (*found)->number == number ? *found : nullptr;
}

KeptMomentPtr MomentHistory::before(std::uint64_t number) const {
  const auto at = std::ranges::lower_bound(moments_, number, {}, [](const KeptMomentPtr& m) { return m->number; });
  return at == moments_.begin() ? nullptr : *std::prev(at);
}

KeptMomentPtr MomentHistory::after(std::uint64_t number) const {
  const auto at = std::ranges::upper_bound(moments_, number, {}, [](const KeptMomentPtr& m) { return m->number; });
  return at == moments_.end() ? nullptr : *at;
}

}  // namespace dlscope::app
