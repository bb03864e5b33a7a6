// StatisticsTask: the statistics of one tensor as a Task (core/tasks/task.h): the first step makes a sample, the following ones compute
// the exact result, a slice of time each. With histogram and quantiles. thread: one at a time, as any Task.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/memory/memory_reader.h"
#include "core/statistics/exact_pass.h"
#include "core/statistics/statistics.h"
#include "core/tasks/task.h"

namespace dlscope::core {

class StatisticsTask final : public Task {
 public:
  // values.dtype has statistics (has_statistics()). `owner` keeps alive the memory that values.layout points to. The values are read
  // through `reader`, not through values.source.
  // threads: that a step may use; 0: as many as are of use.
  StatisticsTask(TensorValues values, std::shared_ptr<const void> owner, std::shared_ptr<const MemoryReader> reader,
                 unsigned threads = 0);
  StatisticsTask(const StatisticsTask&) = delete;  // its parts refer to one another
  StatisticsTask& operator=(const StatisticsTask&) = delete;

  // Fails in words where a byte cannot be read.
  [[nodiscard]] Result<State> step() override;
  [[nodiscard]] TaskProgress progress() const override;  // bytes of memory, each counted once
  // Set by the first step if the tensor has more values than a sample.
  [[nodiscard]] const std::optional<Statistics>& sample() const { return sample_; }
  // When it is done.
  [[nodiscard]] const std::optional<Statistics>& exact() const { return exact_; }

 private:
  std::shared_ptr<const void> owner_;
  std::shared_ptr<const MemoryReader> reader_;
  TensorValues values_;
  unsigned threads_;
  MemoryOrder order_;
  std::optional<ExactPass> pass_;
  std::optional<Statistics> sample_, exact_;
  SampledBulk bulk_;  // of sample_
};

}  // namespace dlscope::core
