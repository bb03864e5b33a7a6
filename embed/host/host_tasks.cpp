#include "embed/host/host_tasks.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "core/search/find_value.h"
#include "core/tensor/device_id.h"
#include "embed/host/host_threads.h"

namespace dlscope::embed {

using core::ErrorKind;
using core::fail;
using core::Result;
using core::SnapshotPtr;
namespace wire = core::wire;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kKeptSnapshots = 2;
constexpr auto kStepEnds = 200ms;  // far longer than a step takes; a fork does not wait longer
constexpr unsigned kThreads = 2;

}  // namespace

// A task with what the wire carries of it.
class HostTasks::HostTask : public core::Task {
 public:
  [[nodiscard]] virtual wire::ProgressUnit unit() const = 0;
  // What was found since the last call, if that is worth a message now.
  [[nodiscard]] virtual std::optional<wire::WorkPart> take_part() = 0;
  [[nodiscard]] virtual wire::WorkResult result() const = 0;
};

class HostTasks::ValueSearch final : public HostTask {
 public:
  ValueSearch(SnapshotPtr snapshot, const wire::FindValue& work, std::shared_ptr<const core::MemoryReader> memory,
              const core::ValueTest& test)
      : task_(std::move(snapshot), work.tensor.tensor, std::move(memory), test, work.from) {}
  Result<State> step() override { return task_.step(); }
  core::TaskProgress progress() const override { return task_.progress(); }
  wire::ProgressUnit unit() const override { return wire::ProgressUnit::bytes; }
  std::optional<wire::WorkPart> take_part() override {
    if (told_ || !task_.next_is_certain()) return std::nullopt;
    told_ = true;
    return wire::ValueFound{*task_.found().next};
  }
  wire::WorkResult result() const override { return task_.found(); }

 private:
  core::FindValueTask task_;
  bool told_ = false;
};

HostTasks::HostTasks(Send send)
    : send_(std::move(send)), pool_(*this, {.threads = kThreads, .at_thread_start = [this] { thread_started(); }}) {}

void HostTasks::thread_started() {
  block_signals_but_faults();
  pthread_setname_np(pthread_self(), "dlscope-task");
  const std::lock_guard lock(mutex_);
  thread_ids_.push_back(gettid());
}

void HostTasks::keep(SnapshotPtr snapshot) {
  const std::lock_guard lock(mutex_);
  snapshots_.push_back(std::move(snapshot));
  if (snapshots_.size() > kKeptSnapshots) snapshots_.pop_front();
}

Result<SnapshotPtr> HostTasks::snapshot_of(wire::TensorRef tensor) {
  const std::lock_guard lock(mutex_);
  const auto kept = std::ranges::find(snapshots_, tensor.revision, [](const auto& s) { return s->info.revision; });
  if (kept == snapshots_.end())
    return fail(ErrorKind::not_found, "the tensors have been looked at again since: choose it anew in the present table");
  if (tensor.tensor >= (*kept)->tensors.size()) return fail(ErrorKind::invalid, "there is no tensor with this number");
  return *kept;
}

void HostTasks::start(std::uint64_t id, const wire::FindValue& work) {
  auto task = make(work);
  if (task)
    pool_.post(id, std::move(*task));
  else
    send_(wire::WorkEnded{id, wire::WorkOutcome::failed, task.error().message, {}}, WhenFull::wait);
}

Result<std::unique_ptr<core::Task>> HostTasks::make(const wire::FindValue& work) {
  auto snapshot = snapshot_of(work.tensor);
  if (!snapshot) return std::unexpected(snapshot.error());
  const core::TensorRecord& tensor = (*snapshot)->tensors[work.tensor.tensor];
  const std::string name((*snapshot)->name(tensor));
  if (!tensor.has_layout || tensor.elements == core::kUnknown64)
    return fail(ErrorKind::unsupported, fmt::format("where the elements of {} lie is not known", name));
  if (tensor.space != core::kHostSpace)
    return fail(ErrorKind::unsupported, fmt::format("{} is not in memory that this process can read", name));
  auto test = core::ValueTest::make(tensor.dtype, work.sought, work.text);
  if (!test) return std::unexpected(test.error());
  auto own_memory = reader();
  if (!own_memory) return std::unexpected(own_memory.error());
  return std::make_unique<ValueSearch>(std::move(*snapshot), work, std::move(*own_memory), *test);
}

Result<std::shared_ptr<const core::MemoryReader>> HostTasks::reader() {
  const std::lock_guard lock(mutex_);
  if (reader_) return reader_;
  auto made = core::process_reader(0);
  if (!made) return std::unexpected(made.error());
  reader_ = std::move(*made);
  return reader_;
}

void HostTasks::progressed(std::uint64_t id, core::Task& task) {
  auto& own = static_cast<HostTask&>(task);
  if (auto part = own.take_part()) send_(wire::Part{id, *part}, WhenFull::wait);
  const core::TaskProgress progress = task.progress();
  send_(wire::Progress{id, progress.done, progress.total, own.unit()}, WhenFull::drop);
}

void HostTasks::ended(std::uint64_t id, core::Task& task, core::TaskEnd end, const std::string& words) {
  wire::WorkEnded message{id, wire::WorkOutcome::cancelled, words, {}};
  if (end == core::TaskEnd::done) {
    message.outcome = wire::WorkOutcome::done;
    message.result = static_cast<HostTask&>(task).result();
  } else if (end == core::TaskEnd::failed) {
    message.outcome = wire::WorkOutcome::failed;
  }
  send_(message, WhenFull::wait);
}

void HostTasks::pause() {
  static_cast<void>(pool_.pause(kStepEnds));
  std::vector<pid_t> ids;
  {
    const std::lock_guard lock(mutex_);
    ids = std::exchange(thread_ids_, {});
  }
  for (const pid_t id : ids) wait_until_thread_is_gone(id);
}

}  // namespace dlscope::embed
