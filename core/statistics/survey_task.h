// SurveyTask: the exact statistics of many tensors, one after the other, without histograms and quantiles: for the columns of the table.
// A tensor that cannot be read does not fail the task; its summary has the method StatisticsMethod::none. thread: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/memory/memory_reader.h"
#include "core/statistics/exact_pass.h"
#include "core/statistics/statistics.h"
#include "core/tasks/task.h"

namespace dlscope::core {

struct SurveyItem {
  std::uint32_t tensor = 0;  // as the caller numbers them
  TensorValues values;       // read through the task's reader, not through values.source
};

class SurveyTask final : public Task {
 public:
  // owner: keeps alive what the layouts of `items` lie in.
  SurveyTask(std::vector<SurveyItem> items, std::shared_ptr<const void> owner, std::shared_ptr<const MemoryReader> reader,
             unsigned threads = 0);
  SurveyTask(const SurveyTask&) = delete;  // its parts refer to one another
  SurveyTask& operator=(const SurveyTask&) = delete;

  [[nodiscard]] Result<State> step() override;
  [[nodiscard]] TaskProgress progress() const override;  // bytes of memory; those of two views of the same memory twice
  // At most `most` of those surveyed and not taken yet.
  [[nodiscard]] std::vector<StatisticsRecord> take(std::size_t most);

 private:
  struct Current {
    MemoryOrder order;
    std::optional<ExactPass> pass;
  };
  void begin_next();
  void end_current(ValueSummary summary);

  std::vector<SurveyItem> items_;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<const MemoryReader> reader_;
  unsigned threads_;
  std::size_t next_ = 0;  // of items_
  std::unique_ptr<Current> current_;
  std::vector<StatisticsRecord> surveyed_;
  std::size_t taken_ = 0;
  std::uint64_t bytes_ = 0, bytes_done_ = 0;
};

}  // namespace dlscope::core
