#include "embed/host/host_tasks.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "core/base/in_words.h"
#include "core/base/own_threads.h"
#include "core/compare/difference_task.h"
#include "core/compare/snapshot_comparison.h"
#include "core/devices/cuda_reader.h"
#include "core/inventory/snapshot_reader.h"
#include "core/inventory/survey.h"
#include "core/inventory/tensor_numbers.h"
#include "core/memory/prompt_reader.h"
#include "core/reduce/reduce_task.h"
#include "core/search/find_value.h"
#include "core/search/searched_values.h"
#include "core/statistics/statistics_task.h"
#include "core/tensor/device_id.h"
#include "embed/host/task_kinds.h"

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

HostTasks::HostTasks(SendToViewer send, Phase phase)
    : send_(std::move(send)),
      phase_(std::move(phase)),
      pool_(*this, {.threads = kThreads, .at_thread_start = [this] { thread_started(); }}) {}

void HostTasks::thread_started() {
  begin_own_thread();
  pthread_setname_np(pthread_self(), core::kTaskThread);
  threads_.note_this();
}

void HostTasks::keep(SnapshotPtr snapshot) {
  const std::lock_guard lock(mutex_);
  std::erase_if(snapshots_, [&](const SnapshotPtr& s) { return s->info.revision == snapshot->info.revision; });  // unfinished
  snapshots_.push_back(std::move(snapshot));
  if (snapshots_.size() > kKeptSnapshots) snapshots_.pop_front();
}

Result<SnapshotPtr> HostTasks::snapshot_with(std::uint64_t revision) {
  const std::lock_guard lock(mutex_);
  const auto kept = std::ranges::find(snapshots_, revision, [](const auto& s) { return s->info.revision; });
  if (kept == snapshots_.end())
    return fail(ErrorKind::not_found, "the tensors have been scanned again since: choose it again in the present table");
  return *kept;
}

Result<SnapshotPtr> HostTasks::snapshot_of(wire::TensorRef tensor) {
  auto snapshot = snapshot_with(tensor.revision);
  if (snapshot && tensor.tensor >= (*snapshot)->tensors.size())
    return fail(ErrorKind::invalid, "there is no tensor with this number");
  return snapshot;
}

void HostTasks::start(std::uint64_t id, const wire::TaskWork& work) {
  std::string why = core::kNotEnoughMemory;
  try {
    std::stop_source stop;
    auto task = std::visit([&](const auto& one) { return make(one, stop.get_token()); }, work);
    // What is asked of one tensor is waited for; all of them take their time.
    const bool is_survey = std::holds_alternative<wire::SurveyTensors>(work);
    if (task) {
      {
        const std::lock_guard lock(mutex_);
        stops_.emplace(id, std::move(stop));
      }
      return pool_.post(id, std::move(*task), is_survey ? core::TaskPriority::background : core::TaskPriority::normal);
    }
    why = std::move(task.error().message);
  } catch (const std::exception& error) {  // nothing was posted
    {
      const std::lock_guard lock(mutex_);
      stops_.erase(id);
    }
    // Where memory is short, without asking for more.
    if (dynamic_cast<const std::bad_alloc*>(&error) == nullptr) why = core::kDlscopeFailed + std::string(error.what());
  }
  send_(wire::WorkEnded{id, wire::WorkOutcome::failed, std::move(why), {}}, WhenFull::wait);
}

bool HostTasks::cancel(std::uint64_t id) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = stops_.find(id); found != stops_.end()) found->second.request_stop();
  }
  return pool_.cancel(id);
}

Result<core::TensorPart> HostTasks::part_of(wire::TensorRef ref) {
  auto snapshot = snapshot_of(ref);
  if (!snapshot) return std::unexpected(snapshot.error());
  return core::part_view(*snapshot, ref.tensor, ref.field);
}

Result<HostTasks::Subject> HostTasks::subject(wire::TensorRef ref, std::stop_token stop) {
  auto part = part_of(ref);
  if (!part) return std::unexpected(part.error());
  const core::TensorRecord& tensor = part->record();
  const std::string name(part->snapshot->name(tensor));
  if (!tensor.has_layout || tensor.elements == core::kUnknown64)
    return fail(ErrorKind::unsupported, fmt::format("where the elements of {} lie is not known", name));
  if (tensor.elements > 0 && core::is_copy_for_export(tensor) && !tensor.readable)
    return fail(ErrorKind::unsupported, fmt::format("{} hands over a copy of its bytes, and the described one is freed", name));
  if (tensor.space != core::kHostSpace && !core::is_read_on_device(*part->snapshot, tensor))
    return fail(ErrorKind::unsupported, fmt::format("{} is not in memory that this process can read", name));
  auto own_memory = reader_of(*part->snapshot, std::move(stop));
  if (!own_memory) return std::unexpected(own_memory.error());
  return Subject{std::move(*part), std::move(*own_memory)};
}

HostTasks::Made HostTasks::make(const wire::FindValue& work, std::stop_token stop) {
  auto of = subject(work.tensor, std::move(stop));
  if (!of) return std::unexpected(of.error());
  auto test = core::value_test(of->snapshot(), of->tensor(), work.sought, work.text);
  if (!test) return std::unexpected(test.error());
  return std::make_unique<ValueSearch>(std::move(of->part), work.from, std::move(of->memory), *test);
}

HostTasks::Made HostTasks::make(const wire::ComputeStatistics& work, std::stop_token stop) {
  auto of = subject(work.tensor, std::move(stop));
  if (!of) return std::unexpected(of.error());
  if (!core::has_statistics(core::numbers_of(of->snapshot(), of->tensor()).dtype))
    return fail(ErrorKind::unsupported, fmt::format("values of dtype {} are not numbers", of->snapshot().dtype_name(of->tensor())));
  return std::make_unique<TensorStatistics>(of->part.snapshot, of->tensor(), std::move(of->memory));
}

HostTasks::Made HostTasks::make(const wire::SurveyTensors& work, std::stop_token stop) {
  auto snapshot = snapshot_with(work.revision);
  if (!snapshot) return std::unexpected(snapshot.error());
  auto own_memory = reader_of(**snapshot, std::move(stop));
  if (!own_memory) return std::unexpected(own_memory.error());
  return std::make_unique<Survey>(core::survey_items(**snapshot), *snapshot, std::move(*own_memory));
}

HostTasks::Made HostTasks::make(const wire::ReduceTensor& work, std::stop_token stop) {
  auto of = subject(work.tensor, std::move(stop));
  if (!of) return std::unexpected(of.error());
  const core::TensorValues values = core::tensor_values(of->snapshot(), of->tensor());
  auto task = core::ReduceTask::make(values, work.axes, work.window, work.most_exact, of->part.snapshot, std::move(of->memory));
  if (!task) return std::unexpected(task.error());
  return std::make_unique<TensorPicture>(std::move(*task));
}

Result<HostTasks::Pair> HostTasks::pair(wire::TensorRef first, wire::TensorRef second, std::stop_token stop) {
  auto a = part_of(first);
  if (!a) return std::unexpected(a.error());
  auto b = part_of(second);
  if (!b) return std::unexpected(b.error());
  auto memory = reader_of(*a->snapshot, stop);
  if (memory && a->snapshot != b->snapshot) memory = with_devices(*b->snapshot, std::move(*memory), stop);
  if (!memory) return std::unexpected(memory.error());
  return Pair{{std::move(a->snapshot), a->tensor, *memory}, {std::move(b->snapshot), b->tensor, *memory}};
}

HostTasks::Made HostTasks::make(const wire::CompareTensors& work, std::stop_token stop) {
  auto both = pair(work.a, work.b, std::move(stop));
  if (!both) return std::unexpected(both.error());
  auto task = core::SnapshotComparison::make(std::move(both->a), std::move(both->b), work.tolerance, work.broadcast);
  if (!task) return std::unexpected(task.error());
  return std::make_unique<TensorComparison>(std::move(*task));
}

HostTasks::Made HostTasks::make(const wire::SubtractTensors& work, std::stop_token stop) {
  const auto both = pair(work.a, work.b, std::move(stop));
  if (!both) return std::unexpected(both.error());
  auto task = core::make_difference_task(both->a, both->b, work.axes, work.window, work.kind, work.most_exact);
  if (!task) return std::unexpected(task.error());
  return std::make_unique<TensorPicture>(std::move(*task));
}

HostTasks::Made HostTasks::make(const wire::ReadDevice& work, std::stop_token stop) {
  return std::make_unique<DeviceRead>(
      [this](int ordinal, std::stop_token until, core::CudaRing ring) { return open_device(ordinal, std::move(until), ring); },
      work, std::move(stop));
}

Result<std::shared_ptr<const core::MemoryReader>> HostTasks::reader_of(const core::Snapshot& snapshot, std::stop_token stop) {
  auto direct = reader();
  if (!direct) return direct;
  const auto patient = deadline_reader();
  if (!patient) return std::unexpected(patient.error());
  return with_devices(snapshot, std::make_shared<core::PromptReader>(std::move(*direct), **patient), std::move(stop));
}

std::shared_ptr<const core::MemoryReader> HostTasks::with_devices(const core::Snapshot& snapshot,
                                                                  std::shared_ptr<const core::MemoryReader> host,
                                                                  std::stop_token stop) const {
  using Opened = Result<std::shared_ptr<const core::MemoryReader>>;
  return std::make_shared<core::SnapshotReader>(snapshot, std::move(host),
                                                [this, stop = std::move(stop)](std::int32_t ordinal) -> Opened {
                                                  auto opened = open_device(ordinal, stop);
                                                  if (!opened) return std::unexpected(opened.error());
                                                  return std::shared_ptr<const core::MemoryReader>(std::move(*opened));
                                                });
}

Result<std::unique_ptr<core::CudaReader>> HostTasks::open_device(std::int32_t ordinal, std::stop_token stop,
                                                                 core::CudaRing ring) const {
  if (phase_() == wire::HostPhase::crashed)
    return fail(ErrorKind::environment,
                "the process has crashed: its driver is as the crash left it, so it is not asked for a device's memory");
  return core::CudaReader::open(ordinal, std::move(stop), ring);
}

Result<std::shared_ptr<const core::MemoryReader>> HostTasks::reader() {
  const std::lock_guard lock(mutex_);
  if (reader_) return reader_;
  auto made = core::process_reader(0);
  if (!made) return std::unexpected(made.error());
  reader_ = std::move(*made);
  return reader_;
}

Result<std::shared_ptr<const core::DeadlineReader>> HostTasks::deadline_reader() {
  auto memory = reader();
  if (!memory) return std::unexpected(memory.error());
  const std::lock_guard lock(mutex_);
  if (!deadline_reader_) {
    core::DeadlineOptions options;
    options.pages = std::make_shared<core::ProcessPages>(0);
    options.at_thread_start = [this] { thread_started(); };
    deadline_reader_ = std::make_shared<core::DeadlineReader>(std::move(*memory), std::move(options));
  }
  return deadline_reader_;
}

void HostTasks::progressed(std::uint64_t id, core::Task& task) {
  auto& own = static_cast<HostTask&>(task);
  while (auto part = own.take_part()) {
    if (!send_(wire::Part{id, std::move(*part)}, WhenFull::wait))
      throw std::runtime_error("a part of what was found could not be sent to the window");  // too large, no room, or a crash
  }
  const core::TaskProgress progress = task.progress();
  send_(wire::Progress{id, progress.done, progress.total, own.unit()}, WhenFull::drop);
}

void HostTasks::ended(std::uint64_t id, core::Task& task, core::TaskEnd end, const std::string& wording) {
  {
    const std::lock_guard lock(mutex_);
    stops_.erase(id);
  }
  wire::WorkEnded message{id, wire::WorkOutcome::cancelled, wording, {}};
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
  std::shared_ptr<const core::DeadlineReader> reader;
  {
    const std::lock_guard lock(mutex_);
    reader = deadline_reader_;
  }
  if (reader) reader->rest();
  threads_.wait_until_gone();
}

}  // namespace dlscope::embed
