#include "app/window/shown/heatmap_work.h"

#include <mutex>
#include <utility>
#include <vector>

#include "app/models/jobs/own_task.h"
#include "core/compare/difference_task.h"
#include "core/inventory/field_view.h"
#include "core/inventory/tensor_numbers.h"
#include "core/reduce/reduce_task.h"

namespace dlscope::app {
namespace {

const char kNoProcess[] = "there is no process to read them from";

using MadePicture = core::Result<std::unique_ptr<core::ReduceTask>>;

MadePicture picture_of(const core::SnapshotTensor& tensor, const core::SnapshotTensor& subtracted,
                       const HeatmapRequest& request) {
  const core::CellWindow window = window_of(request.level, request.tiles, request.cells);
  if (request.difference)
    return core::make_difference_task(tensor, subtracted, request.axes, window, *request.difference, request.most_exact);
  const auto part = core::part_view(tensor.snapshot, tensor.tensor, request.field);
  if (!part) return std::unexpected(part.error());
  const core::TensorValues values = core::tensor_values(*part->snapshot, part->record());
  return core::ReduceTask::make(values, request.axes, window, request.most_exact, part->snapshot, tensor.memory);
}

}  // namespace

struct HeatmapWork::Found {
  std::mutex mutex;
  std::vector<core::Texels> parts;
};

void HeatmapWork::show(const IndexPtr& index, std::uint64_t process, const std::shared_ptr<const core::MemoryReader>& own) {
  show(index ? index->snapshot : nullptr, process, own);
}

void HeatmapWork::show(const core::SnapshotPtr& snapshot, std::uint64_t process,
                       const std::shared_ptr<const core::MemoryReader>& own, core::SnapshotTensor subtracted) {
  reader_ = own;
  subtracted_ = std::move(subtracted);
  if (const std::uint64_t task = store_.show(snapshot, process); task != 0) tasks_.cancel(task);
}

std::string HeatmapWork::title_of(const HeatmapRequest& request) const {
  const auto name = [](const core::SnapshotPtr& snapshot, std::uint32_t tensor) {
    return std::string(snapshot->name(snapshot->tensors[tensor]));
  };
  const auto part = core::part_view(store_.snapshot(), request.tensor, request.field);
  const std::string shown = part ? name(part->snapshot, part->tensor) : name(store_.snapshot(), request.tensor);
  return request.difference ? "Difference of " + shown + " and " + name(subtracted_.snapshot, subtracted_.tensor)
                            : "Heat map of " + shown;
}

core::wire::Work HeatmapWork::work_of(const HeatmapRequest& request) const {
  const core::wire::TensorRef tensor{store_.snapshot()->info.revision, request.tensor, request.field};
  const core::CellWindow window = window_of(request.level, request.tiles, request.cells);
  if (!request.difference) return core::wire::ReduceTensor{tensor, request.axes, window, request.most_exact};
  const core::wire::TensorRef subtracted{subtracted_.snapshot->info.revision, subtracted_.tensor};
  return core::wire::SubtractTensors{tensor, subtracted, request.axes, window, *request.difference, request.most_exact};
}

void HeatmapWork::compute(const HeatmapRequest& request, bool own) {
  if (!store_.snapshot() || request.tensor >= store_.snapshot()->tensors.size() || (request.difference && !subtracted_.snapshot))
    return;
  const HeatmapStore::Begun begun = store_.begin(request, own);
  if (begun.dropped_task != 0) tasks_.cancel(begun.dropped_task);
  if (reader_)
    compute_here(begun.id, request);
  else
    compute_in_host(begun.id, request);
}

void HeatmapWork::compute_in_host(std::uint64_t id, const HeatmapRequest& request) {
  auto task = std::make_shared<std::uint64_t>(0);
  const std::uint64_t work = host_.work().start(
      work_of(request), title_of(request),
      {.part =
           [this, id](const core::wire::WorkPart& part) {
             if (const auto* texels = std::get_if<core::Texels>(&part)) store_.take(id, *texels);
           },
       .ended = [this, id, task](const HostWorkEnded& ended) { end(id, task_state(ended.outcome), ended.message, *task); }});
  if (work == 0) return store_.end(id, HeatmapReading::Phase::failed, kNoProcess);
  *task = host_.work().task_of(work);
  store_.note_task(id, *task);
}

void HeatmapWork::compute_here(std::uint64_t id, const HeatmapRequest& request) {
  auto found = std::make_shared<Found>();
  const core::SnapshotTensor tensor{store_.snapshot(), request.tensor, reader_};
  const std::uint64_t task = tasks_.start(
      title_of(request), TaskUnit::elements,
      [found, request, tensor, subtracted = subtracted_](TaskProgress& progress) -> core::Result<std::string> {
        auto work = picture_of(tensor, subtracted, request);
        if (!work) return std::unexpected(work.error());
        return carry_out_task(**work, progress, [&] {
          while (auto part = (*work)->take(core::wire::kMaxPartTexels)) {
            const std::lock_guard lock(found->mutex);
            found->parts.push_back(std::move(*part));
          }
        });
      },
      [this, id](const TaskEntry& ended) {
        if (own_id_ == id) update();
        end(id, ended.state, ended.message, ended.id);
      });
  own_id_ = id;
  found_ = std::move(found);
  store_.note_task(id, task);
}

// Panning and zooming start many of these tasks, so ended ones leave the list at once; the view itself says why one failed.
void HeatmapWork::end(std::uint64_t id, TaskState how, const std::string& why, std::uint64_t task) {
  using Phase = HeatmapReading::Phase;
  store_.end(id, how == TaskState::done ? Phase::done : how == TaskState::cancelled ? Phase::cancelled : Phase::failed, why);
  tasks_.list().forget(task);
}

bool HeatmapWork::update() {
  if (!found_) return false;
  std::vector<core::Texels> parts;
  {
    const std::lock_guard lock(found_->mutex);
    parts.swap(found_->parts);
  }
  for (const core::Texels& part : parts) store_.take(own_id_, part);
  return !parts.empty();
}

}  // namespace dlscope::app
