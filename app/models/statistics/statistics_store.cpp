#include "app/models/statistics/statistics_store.h"

#include <algorithm>
#include <utility>

#include "core/inventory/tensor_numbers.h"
#include "core/inventory/tensor_sign_bits.h"

namespace dlscope::app {
namespace {

// The snapshot of a scan that is now complete, in place of the one that came before sharing was worked out.
bool of_the_same_scan(const core::Snapshot& shown, const core::Snapshot& next) {
  return shown.sharing_not_yet() && shown.info.revision == next.info.revision;
}

// The scan was made within its run: the run goes on under the same number.
bool goes_on(core::Scanned scanned) { return scanned == core::Scanned::stop || scanned == core::Scanned::earlier; }

}  // namespace

std::vector<std::uint64_t> StatisticsStore::show(IndexPtr index, std::uint64_t process) {
  std::vector<std::uint64_t> dropped;
  if (index_ && index && process == process_ && of_the_same_scan(*index_->snapshot, *index->snapshot)) {
    index_ = std::move(index);
    return dropped;
  }
  const bool same_values = index_ && index && process == process_ && index_->snapshot->info.run == index->snapshot->info.run &&
                           !goes_on(index_->snapshot->info.scanned);
  for (auto& [key, entry] : tensors_) {
    entry.before_look = true;
    if (!same_values && entry.computing()) dropped.push_back(entry.task);
  }
  if (!same_values) {
    tensors_.clear();
    by_id_.clear();
  }
  if (survey_.computing) dropped.push_back(survey_.task);
  survey_ = {};
  surveyed_.reset();
  index_ = std::move(index);
  process_ = process;
  ++revision_;
  return dropped;
}

StatisticsStore::Key StatisticsStore::key_of(const core::Snapshot& snapshot, const core::TensorRecord& record) {
  const auto shape = snapshot.shape(record), strides = snapshot.stride_bits(record);
  // Not the record's dtype: all items of one size have the same.
  const core::TensorNumbers numbers = core::numbers_of(snapshot, record);
  const std::uint32_t dtype =
      std::uint32_t{numbers.dtype.code} << 24 | std::uint32_t{numbers.dtype.bits} << 16 | numbers.dtype.lanes;
  Key key{record.address, dtype, {shape.begin(), shape.end()}};
  key.dims.insert(key.dims.end(), strides.begin(), strides.end());
  // Whose address it is by the device: the numbers of spaces differ between snapshots.
  const core::DeviceId device = record.space < snapshot.spaces.size() ? snapshot.device_of(record.space) : record.device;
  key.dims.insert(key.dims.end(), {numbers.reversed_bytes, record.item_bits, device.type, device.id});
  const core::SignBits signs = core::sign_bits_of(snapshot, record);
  key.dims.push_back((signs.negate ? 1 : 0) + (signs.conjugate ? 2 : 0));
  return key;
}

const TensorStatistics* StatisticsStore::find(std::uint32_t tensor) const {
  if (!index_ || tensor >= index_->size()) return nullptr;
  return find(*index_->snapshot, index_->tensor(tensor));
}

const TensorStatistics* StatisticsStore::find(const core::Snapshot& snapshot, const core::TensorRecord& tensor) const {
  if (!index_ || tensors_.empty()) return nullptr;
  const auto found = tensors_.find(key_of(snapshot, tensor));
  return found == tensors_.end() ? nullptr : &found->second;
}

TensorStatistics* StatisticsStore::with_id(std::uint64_t id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &found->second->second;
}

// One that is being computed stays: its task would go on for nothing.
void StatisticsStore::drop_oldest() {
  const auto oldest = std::ranges::find_if(by_id_, [](const auto& each) { return !each.second->second.computing(); });
  if (oldest == by_id_.end()) return;
  tensors_.erase(oldest->second);
  by_id_.erase(oldest);
}

std::uint64_t StatisticsStore::begin(std::uint32_t tensor, const Moment& now, bool own) {
  return begin(*index_->snapshot, index_->tensor(tensor), now, own);
}

std::uint64_t StatisticsStore::begin(const core::Snapshot& snapshot, const core::TensorRecord& tensor, const Moment& now,
                                     bool own) {
  const auto [place, added] = tensors_.try_emplace(key_of(snapshot, tensor));
  TensorStatistics& entry = place->second;
  if (!added) by_id_.erase(entry.id);
  entry.id = ++last_id_;
  by_id_.emplace(entry.id, place);
  entry.phase = TensorStatistics::Phase::computing;
  entry.why.clear();
  entry.task = 0;
  entry.begun = now;
  entry.before_look = false;
  entry.own = own;
  // Earlier numbers must not appear under the new moment.
  entry.found.reset();
  ++revision_;
  if (tensors_.size() > kMaxTensors) drop_oldest();
  return last_id_;
}

void StatisticsStore::note_task(std::uint64_t id, std::uint64_t task) {
  if (TensorStatistics* const entry = with_id(id)) entry->task = task;
}

void StatisticsStore::take(std::uint64_t id, const core::Statistics& found) {
  TensorStatistics* const entry = with_id(id);
  if (entry == nullptr) return;
  entry->found = found;
  ++revision_;
}

void StatisticsStore::end(std::uint64_t id, TensorStatistics::Phase how, std::string why, std::string time_of_day) {
  TensorStatistics* const entry = with_id(id);
  if (entry == nullptr) return;
  entry->phase = how;
  entry->why = std::move(why);
  entry->read_at = std::move(time_of_day);
}

std::uint64_t StatisticsStore::begin_survey(const Moment& now) {
  survey_ = {};
  survey_.id = ++last_id_;
  survey_.computing = true;
  survey_.begun = now;
  surveyed_ = std::make_shared<std::vector<core::ValueSummary>>(index_ ? index_->size() : 0);
  ++revision_;
  return survey_.id;
}

void StatisticsStore::note_survey_task(std::uint64_t id, std::uint64_t task) {
  if (survey_.id == id) survey_.task = task;
}

void StatisticsStore::take_survey(std::uint64_t id, const std::vector<core::StatisticsRecord>& part) {
  if (survey_.id != id || !survey_.computing) return;
  for (const core::StatisticsRecord& one : part) {
    if (one.tensor >= surveyed_->size()) continue;
    (*surveyed_)[one.tensor] = one.summary;
    ++survey_.tensors;
    if (one.summary.method == core::StatisticsMethod::none) ++survey_.unreadable;
  }
  ++revision_;
}

void StatisticsStore::end_survey(std::uint64_t id, std::string why) {
  if (survey_.id != id) return;
  survey_.computing = false;
  survey_.why = std::move(why);
  ++revision_;
}

const core::ValueSummary* StatisticsStore::summary_of(std::uint32_t tensor) const {
  if (!index_ || tensor >= index_->size()) return nullptr;
  const TensorStatistics* const own = find(tensor);
  if (own != nullptr && own->exact() && !own->before_look) return &own->found->summary;
  if (surveyed_ && tensor < surveyed_->size() && (*surveyed_)[tensor].method != core::StatisticsMethod::none)
    return &(*surveyed_)[tensor];
  return index_->snapshot->statistics_of(index_->tensor(tensor));
}

}  // namespace dlscope::app
