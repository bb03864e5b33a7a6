#include "app/window/snapshot_views.h"

#include <algorithm>
#include <utility>

#include "app/models/focus/focus_words.h"

namespace dlscope::app {

void SnapshotViews::show(core::SnapshotPtr snapshot, SnapshotSource source, std::uint64_t comparable_from) {
  const IndexPtr& now = tensors_.index();
  if (tensors_.query().values) {  // of the tensors that leave
    TableQuery query = tensors_.query();
    query.values = nullptr;
    tensors_.set_query(std::move(query));
  }
  const bool of_files = source.file != nullptr || source_.file != nullptr;
  IndexPtr before = now && !of_files && now->snapshot->info.run >= comparable_from ? now : nullptr;
  jobs_.post(Lane::views,
             [this, snapshot = std::move(snapshot), colours = colours_, shown = std::move(before), source = std::move(source),
              query = tensors_.query()](const std::stop_token& stop) -> JobPool::Apply {
               IndexPtr index = build_index(snapshot, *colours, stop, shown.get());
               if (!index) return {};
               OrderPtr order = order_rows(*index, query, stop);
               if (!order) return {};
               return [this, index, order, source] { accept(index, order, source); };
             },
             {JobKind::index});
}

void SnapshotViews::accept(const IndexPtr& index, OrderPtr order, SnapshotSource source) {
  const bool elsewhere = source.file != source_.file;
  source_ = std::move(source);
  held_ = {};
  notices_.log(Tone::plain, found_sentence(*index));
  previous_ = {tensors_.index(), tensors_.order()};
  tensors_.show(index, std::move(order));
  ++generation_;
  selection_.show(index, elsewhere);
  if (tensors_.stale()) order_rows_by(tensors_.query());
}

void SnapshotViews::sort_values_by(std::shared_ptr<const std::vector<core::ValueSummary>> values) {
  const bool sorted = std::ranges::any_of(tensors_.query().sort, [](const SortKey& key) { return is_of_values(key.column); });
  if (!sorted) values = nullptr;
  if (values == tensors_.query().values) return;
  TableQuery query = tensors_.query();
  query.values = std::move(values);
  order_rows_by(std::move(query));
}

void SnapshotViews::end_frame() {
  if (!previous_.index) return;
  jobs_.post(
      Lane::views, [previous = std::exchange(previous_, {})](const std::stop_token&) { return JobPool::Apply(); }, {},
      JobPriority::later);
}

void SnapshotViews::order_rows_by(TableQuery query) {
  tensors_.set_query(query);
  if (!tensors_.index()) return;
  jobs_.post(Lane::views,
             [this, index = tensors_.index(), shown = tensors_.order(),
              query = std::move(query)](const std::stop_token& stop) -> JobPool::Apply {
               OrderPtr order = order_rows(*index, query, stop, shown.get());
               if (!order) return {};
               return [this, index, order] { tensors_.accept(index, order); };
             },
             {JobKind::rows});
}

void SnapshotViews::find_places_for(std::string query, std::function<void(std::shared_ptr<const FoundPlaces>)> found) {
  if (!tensors_.index()) return;
  jobs_.post(Lane::search,
             [index = tensors_.index(), query = std::move(query), selected = selection_.selected(),
              found = std::move(found)](const std::stop_token& stop) -> JobPool::Apply {
               auto places = find_places(index, query, selected, stop);
               if (!places) return {};
               return [places, found] { found(places); };
             },
             {JobKind::places});
}

const Inspection* SnapshotViews::inspection() {
  const std::uint32_t selected = selection_.selected();
  if (selected == core::kNone32) {
    inspection_.reset();
  } else if (!inspection_ || inspection_->tensor != selected || inspected_generation_ != generation_) {
    inspection_ = inspect(*tensors_.index(), selected);
    inspected_generation_ = generation_;
  }
  return inspection_ ? &*inspection_ : nullptr;
}

}  // namespace dlscope::app
