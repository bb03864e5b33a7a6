// StatisticsStore: statistics of the values of the shown tensors, done and in progress. The key is what was read (address, which
// numbers, strides), so that a new scan of the same memory keeps them, marked as read before it; cleared when code ran in between.
// thread: UI.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/models/tensors/snapshot_index.h"
#include "app/models/tensors/tensor_state.h"
#include "core/statistics/statistics.h"

namespace dlscope::app {

struct TensorStatistics {
  enum class Phase : std::uint8_t { computing, done, failed, cancelled };
  std::uint64_t id = 0;  // number of this computation
  Phase phase = Phase::computing;
  std::optional<core::Statistics> found;  // the best so far: of a sample, then of all values, as the library means them
  std::string why;                        // failed: why
  std::uint64_t task = 0;                 // its id in the list of tasks
  Moment begun;                           // when reading began
  bool before_look = false;               // begun before the last scan: other threads or processes may have changed the values
  bool own = true;                        // the bytes were known to be the tensor's own then
  std::string read_at;                    // time of day when the computation ended, "14:03:12"

  [[nodiscard]] bool computing() const { return phase == Phase::computing; }
  [[nodiscard]] bool exact() const { return found && found->summary.method == core::StatisticsMethod::exact; }
};

class StatisticsStore {
 public:
  static constexpr std::size_t kMaxTensors = 1000;  // the oldest are dropped first

  StatisticsStore() = default;
  StatisticsStore(const StatisticsStore&) = delete;
  StatisticsStore& operator=(const StatisticsStore&) = delete;

  // Sets what is shown. process: Timeline's number. Returns the tasks whose results are no longer needed.
  [[nodiscard]] std::vector<std::uint64_t> show(IndexPtr index, std::uint64_t process);
  [[nodiscard]] const IndexPtr& index() const { return index_; }

  // For a tensor of the index; null: nothing is known.
  [[nodiscard]] const TensorStatistics* find(std::uint32_t tensor) const;
  // For a tensor of the index or a field of one (core/inventory/field_view.h): `tensor` is one of the snapshot.
  [[nodiscard]] const TensorStatistics* find(const core::Snapshot& snapshot, const core::TensorRecord& tensor) const;
  // Begins a computation; earlier numbers of the tensor are dropped, because they are of an earlier moment. Returns its number.
  std::uint64_t begin(std::uint32_t tensor, const Moment& now, bool own);
  std::uint64_t begin(const core::Snapshot& snapshot, const core::TensorRecord& tensor, const Moment& now, bool own);
  // These ignore a computation that was dropped.
  void note_task(std::uint64_t id, std::uint64_t task);
  void take(std::uint64_t id, const core::Statistics& found);
  void end(std::uint64_t id, TensorStatistics::Phase how, std::string why, std::string time_of_day);

  // ---- all tensors ----
  struct Survey {
    std::uint64_t id = 0;  // 0: there was none
    bool computing = false;
    std::uint64_t task = 0;
    std::uint64_t tensors = 0, unreadable = 0;  // so far
    std::string why;                            // why it failed, or that it was cancelled
    Moment begun;
  };
  std::uint64_t begin_survey(const Moment& now);
  void note_survey_task(std::uint64_t id, std::uint64_t task);
  void take_survey(std::uint64_t id, const std::vector<core::StatisticsRecord>& part);
  void end_survey(std::uint64_t id, std::string why);
  [[nodiscard]] const Survey& survey() const { return survey_; }
  // What a finished survey found of the values that the libraries mean, by tensor of the index; null: none, or not finished. It
  // does not change any more.
  [[nodiscard]] std::shared_ptr<const std::vector<core::ValueSummary>> surveyed() const {
    return survey_.computing ? nullptr : surveyed_;
  }

  // The summary of the values that the library means, for the table: from the tensor's own statistics (exact ones only, read since
  // the last scan), else the survey, else the snapshot. Null: none.
  [[nodiscard]] const core::ValueSummary* summary_of(std::uint32_t tensor) const;
  // Rises when the result of summary_of() may have changed for any tensor.
  [[nodiscard]] std::uint64_t summaries_revision() const { return revision_; }

  // Bytes per second of the last long computation; 0: there was none.
  [[nodiscard]] double rate() const { return rate_; }
  void note_rate(double bytes_per_second) { rate_ = bytes_per_second; }

 private:
  struct Key {
    core::Address address = 0;
    std::uint32_t dtype = 0;         // of the numbers
    std::vector<std::int64_t> dims;  // shape, strides, and what else says which numbers these are
    auto operator<=>(const Key&) const = default;
  };
  [[nodiscard]] static Key key_of(const core::Snapshot& snapshot, const core::TensorRecord& record);
  [[nodiscard]] TensorStatistics* with_id(std::uint64_t id);
  void drop_oldest();

  IndexPtr index_;
  std::uint64_t process_ = 0;
  std::uint64_t last_id_ = 0, revision_ = 0;
  using Tensors = std::map<Key, TensorStatistics>;
  Tensors tensors_;
  std::map<std::uint64_t, Tensors::iterator> by_id_;  // ids rise: the oldest computation is the first
  Survey survey_;
  std::shared_ptr<std::vector<core::ValueSummary>> surveyed_;  // by tensor; null: no survey of this index
  double rate_ = 0;
};

}  // namespace dlscope::app
