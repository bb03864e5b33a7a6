// HostTasks: the tasks of this host (core/wire/work.h): made from what the viewer asks, over the snapshots it was sent, run on
// threads of their own that know no Python, and reported to the viewer. They go on while Python runs, hangs or lies dead.
// thread: any.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "core/compare/snapshot_comparison.h"
#include "core/devices/cuda_reader.h"
#include "core/inventory/field_view.h"
#include "core/inventory/snapshot.h"
#include "core/memory/deadline_reader.h"
#include "core/tasks/task_pool.h"
#include "core/wire/messages.h"
#include "core/wire/region.h"
#include "embed/host/host_threads.h"
#include "embed/host/send_to_viewer.h"

namespace dlscope::embed {

class HostTasks final : private core::TaskObserver {
 public:
  // phase: of the host; called from any thread.
  using Phase = std::function<core::wire::HostPhase()>;
  HostTasks(SendToViewer send, Phase phase);

  // A published snapshot: what a TensorRef names. The last two are kept, because the viewer may still show the one before. The
  // final one of a scan takes the place of the one that was published before its sharing was known: they have one revision.
  void keep(core::SnapshotPtr snapshot);
  // The kept snapshot of that revision, if the tensor exists in it. Error with a message for the user: there is none.
  [[nodiscard]] core::Result<core::SnapshotPtr> snapshot_of(core::wire::TensorRef tensor);

  // Reads the memory of this snapshot's tensors: the host's as PromptReader, that of its devices without a time limit; what
  // reading a device needs is made when it is read first.
  [[nodiscard]] core::Result<std::shared_ptr<const core::MemoryReader>> reader_of(const core::Snapshot& snapshot,
                                                                                  std::stop_token stop);

  // Reads this process's memory, of which pages may never arrive, and waits a second at most. One for all that the host reads, so
  // that memory which does not answer is known to all, and costs one thread.
  [[nodiscard]] core::Result<std::shared_ptr<const core::DeadlineReader>> deadline_reader();

  // Starts a task. Where it cannot be started, sends WorkOutcome::failed with the reason. Does not block.
  void start(std::uint64_t id, const core::wire::TaskWork& work);
  bool cancel(std::uint64_t id);

  // Around a fork: no thread of ours is there between the two. Blocks until the steps in progress have ended, which takes some
  // milliseconds; a thread that reads memory which never answers stays.
  void pause();
  void resume() { pool_.resume(); }

 private:
  using Made = core::Result<std::unique_ptr<core::Task>>;

  void progressed(std::uint64_t id, core::Task& task) override;
  void ended(std::uint64_t id, core::Task& task, core::TaskEnd end, const std::string& message) override;
  // A tensor whose values this process can read.
  struct Subject {
    core::TensorPart part;
    std::shared_ptr<const core::MemoryReader> memory;
    [[nodiscard]] const core::Snapshot& snapshot() const { return *part.snapshot; }
    [[nodiscard]] const core::TensorRecord& tensor() const { return part.record(); }
  };
  // stop: of the task, when it is cancelled: what waits for a device ends then.
  [[nodiscard]] core::Result<Subject> subject(core::wire::TensorRef ref, std::stop_token stop);
  // What the reference names: a kept snapshot's tensor, or one of its fields.
  [[nodiscard]] core::Result<core::TensorPart> part_of(core::wire::TensorRef ref);
  // One for every kind of TaskWork.
  [[nodiscard]] Made make(const core::wire::FindValue& work, std::stop_token stop);
  [[nodiscard]] Made make(const core::wire::ComputeStatistics& work, std::stop_token stop);
  [[nodiscard]] Made make(const core::wire::SurveyTensors& work, std::stop_token stop);
  [[nodiscard]] Made make(const core::wire::ReduceTensor& work, std::stop_token stop);
  [[nodiscard]] Made make(const core::wire::CompareTensors& work, std::stop_token stop);
  [[nodiscard]] Made make(const core::wire::SubtractTensors& work, std::stop_token stop);
  [[nodiscard]] Made make(const core::wire::ReadDevice& work, std::stop_token stop);
  struct Pair {
    core::SnapshotTensor a, b;
  };
  [[nodiscard]] core::Result<Pair> pair(core::wire::TensorRef first, core::wire::TensorRef second, std::stop_token stop);
  [[nodiscard]] core::Result<core::SnapshotPtr> snapshot_with(std::uint64_t revision);
  [[nodiscard]] core::Result<std::shared_ptr<const core::MemoryReader>> reader();
  // As CudaReader::open(). After a crash nothing is read: the driver's locks may be held by whoever crashed.
  [[nodiscard]] core::Result<std::unique_ptr<core::CudaReader>> open_device(std::int32_t ordinal, std::stop_token stop,
                                                                            core::CudaRing ring = {}) const;
  [[nodiscard]] std::shared_ptr<const core::MemoryReader> with_devices(const core::Snapshot& snapshot,
                                                                       std::shared_ptr<const core::MemoryReader> host,
                                                                       std::stop_token stop) const;
  void thread_started();

  SendToViewer send_;
  Phase phase_;
  StartedThreads threads_;
  std::mutex mutex_;  // the members below
  std::deque<core::SnapshotPtr> snapshots_;
  std::shared_ptr<const core::MemoryReader> reader_;
  std::shared_ptr<const core::DeadlineReader> deadline_reader_;
  std::map<std::uint64_t, std::stop_source> stops_;  // of the tasks that have not ended
  core::TaskPool pool_;
};

}  // namespace dlscope::embed
