#include "app/window/heatmap_work.h"

#include <mutex>
#include <utility>
#include <vector>

#include "app/window/own_task.h"
#include "core/reduce/reduce_task.h"

namespace dlscope::app {
namespace {

const char kNobody[] = "there is no process to read them from";

std::string title_of(const IndexPtr& index, std::uint32_t tensor) {
  return "Heat map of " + std::string(index->snapshot->name(index->tensor(tensor)));
}

}  // namespace

struct HeatmapWork::Found {
  std::mutex mutex;
  std::vector<core::Texels> parts;
};

void HeatmapWork::show(const IndexPtr& index, std::uint64_t process, const std::shared_ptr<core::MemoryReader>& own) {
  reader_ = own;
  if (const std::uint64_t task = store_.show(index, process); task != 0) tasks_.cancel(task);
}

void HeatmapWork::compute(const HeatmapRequest& request, bool own) {
  if (!store_.index() || request.tensor >= store_.index()->size()) return;
  const HeatmapStore::Begun begun = store_.begin(request, own);
  if (begun.dropped_task != 0) tasks_.cancel(begun.dropped_task);
  if (reader_)
    compute_here(begun.id, request);
  else
    compute_in_host(begun.id, request);
}

void HeatmapWork::compute_in_host(std::uint64_t id, const HeatmapRequest& request) {
  auto task = std::make_shared<std::uint64_t>(0);
  const core::wire::ReduceTensor asked{
      {store_.index()->snapshot->info.revision, request.tensor}, request.axes,
                                        window_of(request.level, request.tiles, request.cells), request.most_exact};
  const std::uint64_t work = host_.work().start(
      asked, title_of(store_.index(), request.tensor),
      {.part =
           [this, id](const core::wire::WorkPart& part) {
             if (const auto* texels = std::get_if<core::Texels>(&part)) store_.take(id, *texels);
           },
       .ended = [this, id, task](const HostWorkEnded& ended) { end(id, task_state(ended.outcome), ended.words, *task); }});
  if (work == 0) return store_.end(id, HeatmapReading::Phase::failed, kNobody);
  *task = host_.work().task_of(work);
  store_.note_task(id, *task);
}

void HeatmapWork::compute_here(std::uint64_t id, const HeatmapRequest& request) {
  auto found = std::make_shared<Found>();
  const std::uint64_t task = tasks_.start(
      title_of(store_.index(), request.tensor), TaskUnit::elements,
      [found, reader = reader_, request, snapshot = store_.index()->snapshot](TaskProgress& progress) -> core::Result<std::string> {
        const core::TensorRecord& record = snapshot->tensors[request.tensor];
        auto work = core::ReduceTask::make({record.dtype, snapshot->layout(record), record.address, {}}, request.axes,
                                           window_of(request.level, request.tiles, request.cells), request.most_exact, snapshot, reader);
        if (!work) return std::unexpected(work.error());
        return carry_out_task(**work, progress, [&] {
          while (auto part = (*work)->take(core::wire::kMostPartTexels)) {
            const std::lock_guard lock(found->mutex);
            found->parts.push_back(std::move(*part));
          }
        });
      },
      [this, id](const TaskEntry& ended) {
        if (own_id_ == id) update();
        end(id, ended.state, ended.words, ended.id);
      });
  own_id_ = id;
  found_ = std::move(found);
  store_.note_task(id, task);
}

// Looking around starts one after the other; none of them is work to look back at, and why one failed is said in the view.
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
