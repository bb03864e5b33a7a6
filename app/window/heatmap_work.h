// HeatmapWork: has pictures of tensors worked out, by a task of the host, or by a job of the viewer's own where it reads the memory
// itself (files, pictures), and keeps them in a HeatmapStore. One at a time: a new one cancels the one before.
// thread: UI.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/models/heatmap/heatmap_store.h"
#include "app/models/jobs/task_runner.h"
#include "app/models/tensors/snapshot_index.h"
#include "app/window/host_connection.h"
#include "core/compare/snapshot_comparison.h"

namespace dlscope::app {

class HeatmapWork {
 public:
  HeatmapWork(HostConnection& host, TaskRunner& tasks) : host_(host), tasks_(tasks) {}

  // What is on the screen. own: the reader of a tensor's memory where the viewer does the work itself; null: the host does it.
  void show(const IndexPtr& index, std::uint64_t process, const std::shared_ptr<const core::MemoryReader>& own);
  // The same of a snapshot. subtracted: what requests of a difference subtract; `process` changes with it.
  void show(const core::SnapshotPtr& snapshot, std::uint64_t process, const std::shared_ptr<const core::MemoryReader>& own,
            core::SnapshotTensor subtracted = {});
  // own: the bytes are known to be the tensor's now.
  void compute(const HeatmapRequest& request, bool own);
  // Takes in what the viewer's own job has found so far. True: something changed.
  bool update();

  [[nodiscard]] const HeatmapStore& store() const { return store_; }

 private:
  // Between a job and the UI thread.
  struct Found;
  void compute_in_host(std::uint64_t id, const HeatmapRequest& request);
  void compute_here(std::uint64_t id, const HeatmapRequest& request);
  [[nodiscard]] std::string title_of(const HeatmapRequest& request) const;
  [[nodiscard]] core::wire::Work work_of(const HeatmapRequest& request) const;
  void end(std::uint64_t id, TaskState how, const std::string& why, std::uint64_t task);

  HostConnection& host_;
  TaskRunner& tasks_;
  HeatmapStore store_;
  std::shared_ptr<const core::MemoryReader> reader_;  // show()'s
  core::SnapshotTensor subtracted_;             // show()'s
  std::uint64_t own_id_ = 0;
  std::shared_ptr<Found> found_;  // of own_id_
};

}  // namespace dlscope::app
