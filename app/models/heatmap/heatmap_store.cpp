#include "app/models/heatmap/heatmap_store.h"

#include <utility>

namespace dlscope::app {

void HeatmapStore::drop() {
  newest_.reset();
  shown_.reset();
  overview_.reset();
  ++revision_;
}

std::uint64_t HeatmapStore::show(const IndexPtr& index, std::uint64_t process) {
  if (index == index_ && process == process_) return 0;
  const std::uint64_t waited_for = newest_ && newest_->computing() ? newest_->task : 0;
  drop();
  index_ = index;
  process_ = process;
  return waited_for;
}

HeatmapStore::Begun HeatmapStore::begin(HeatmapRequest request, const Moment& now, bool own) {
  Begun begun;
  if (newest_ && newest_->computing()) begun.dropped_task = newest_->task;
  const bool same_table = newest_ && newest_->asked.tensor == request.tensor && newest_->asked.axes == request.axes;
  if (!same_table) drop();
  newest_ = std::make_shared<HeatmapPicture>();
  begun.id = newest_->id = ++last_id_;
  newest_->texels.resize({0, 0, static_cast<std::uint32_t>(request.window.texel_rows()),
                          static_cast<std::uint32_t>(request.window.texel_columns())});
  newest_->asked = std::move(request);
  newest_->begun = now;
  newest_->own = own;
  ++revision_;
  return begun;
}

HeatmapPicture* HeatmapStore::with_id(std::uint64_t id) { return newest_ && newest_->id == id ? newest_.get() : nullptr; }

void HeatmapStore::note_task(std::uint64_t id, std::uint64_t task) {
  if (HeatmapPicture* const picture = with_id(id)) picture->task = task;
}

void HeatmapStore::take(std::uint64_t id, const core::Texels& part) {
  HeatmapPicture* const picture = with_id(id);
  if (picture == nullptr || !core::fits(part, picture->texels)) return;
  core::put_part(part, picture->texels);
  const std::size_t rows = part.repeats_down ? picture->texels.rect.rows : part.rect.rows;
  const std::size_t columns = part.repeats_across ? picture->texels.rect.columns : part.rect.columns;
  (part.method == core::TexelMethod::exact ? picture->exact : picture->sampled) += rows * columns;
  if (picture->covers()) {
    shown_ = newest_;
    if (picture->asked.whole) overview_ = newest_;
  }
  ++revision_;
}

void HeatmapStore::end(std::uint64_t id, HeatmapPicture::Phase how, std::string why) {
  HeatmapPicture* const picture = with_id(id);
  if (picture == nullptr) return;
  picture->phase = how;
  picture->why = std::move(why);
  ++revision_;
}

}  // namespace dlscope::app
