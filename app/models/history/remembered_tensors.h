// RememberedTensors: the tensors a person marked "remember", and their contents at the moments since: their bytes, or a hash of
// each block. Kept beside the moments' snapshots; the size is bounded, the oldest bytes are dropped first.
// thread: UI; the kept contents are immutable and read by jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/history/history_query.h"
#include "core/inventory/snapshot.h"
#include "core/memory/memory_reader.h"
#include "core/statistics/value_summary.h"
#include "core/wire/remembered_answer.h"

namespace dlscope::app {

using core::wire::RanMeanwhile;

// The content of one tensor at one moment.
struct RememberedTensor {
  std::uint32_t tensor = core::kNone32;  // its id in that moment's snapshot
  std::string name;
  core::ByteRange extent;
  std::shared_ptr<const std::vector<std::byte>> bytes;           // of the extent; null: not kept
  std::shared_ptr<const std::vector<std::uint64_t>> hashes;  // of its blocks; null: not requested
  core::ValueSummary values;                                     // counts of NaN and infinities; method none: not counted
  RanMeanwhile ran = RanMeanwhile::no;
  std::string why_not;  // why there is neither; "": there is one
};

struct RememberedMoment {
  std::uint64_t moment = 0;
  std::vector<RememberedTensor> tensors;  // by id

  [[nodiscard]] const RememberedTensor* find(std::uint32_t tensor) const;  // null: it was not remembered then
  [[nodiscard]] const RememberedTensor* bytes_of(std::uint32_t tensor) const;  // null: its bytes were not kept
  // For a tensor of another moment, by any of its names there; null: its bytes were not kept.
  [[nodiscard]] const RememberedTensor* bytes_by_name(const core::Snapshot& other, const core::TensorRecord& tensor) const;
  [[nodiscard]] std::vector<std::uint32_t> with_bytes() const;
};
using RememberedMomentPtr = std::shared_ptr<const RememberedMoment>;
using RememberedMoments = std::map<std::uint64_t, RememberedMomentPtr>;  // by number of the moment

// Where a tensor's bytes equal those of the same name in the moment before, of `kept`, the moment shares them instead of its own.
// thread: a worker; reads all the bytes.
void share_equal_bytes(RememberedMoment& moment, const RememberedMoments& kept);

class RememberedTensors {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{512} << 20;
  static constexpr std::size_t kMaxTensors = 256;
  explicit RememberedTensors(std::size_t most_bytes = kMaxBytes) : most_bytes_(most_bytes) {}

  // --- which tensors
  [[nodiscard]] Remember wanted(const core::Snapshot& snapshot, const core::TensorRecord& tensor) const;  // by any of its names
  [[nodiscard]] const std::map<std::string, Remember>& wanted() const { return wanted_; }
  // False: kMaxTensors are remembered already.
  bool want(const core::Snapshot& snapshot, const core::TensorRecord& tensor, Remember how);

  // --- their contents
  // Adds to what is kept of that moment. Returns the moments dropped to make room: freeing their bytes takes longer than a frame.
  std::vector<RememberedMomentPtr> keep(RememberedMoment moment);
  void forget_before(std::uint64_t moment);  // the snapshots of older moments were dropped
  [[nodiscard]] RememberedMomentPtr find(std::uint64_t moment) const;  // null: nothing
  [[nodiscard]] const RememberedMoments& moments() const { return moments_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t most_bytes() const { return most_bytes_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }    // moments whose bytes were dropped
  [[nodiscard]] std::uint64_t revision() const { return revision_; }  // rises with every change

 private:
  void count_bytes();

  std::size_t most_bytes_;
  std::map<std::string, Remember> wanted_;
  RememberedMoments moments_;
  std::size_t bytes_ = 0;
  std::uint64_t dropped_ = 0, revision_ = 0;
};

// Reads the remembered bytes of a moment at the addresses they had then, and nothing else.
[[nodiscard]] std::shared_ptr<core::MemoryReader> remembered_reader(RememberedMomentPtr moment);

// "read while another thread ran"; "" when none ran.
[[nodiscard]] std::string_view ran_text(RanMeanwhile ran);

}  // namespace dlscope::app
