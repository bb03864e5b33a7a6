#include "app/models/history/remembered_tensors.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <span>
#include <utility>

namespace dlscope::app {
namespace {

class RememberedReader final : public core::MemoryReader {
 public:
  explicit RememberedReader(RememberedMomentPtr moment) : moment_(std::move(moment)) {}

  // Tensors may overlap: each byte comes from any tensor that has it.
  std::size_t read(core::Address from, std::span<std::byte> out) const override {
    std::size_t done = 0;
    while (done < out.size()) {
      const std::size_t more = copy_some(from + done, out.subspan(done));
      if (more == 0) break;
      done += more;
    }
    return done;
  }

 private:
  [[nodiscard]] std::size_t copy_some(core::Address from, std::span<std::byte> out) const {
    for (const RememberedTensor& tensor : moment_->tensors) {
      if (!tensor.bytes || from < tensor.extent.begin || from >= tensor.extent.end) continue;
      const auto offset = static_cast<std::size_t>(from - tensor.extent.begin);
      const std::size_t count = std::min(out.size(), tensor.bytes->size() - offset);
      std::memcpy(out.data(), tensor.bytes->data() + offset, count);
      return count;
    }
    return 0;
  }
  RememberedMomentPtr moment_;
};

std::span<const core::TextRef> names_of_tensor(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  return core::Snapshot::slice(snapshot.names, tensor.names);
}

}  // namespace

const RememberedTensor* RememberedMoment::find(std::uint32_t tensor) const {
  const auto found = std::ranges::lower_bound(tensors, tensor, {}, &RememberedTensor::tensor);
  return found != tensors.end() && found->tensor == tensor ? &*found : nullptr;
}

const RememberedTensor* RememberedMoment::bytes_of(std::uint32_t tensor) const {
  const RememberedTensor* const found = find(tensor);
  return found != nullptr && found->bytes ? found : nullptr;
}

const RememberedTensor* RememberedMoment::bytes_by_name(const core::Snapshot& other, const core::TensorRecord& tensor) const {
  for (const RememberedTensor& one : tensors) {
    if (!one.bytes) continue;
    for (const core::TextRef name : names_of_tensor(other, tensor)) {
      if (other.str(name) == one.name) return &one;
    }
  }
  return nullptr;
}

std::vector<std::uint32_t> RememberedMoment::with_bytes() const {
  std::vector<std::uint32_t> out;
  for (const RememberedTensor& tensor : tensors) {
    if (tensor.bytes) out.push_back(tensor.tensor);
  }
  return out;
}

// --- which tensors ------------------------------------------------------------------------------------------------------

Remember RememberedTensors::wanted(const core::Snapshot& snapshot, const core::TensorRecord& tensor) const {
  // Called in every frame, so no string is created; there are few entries.
  for (const auto& [wanted, how] : wanted_) {
    for (const core::TextRef name : names_of_tensor(snapshot, tensor)) {
      if (snapshot.str(name) == wanted) return how;
    }
  }
  return Remember::no;
}

bool RememberedTensors::want(const core::Snapshot& snapshot, const core::TensorRecord& tensor, Remember how) {
  for (const core::TextRef name : names_of_tensor(snapshot, tensor)) wanted_.erase(std::string(snapshot.str(name)));
  ++revision_;
  if (how == Remember::no) return true;
  if (wanted_.size() >= kMaxTensors) return false;
  wanted_[std::string(snapshot.name(tensor))] = how;
  return true;
}

// --- their contents -----------------------------------------------------------------------------------------------------

std::vector<RememberedMomentPtr> RememberedTensors::keep(RememberedMoment moment) {
  if (const RememberedMomentPtr there = find(moment.moment)) {
    for (const RememberedTensor& tensor : there->tensors) {
      if (std::ranges::find(moment.tensors, tensor.tensor, &RememberedTensor::tensor) == moment.tensors.end())
        moment.tensors.push_back(tensor);
    }
  }
  std::ranges::sort(moment.tensors, {}, &RememberedTensor::tensor);
  const std::uint64_t number = moment.moment;
  moments_[number] = std::make_shared<const RememberedMoment>(std::move(moment));
  count_bytes();
  std::vector<RememberedMomentPtr> dropped;
  // The newest stays, whatever its size.
  while (bytes_ > most_bytes_ && moments_.size() > 1) {
    dropped.push_back(std::move(moments_.begin()->second));
    moments_.erase(moments_.begin());
    ++dropped_;
    count_bytes();
  }
  ++revision_;
  return dropped;
}

void share_equal_bytes(RememberedMoment& moment, const RememberedMoments& kept) {
  const auto later = kept.lower_bound(moment.moment);
  if (later == kept.begin()) return;
  const RememberedMoment& before = *std::prev(later)->second;
  for (RememberedTensor& tensor : moment.tensors) {
    if (!tensor.bytes) continue;
    const auto was = std::ranges::find(before.tensors, tensor.name, &RememberedTensor::name);
    if (was != before.tensors.end() && was->bytes && *was->bytes == *tensor.bytes) tensor.bytes = was->bytes;
  }
}

void RememberedTensors::count_bytes() {
  std::set<const void*> counted;
  bytes_ = 0;
  for (const auto& [number, moment] : moments_) {
    for (const RememberedTensor& tensor : moment->tensors) {
      if (tensor.bytes && counted.insert(tensor.bytes.get()).second) bytes_ += tensor.bytes->size();
      if (tensor.hashes) bytes_ += tensor.hashes->size() * sizeof(std::uint64_t);
    }
  }
}

void RememberedTensors::forget_before(std::uint64_t moment) {
  if (moments_.empty() || moments_.begin()->first >= moment) return;
  moments_.erase(moments_.begin(), moments_.lower_bound(moment));
  count_bytes();
  ++revision_;
}

RememberedMomentPtr RememberedTensors::find(std::uint64_t moment) const {
  const auto found = moments_.find(moment);
  return found == moments_.end() ? nullptr : found->second;
}

std::shared_ptr<core::MemoryReader> remembered_reader(RememberedMomentPtr moment) {
  return std::make_shared<RememberedReader>(std::move(moment));
}

std::string_view ran_text(RanMeanwhile ran) {
  switch (ran) {
    case RanMeanwhile::no:
      return "";
    case RanMeanwhile::yes:
      return "read while another thread ran";
    case RanMeanwhile::unknown:
      return "read while other threads may have run";
  }
  return "";
}

}  // namespace dlscope::app
