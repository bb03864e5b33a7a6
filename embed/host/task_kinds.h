// The tasks of this host (HostTasks), one class for each kind of work: each carries one of core's tasks, and makes messages of what
// it finds.
// thread: a worker of the task pool.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/compare/snapshot_comparison.h"
#include "core/devices/cuda_reader.h"
#include "core/inventory/field_view.h"
#include "core/inventory/survey.h"
#include "core/inventory/tensor_numbers.h"
#include "core/reduce/reduce_task.h"
#include "core/search/find_value.h"
#include "core/statistics/statistics_task.h"
#include "core/tasks/task.h"
#include "core/wire/messages.h"

namespace dlscope::embed {

// A task with what the wire carries of it.
class HostTask : public core::Task {
 public:
  [[nodiscard]] virtual core::wire::ProgressUnit unit() const = 0;
  // What was found since the last call, if that is worth a message now.
  [[nodiscard]] virtual std::optional<core::wire::WorkPart> take_part() = 0;
  [[nodiscard]] virtual core::wire::WorkResult result() const = 0;
};

class ValueSearch final : public HostTask {
 public:
  ValueSearch(core::TensorPart in, std::uint64_t from, std::shared_ptr<const core::MemoryReader> memory,
              const core::ValueTest& test)
      : task_(std::move(in.snapshot), in.tensor, std::move(memory), test, from) {}
  core::Result<State> step() override { return task_.step(); }
  core::TaskProgress progress() const override { return task_.progress(); }
  core::wire::ProgressUnit unit() const override { return core::wire::ProgressUnit::bytes; }
  std::optional<core::wire::WorkPart> take_part() override {
    if (told_ || !task_.next_is_certain()) return std::nullopt;
    told_ = true;
    return core::wire::ValueFound{*task_.found().next};
  }
  core::wire::WorkResult result() const override { return task_.found(); }

 private:
  core::FindValueTask task_;
  bool told_ = false;
};

class TensorStatistics final : public HostTask {
 public:
  TensorStatistics(core::SnapshotPtr snapshot, const core::TensorRecord& tensor, std::shared_ptr<const core::MemoryReader> memory)
      : task_(core::tensor_values(*snapshot, tensor), snapshot, std::move(memory)) {}
  core::Result<State> step() override { return task_.step(); }
  core::TaskProgress progress() const override { return task_.progress(); }
  core::wire::ProgressUnit unit() const override { return core::wire::ProgressUnit::bytes; }
  std::optional<core::wire::WorkPart> take_part() override {
    if (told_ || !task_.sample() || task_.exact()) return std::nullopt;
    told_ = true;
    return *task_.sample();
  }
  core::wire::WorkResult result() const override { return *task_.exact(); }

 private:
  core::StatisticsTask task_;
  bool told_ = false;
};

class Survey final : public HostTask {
 public:
  Survey(std::vector<core::SurveyItem> items, core::SnapshotPtr snapshot, std::shared_ptr<const core::MemoryReader> memory)
      : task_(std::move(items), std::move(snapshot), std::move(memory)) {}
  core::Result<State> step() override { return task_.step(); }
  core::TaskProgress progress() const override { return task_.progress(); }
  core::wire::ProgressUnit unit() const override { return core::wire::ProgressUnit::bytes; }
  std::optional<core::wire::WorkPart> take_part() override {
    core::wire::Summaries part{task_.take(core::wire::kMaxSummaries)};
    if (part.tensors.empty()) return std::nullopt;
    return part;
  }
  core::wire::WorkResult result() const override { return core::wire::NoResult{}; }

 private:
  core::SurveyTask task_;
};

class TensorComparison final : public HostTask {
 public:
  explicit TensorComparison(std::unique_ptr<core::SnapshotComparison> task) : task_(std::move(task)) {}
  core::Result<State> step() override { return task_->step(); }
  core::TaskProgress progress() const override { return task_->progress(); }
  core::wire::ProgressUnit unit() const override { return core::wire::ProgressUnit::bytes; }
  std::optional<core::wire::WorkPart> take_part() override { return std::nullopt; }
  core::wire::WorkResult result() const override { return task_->found(); }

 private:
  std::unique_ptr<core::SnapshotComparison> task_;
};

class TensorPicture final : public HostTask {
 public:
  explicit TensorPicture(std::unique_ptr<core::ReduceTask> task) : task_(std::move(task)) {}
  core::Result<State> step() override { return task_->step(); }
  core::TaskProgress progress() const override { return task_->progress(); }
  core::wire::ProgressUnit unit() const override { return core::wire::ProgressUnit::elements; }
  std::optional<core::wire::WorkPart> take_part() override {
    auto texels = task_->take(core::wire::kMaxPartTexels);
    if (!texels) return std::nullopt;
    return std::move(*texels);
  }
  core::wire::WorkResult result() const override { return core::wire::NoResult{}; }

 private:
  std::unique_ptr<core::ReduceTask> task_;
};

class DeviceRead final : public HostTask {
 public:
  // As HostTasks::open_device().
  using Open = std::function<core::Result<std::unique_ptr<core::CudaReader>>(int ordinal, std::stop_token, core::CudaRing)>;
  DeviceRead(Open open, core::wire::ReadDevice work, std::stop_token stop)
      : open_(std::move(open)), work_(std::move(work)), stop_(std::move(stop)) {}
  core::Result<State> step() override {
    constexpr std::size_t kMinBuffer = std::size_t{16} << 10;
    const std::size_t bytes = work_.addresses.size() * work_.each;
    auto reader = open_(work_.ordinal, stop_, {.buffer_bytes = std::max(bytes, kMinBuffer), .buffers = 1});
    if (!reader) return std::unexpected(reader.error());
    found_.bytes.resize(bytes);
    found_.complete.resize(work_.addresses.size());
    (*reader)->gather(work_.addresses, work_.each, found_.bytes, found_.complete);
    found_.problem = (*reader)->problem();
    return State::done;
  }
  core::TaskProgress progress() const override { return {found_.bytes.size(), work_.addresses.size() * work_.each}; }
  core::wire::ProgressUnit unit() const override { return core::wire::ProgressUnit::bytes; }
  std::optional<core::wire::WorkPart> take_part() override { return std::nullopt; }
  core::wire::WorkResult result() const override { return found_; }

 private:
  Open open_;
  core::wire::ReadDevice work_;
  std::stop_token stop_;
  core::wire::DeviceBytes found_;
};

}  // namespace dlscope::embed
