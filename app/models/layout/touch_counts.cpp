#include "app/models/layout/touch_counts.h"

#include <algorithm>
#include <utility>

namespace dlscope::app {

TouchCounts::Key TouchCounts::key_of(const core::Snapshot& snapshot, std::uint32_t tensor) {
  const core::TensorRecord& record = snapshot.tensors[tensor];
  const auto shape = snapshot.shape(record), strides = snapshot.stride_bits(record);
  Key key{static_cast<std::int64_t>(record.address), record.item_bits};
  key.insert(key.end(), shape.begin(), shape.end());
  key.insert(key.end(), strides.begin(), strides.end());
  return key;
}

const TouchAnswer* TouchCounts::find(const core::Snapshot& snapshot, std::uint32_t tensor) const {
  if (answers_.empty() || tensor >= snapshot.tensors.size() || !snapshot.tensors[tensor].has_layout) return nullptr;
  const auto found = answers_.find(key_of(snapshot, tensor));
  return found == answers_.end() ? nullptr : &found->second;
}

std::uint64_t TouchCounts::begin(const core::Snapshot& snapshot, std::uint32_t tensor) {
  answers_[key_of(snapshot, tensor)] = TouchAnswer{.id = ++last_id_, .phase = {}, .found = {}, .why = {}};
  if (answers_.size() > kMaxTensors) {
    answers_.erase(std::ranges::min_element(answers_, {}, [](const auto& each) { return each.second.id; }));
  }
  ++revision_;
  return last_id_;
}

void TouchCounts::end(std::uint64_t id, TouchAnswer::Phase how, std::shared_ptr<const core::TouchCount> found, std::string why) {
  const auto entry = std::ranges::find(answers_, id, [](const auto& each) { return each.second.id; });
  if (entry == answers_.end()) return;
  entry->second.phase = how;
  entry->second.found = std::move(found);
  entry->second.why = std::move(why);
  ++revision_;
}

void TouchCounts::drop(std::uint64_t id) {
  if (std::erase_if(answers_, [&](const auto& each) { return each.second.id == id; }) > 0) ++revision_;
}

bool may_touch_again(const core::TensorRecord& tensor) {
  if (!tensor.has_layout || tensor.elements == 0 || tensor.extent.empty()) return false;
  return tensor.distinct_bytes == core::kUnknown64 || tensor.distinct_bytes != tensor.nbytes;
}

}  // namespace dlscope::app
