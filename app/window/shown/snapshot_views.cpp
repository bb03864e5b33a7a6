#include "app/window/shown/snapshot_views.h"

#include <algorithm>
#include <utility>

#include "app/models/focus/focus_text.h"

namespace dlscope::app {
namespace {

std::string title_and_time(const KeptMoment& moment) { return moment.title + ", " + moment.time; }

}  // namespace

TableQuery SnapshotViews::query_without_values() const {
  TableQuery query = tensors_.query();
  query.values = nullptr;
  return query;
}

void SnapshotViews::show(core::SnapshotPtr snapshot, SnapshotSource source, std::uint64_t comparable_from) {
  if (tensors_.query().values) tensors_.set_query(query_without_values());  // they are of the previous tensors
  // The look counts when it is complete: until then its marks are of the same bases, and no group keeps a colour.
  const bool unfinished = snapshot->sharing_not_yet();
  LastLooks until_then = looks_;
  LastLooks& looks = unfinished ? until_then : looks_;
  MarkBases bases = source.file ? MarkBases{} : looks.next(snapshot, source.stop, comparable_from);
  // The colours of a file are its own: those of the script's groups are kept for its next snapshot.
  auto colours = source.file || unfinished ? std::make_shared<GroupColours>() : colours_;
  jobs_.post(Lane::views,
             [this, snapshot = std::move(snapshot), colours = std::move(colours), bases = std::move(bases),
              source = std::move(source), query = tensors_.query()](const std::stop_token& stop) -> JobPool::Apply {
               IndexPtr index = build_index(snapshot, *colours, stop, bases);
               if (!index) return {};
               OrderPtr order = order_rows(*index, query, stop);
               if (!order) return {};
               return [this, index, order, source] { accept({index, order, source}); };
             },
             {JobKind::index});
}

void SnapshotViews::accept(Prepared newest) {
  if (!newest.source.file) notices_.log_events(*newest.index->snapshot);
  notices_.log(Tone::plain, found_sentence(*newest.index));
  if (!newest.source.file && !newest.index->snapshot->sharing_not_yet()) indexed_(*newest.index);
  const bool opens = newest.source.file && !newest_source().file, leaves = !newest.source.file && newest_source().file;
  const bool elsewhere = newest.source.file != newest_source().file;
  if (opens) save_script_view();
  if (leaves) destroy_in_a_job(std::exchange(script_view_.shown, {}));
  if (newest.source.file && past_requested_) {
    jobs_.cancel({JobKind::past_index});
    past_requested_ = false;
  }
  if (looks_back() && past_requested_) {
    std::swap(newest_, newest);
    destroy_in_a_job(std::move(newest));
    return;
  }
  if (leaves) selection_.select(script_view_.selected);
  present(std::move(newest), elsewhere ? Selection::From::elsewhere : Selection::From::next_look);
}

void SnapshotViews::save_script_view() {
  script_view_.shown = looks_back() ? std::exchange(newest_, {}) : Prepared{tensors_.index(), tensors_.order(), source_};
  script_view_.selected = selection_.selected_name();
}

void SnapshotViews::present(Prepared prepared, Selection::From from) {
  if (!prepared.source.looks_back) newest_ = {};
  source_ = std::move(prepared.source);
  held_ = {};
  previous_ = {tensors_.index(), tensors_.order()};
  tensors_.show(prepared.index, std::move(prepared.order));
  ++generation_;
  selection_.show(prepared.index, from);
  if (tensors_.stale()) order_rows_by(tensors_.query());
}

void SnapshotViews::look_back(KeptMomentPtr moment, const KeptMomentPtr& against_then, const KeptMomentPtr& base) {
  past_requested_ = true;
  MarkedAgainst against;
  if (base) against = {base->number, title_and_time(*base), base->process == moment->process, nullptr};
  jobs_.post(Lane::views,
             [this, moment = std::move(moment), base, against_then, against = std::move(against), colours = colours_,
              query = query_without_values()](const std::stop_token& stop) mutable -> JobPool::Apply {
               MarkBases bases;
               if (base)
                 against.base = base->snapshot();
               else if (against_then)
                 bases.run = against_then->snapshot();
               IndexPtr index = build_past_index(moment->snapshot(), moment->look().colours, *colours, bases, against, stop);
               if (!index) return {};
               OrderPtr order = order_rows(*index, query, stop);
               if (!order) return {};
               return [this, index, order, source = SnapshotSource{moment->process, nullptr, moment->number, true}] {
                 if (!looks_back()) newest_ = {tensors_.index(), tensors_.order(), source_};
                 if (tensors_.query().values) tensors_.set_query(query_without_values());
                 present({index, order, source}, Selection::From::another_moment);
               };
             },
             {JobKind::past_index});
}

void SnapshotViews::back_to_now() {
  jobs_.cancel({JobKind::past_index});
  past_requested_ = false;
  if (!looks_back()) return;
  present(std::exchange(newest_, {}), Selection::From::another_moment);
}

bool SnapshotViews::back_to_script(const core::SnapshotPtr& snapshot) {
  if (!source_.file || !script_view_.shown.index || script_view_.shown.index->snapshot != snapshot) return false;
  jobs_.cancel({JobKind::index});  // of another file
  if (tensors_.query().values) tensors_.set_query(query_without_values());
  selection_.select(script_view_.selected);
  present(std::exchange(script_view_.shown, {}), Selection::From::elsewhere);
  return true;
}

void SnapshotViews::mark_newest_against(const KeptMomentPtr& base) {
  const IndexPtr& now = newest_index();
  if (looks_back() || !now || source_.file) return;
  MarkedAgainst against;
  if (base) against = {base->number, title_and_time(*base), base->process == source_.process, nullptr};
  jobs_.post(Lane::views,
             [this, now, base, against = std::move(against), colours = colours_, query = tensors_.query(),
              source = source_](const std::stop_token& stop) mutable -> JobPool::Apply {
               if (base) against.base = base->snapshot();
               IndexPtr index = build_past_index(now->snapshot, now->colours, *colours, now->bases, against, stop);
               if (!index) return {};
               OrderPtr order = order_rows(*index, query, stop);
               if (!order) return {};
               return [this, now, index, order, source] {
                 if (tensors_.index() == now) return present({index, order, source}, Selection::From::another_moment);
                 if (newest_.index != now) return;
                 destroy_in_a_job({std::exchange(newest_.index, index), std::exchange(newest_.order, order)});
               };
             },
             {JobKind::newest_marks});
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
  if (previous_.index || previous_.order) destroy_in_a_job(std::exchange(previous_, {}));
}

void SnapshotViews::destroy_in_a_job(Prepared shown) {
  jobs_.post(
      Lane::views, [shown = std::move(shown)](const std::stop_token&) { return JobPool::Apply(); }, {}, JobPriority::later);
}

void SnapshotViews::order_rows_by(TableQuery query) {
  tensors_.set_query(query);
  if (!tensors_.index()) return;
  jobs_.post(Lane::views,
             [this, index = tensors_.index(), shown = tensors_.order(),
              query = std::move(query)](const std::stop_token& stop) -> JobPool::Apply {
               OrderPtr order = order_rows(*index, query, stop, shown.get());
               if (!order) return {};
               return [this, index, order] {
                 previous_.order = tensors_.order();
                 tensors_.accept(index, order);
               };
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
