// StatisticsWork: has statistics of tensors computed and keeps the answers in a StatisticsStore. A task of the host computes
// them, or a job here where the viewer reads the memory itself (tensor files, off-screen pictures).
// thread: UI.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/models/actions/notices.h"
#include "app/models/jobs/task_runner.h"
#include "app/models/statistics/statistics_store.h"
#include "app/window/host/host_connection.h"
#include "core/inventory/field_view.h"

namespace dlscope::app {

class StatisticsWork {
 public:
  StatisticsWork(HostConnection& host, TaskRunner& tasks, Notices& notices) : host_(host), tasks_(tasks), notices_(notices) {}

  // Sets what is shown; answers about values that may have changed are dropped. own: reads the tensors' memory in the viewer;
  // null: the host does the work.
  void show(const IndexPtr& index, std::uint64_t process, const std::shared_ptr<core::MemoryReader>& own);
  // field: of the tensor (core/inventory/field_view.h); kNone16: the tensor itself.
  void compute(std::uint32_t tensor, const Moment& now, bool own, std::uint16_t field = core::kNone16);
  void survey(const Moment& now);
  // Takes in what the viewer's own jobs have found so far. True: something changed.
  bool update();

  [[nodiscard]] const StatisticsStore& store() const { return store_; }

 private:
  // Shared by a job and the UI thread.
  struct Found;
  struct Own {
    std::uint64_t id = 0;  // its number in the store
    std::shared_ptr<Found> found;
  };
  void compute_in_host(std::uint64_t id, core::wire::TensorRef tensor, std::string title);
  void compute_here(std::uint64_t id, const core::TensorPart& part, std::string title);
  void survey_in_host(std::uint64_t id);
  void survey_here(std::uint64_t id);
  void end(std::uint64_t id, TaskState how, const std::string& why, std::uint64_t task);

  HostConnection& host_;
  TaskRunner& tasks_;
  Notices& notices_;
  StatisticsStore store_;
  std::shared_ptr<core::MemoryReader> reader_;  // given to show(); null: the host does the work
  std::vector<Own> own_;
};

}  // namespace dlscope::app
