// HeatmapWork: has heat maps of tensors computed and keeps them in a HeatmapStore. A task of the host computes them, or a job
// here where the viewer reads the memory itself (tensor files, off-screen pictures). One runs at a time: a new one cancels the
// previous one.
// thread: UI.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/models/heatmap/heatmap_store.h"
#include "app/models/jobs/task_runner.h"
#include "app/models/tensors/snapshot_index.h"
#include "app/window/host/host_connection.h"
#include "core/compare/snapshot_comparison.h"

namespace dlscope::app {

class HeatmapWork {
 public:
  HeatmapWork(HostConnection& host, TaskRunner& tasks) : host_(host), tasks_(tasks) {}

  // Sets what is shown. own: reads the tensors' memory in the viewer; null: the host does the work.
  void show(const IndexPtr& index, std::uint64_t process, const std::shared_ptr<const core::MemoryReader>& own);
  // The same for a snapshot without an index. subtracted: the tensor that difference requests subtract; pass another `process`
  // when it changes.
  void show(const core::SnapshotPtr& snapshot, std::uint64_t process, const std::shared_ptr<const core::MemoryReader>& own,
            core::SnapshotTensor subtracted = {});
  // own: true when the bytes are known to be the tensor's own now (bytes_are_its_own).
  void compute(const HeatmapRequest& request, bool own);
  // Takes in what the viewer's own job has found so far. True: something changed.
  bool update();

  [[nodiscard]] const HeatmapStore& store() const { return store_; }

 private:
  // Shared by a job and the UI thread.
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
