// StatisticsStore: what was worked out of the values of the tensors on the screen, and what is being worked out. Kept by what was read
// (address, dtype, shape, strides), so that another look at the same memory finds it again, and dropped when code ran in between.
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
  std::uint64_t id = 0;  // of this computation
  Phase phase = Phase::computing;
  std::optional<core::Statistics> found;  // the best there is: of a sample, then of all values
  std::string why;                        // failed: why
  std::uint64_t task = 0;                 // in the list of tasks
  Moment begun;                           // when reading began
  bool own = true;                        // the bytes were the tensor's own then
  std::string read_at;                    // time of day when it ended, "14:03:12"

  [[nodiscard]] bool computing() const { return phase == Phase::computing; }
  [[nodiscard]] bool exact() const { return found && found->summary.method == core::StatisticsMethod::exact; }
};

class StatisticsStore {
 public:
  // What is on the screen from here on. process: Timeline's. The tasks of what nobody waits for any more.
  [[nodiscard]] std::vector<std::uint64_t> show(IndexPtr index, std::uint64_t process);
  [[nodiscard]] const IndexPtr& index() const { return index_; }

  // Of a tensor of the index; null: nothing is known.
  [[nodiscard]] const TensorStatistics* find(std::uint32_t tensor) const;
  // A computation begins; what was known of the tensor before stays to be seen until there is something new. Its id.
  std::uint64_t begin(std::uint32_t tensor, const Moment& now, bool own);
  // About a computation of a tensor that was dropped since: ignored, as everything below.
  void note_task(std::uint64_t id, std::uint64_t task);
  void take(std::uint64_t id, const core::Statistics& found);
  void end(std::uint64_t id, TensorStatistics::Phase how, std::string why, std::string time_of_day);

  // ---- all tensors ----
  struct Survey {
    std::uint64_t id = 0;  // 0: none was made
    bool computing = false;
    std::uint64_t task = 0;
    std::uint64_t tensors = 0, unreadable = 0;  // so far
    std::string why;                            // it failed, or was cancelled
    Moment begun;
  };
  std::uint64_t begin_survey(const Moment& now);
  void note_survey_task(std::uint64_t id, std::uint64_t task);
  void take_survey(std::uint64_t id, const std::vector<core::StatisticsRecord>& part);
  void end_survey(std::uint64_t id, std::string why);
  [[nodiscard]] const Survey& survey() const { return survey_; }
  // What a survey that has ended found, by tensor of the index; null: there is none. It does not change any more.
  [[nodiscard]] std::shared_ptr<const std::vector<core::ValueSummary>> surveyed() const {
    return survey_.computing ? nullptr : surveyed_;
  }

  // The summary of a tensor of the index, from wherever: its own statistics (exact ones only), the survey, the snapshot. Null: none.
  [[nodiscard]] const core::ValueSummary* summary_of(std::uint32_t tensor) const;
  // Rises when any summary_of() may answer otherwise.
  [[nodiscard]] std::uint64_t summaries_revision() const { return revision_; }

  // Bytes per second that the last long computation read; 0: there was none.
  [[nodiscard]] double rate() const { return rate_; }
  void note_rate(double bytes_per_second) { rate_ = bytes_per_second; }

 private:
  struct Key {
    core::Address address = 0;
    std::uint32_t dtype = 0;
    std::vector<std::int64_t> dims;  // shape, strides
    auto operator<=>(const Key&) const = default;
  };
  [[nodiscard]] Key key_of(std::uint32_t tensor) const;
  [[nodiscard]] TensorStatistics* with_id(std::uint64_t id);

  IndexPtr index_;
  std::uint64_t process_ = 0;
  std::uint64_t last_id_ = 0, revision_ = 0;
  std::map<Key, TensorStatistics> tensors_;
  Survey survey_;
  std::shared_ptr<std::vector<core::ValueSummary>> surveyed_;  // by tensor; null: no survey of this index
  double rate_ = 0;
};

}  // namespace dlscope::app
