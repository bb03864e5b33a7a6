#include "app/window/shown/statistics_work.h"

#include <chrono>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "app/models/jobs/own_task.h"
#include "app/models/text/format.h"
#include "app/models/text/time_stamp.h"
#include "core/inventory/survey.h"
#include "core/inventory/tensor_numbers.h"
#include "core/statistics/statistics_task.h"

namespace dlscope::app {
namespace {

using core::wire::WorkOutcome;

constexpr std::chrono::seconds kLong{1};  // shorter tasks leave the list when they end

const char kNoProcess[] = "there is no process to read them from";

}  // namespace

struct StatisticsWork::Found {
  std::mutex mutex;
  std::optional<core::Statistics> statistics;
  std::vector<core::StatisticsRecord> surveyed;
};

void StatisticsWork::show(const IndexPtr& index, std::uint64_t process, const std::shared_ptr<core::MemoryReader>& own) {
  reader_ = own;
  if (index == store_.index()) return;
  for (const std::uint64_t task : store_.show(index, process)) tasks_.cancel(task);
}

void StatisticsWork::compute(std::uint32_t tensor, const Moment& now, bool own, std::uint16_t field) {
  if (!store_.index() || tensor >= store_.index()->size()) return;
  const auto part = core::part_view(store_.index()->snapshot, tensor, field);
  if (!part) return;  // another scan has come since it was asked, in which the tensor has no such field
  const TensorStatistics* const before = store_.find(*part->snapshot, part->record());
  if (before != nullptr && before->computing()) return;
  const std::uint64_t id = store_.begin(*part->snapshot, part->record(), now, own);
  std::string title = "Statistics of " + std::string(part->snapshot->name(part->record()));
  if (reader_)
    compute_here(id, *part, std::move(title));
  else
    compute_in_host(id, {part->snapshot->info.revision, tensor, field}, std::move(title));
}

void StatisticsWork::compute_in_host(std::uint64_t id, core::wire::TensorRef ref, std::string title) {
  auto task = std::make_shared<std::uint64_t>(0);
  const std::uint64_t work = host_.work().start(core::wire::ComputeStatistics{ref}, std::move(title),
                                                {.part =
                                                     [this, id](const core::wire::WorkPart& part) {
                                                       if (const auto* sample = std::get_if<core::Statistics>(&part))
                                                         store_.take(id, *sample);
                                                     },
                                                 .ended =
                                                     [this, id, task](const HostWorkEnded& ended) {
                                                       if (const auto* exact = std::get_if<core::Statistics>(&ended.result))
                                                         store_.take(id, *exact);
                                                       end(id, task_state(ended.outcome), ended.message, *task);
                                                     }});
  if (work == 0) return store_.end(id, TensorStatistics::Phase::failed, kNoProcess, time_of_day());
  *task = host_.work().task_of(work);
  store_.note_task(id, *task);
}

void StatisticsWork::compute_here(std::uint64_t id, const core::TensorPart& part, std::string title) {
  const core::SnapshotPtr snapshot = part.snapshot;
  const core::TensorRecord& record = part.record();
  if (!core::has_statistics(core::numbers_of(*snapshot, record).dtype))
    return store_.end(id, TensorStatistics::Phase::failed, "its dtype is not a type of numbers", time_of_day());
  auto found = std::make_shared<Found>();
  const std::uint64_t task = tasks_.start(
      std::move(title), TaskUnit::bytes,
      [found, snapshot, reader = reader_, &record](TaskProgress& progress) {
        core::StatisticsTask work(core::tensor_values(*snapshot, record), snapshot, reader);
        bool told = false;  // of the sample
        return carry_out_task(work, progress, [&] {
          if (!work.exact() && (told || !work.sample())) return;
          told = true;
          const std::lock_guard lock(found->mutex);
          found->statistics = work.exact() ? work.exact() : work.sample();
        });
      },
      [this, id](const TaskEntry& ended) {
        update();
        std::erase_if(own_, [&](const Own& own) { return own.id == id; });
        end(id, ended.state, ended.message, ended.id);
      });
  own_.push_back({id, std::move(found)});
  store_.note_task(id, task);
}

void StatisticsWork::end(std::uint64_t id, TaskState how, const std::string& why, std::uint64_t task) {
  using Phase = TensorStatistics::Phase;
  const Phase phase = how == TaskState::done ? Phase::done : how == TaskState::cancelled ? Phase::cancelled : Phase::failed;
  store_.end(id, phase, why, time_of_day());
  const TaskEntry* const entry = tasks_.list().find(task);
  if (entry == nullptr || how != TaskState::done) return;
  if (entry->ended - entry->started < kLong) return tasks_.list().forget(task);
  if (entry->unit == TaskUnit::bytes)
    store_.note_rate(static_cast<double>(entry->done) / std::chrono::duration<double>(entry->ended - entry->started).count());
}

// --- all tensors --------------------------------------------------------------------------------------------------------

void StatisticsWork::survey(const Moment& now) {
  if (!store_.index() || store_.survey().computing) return;
  const std::uint64_t id = store_.begin_survey(now);
  if (reader_)
    survey_here(id);
  else
    survey_in_host(id);
}

void StatisticsWork::survey_in_host(std::uint64_t id) {
  const std::uint64_t work =
      host_.work().start(core::wire::SurveyTensors{store_.index()->snapshot->info.revision}, "NaN, min and max of all tensors",
                         {.part =
                              [this, id](const core::wire::WorkPart& part) {
                                if (const auto* summaries = std::get_if<core::wire::Summaries>(&part))
                                  store_.take_survey(id, summaries->tensors);
                              },
                          .ended =
                              [this, id](const HostWorkEnded& ended) {
                                store_.end_survey(id, ended.outcome == WorkOutcome::failed ? ended.message : std::string());
                                if (ended.outcome == WorkOutcome::failed)
                                  notices_.add(Tone::warn, "The tensors were not read: " + ended.message + ".");
                              }});
  if (work != 0) return store_.note_survey_task(id, host_.work().task_of(work));
  store_.end_survey(id, kNoProcess);
  notices_.add(Tone::bad, "No Python process is there to read the tensors. Run or Restart gives a new one.");
}

void StatisticsWork::survey_here(std::uint64_t id) {
  const core::SnapshotPtr snapshot = store_.index()->snapshot;
  auto found = std::make_shared<Found>();
  const std::uint64_t task = tasks_.start(
      "NaN, min and max of all tensors", TaskUnit::bytes,
      [found, snapshot, reader = reader_](TaskProgress& progress) {
        core::SurveyTask work(core::survey_items(*snapshot), snapshot, reader);
        return carry_out_task(work, progress, [&] {
          const auto part = work.take(std::numeric_limits<std::size_t>::max());
          const std::lock_guard lock(found->mutex);
          found->surveyed.insert(found->surveyed.end(), part.begin(), part.end());
        });
      },
      [this, id](const TaskEntry& ended) {
        update();
        std::erase_if(own_, [&](const Own& own) { return own.id == id; });
        store_.end_survey(id, ended.state == TaskState::failed ? ended.message : std::string());
      });
  own_.push_back({id, std::move(found)});
  store_.note_survey_task(id, task);
}

bool StatisticsWork::update() {
  bool changed = false;
  for (const Own& own : own_) {
    const std::lock_guard lock(own.found->mutex);
    if (const auto statistics = std::exchange(own.found->statistics, std::nullopt)) {
      store_.take(own.id, *statistics);
      changed = true;
    }
    if (const auto surveyed = std::exchange(own.found->surveyed, {}); !surveyed.empty()) {
      store_.take_survey(own.id, surveyed);
      changed = true;
    }
  }
  return changed;
}

}  // namespace dlscope::app
