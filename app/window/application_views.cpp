// The application and what is shown: snapshots made ready for the views, the order of the table, the selection, the pin.
#include <utility>

#include "app/models/focus/focus_words.h"
#include "app/window/application.h"
#include "app/window/application_jobs.h"

namespace dlscope::app {

void Application::show_host(HostStatus status) {
  host_ = std::move(status);
  if (host_.state == HostState::crashed) timeline_.process_crashed();
}

Moment Application::moment() const {
  return index() ? timeline_.moment_of(index()->snapshot->info, shown_process_) : Moment{};
}

void Application::show_snapshot(core::SnapshotPtr snapshot) {
  const IndexPtr& now = tensors_.index();
  IndexPtr before = now && now->snapshot->info.run >= comparable_from_ ? now : nullptr;
  worker_->post(
      [this, snapshot = std::move(snapshot), colours = colours_, shown = std::move(before), process = timeline_.process(),
       query = tensors_.query()](const std::stop_token& stop) -> Worker::Apply {
        IndexPtr index = build_index(snapshot, *colours, stop, shown.get());
        if (!index) return {};
        OrderPtr order = order_rows(*index, query, stop);
        if (!order) return {};
        return [this, index, order, process] { accept_index(index, order, process); };
      },
      job::kIndex);
}

void Application::accept_index(const IndexPtr& index, OrderPtr order, std::uint64_t process) {
  shown_process_ = process;
  held_ = {};
  notices_.log(Tone::plain, found_sentence(*index));
  retired_ = {tensors_.index(), tensors_.order()};
  tensors_.show(index, std::move(order));
  ++generation_;
  hover_ = {};
  const Focus pinned = std::exchange(pinned_, {});
  panels_.memory.reveal = panels_.tensors.scroll_to = core::kNone32;
  const auto again = selected_name_.empty() ? std::nullopt : index->find(selected_name_);
  selected_ = again.value_or(core::kNone32);
  inspection_.reset();
  if (again) inspection_ = inspect(*index, *again);
  const auto other = compared_name_.empty() ? std::nullopt : index->find(compared_name_);
  compared_ = again && other && *other != *again ? *other : core::kNone32;
  if (again && pinned.element) pinned_ = focus_on(*index, *again, *pinned.element);
  // The first tensors ever shown, or the first of another script: one of them is looked at, so that the other views are not empty.
  const bool same_run = retired_.index && retired_.index->snapshot->info.run == index->snapshot->info.run;
  const bool other_script = !index->marks.before && !same_run;
  if (!again && (other_script || (selected_name_.empty() && !shown_any_))) set_selection(index->telling);
  shown_any_ = shown_any_ || index->size() > 0;
  if (tensors_.stale()) ask_rows(tensors_.query());
}

// When the views have let go of it too, that is when they have drawn the new one.
void Application::give_back_retired() {
  if (!retired_.index) return;
  worker_->post([retired = std::exchange(retired_, {})](const std::stop_token&) { return Worker::Apply(); });
}

void Application::ask_rows(TableQuery query) {
  tensors_.set_query(query);
  if (!tensors_.index()) return;
  worker_->post(
      [this, index = tensors_.index(), shown = tensors_.order(),
       query = std::move(query)](const std::stop_token& stop) -> Worker::Apply {
        OrderPtr order = order_rows(*index, query, stop, shown.get());
        if (!order) return {};
        return [this, index, order] { tensors_.accept(index, order); };
      },
      job::kRows);
}

void Application::find_places_for(std::string query) {
  if (!tensors_.index()) return;
  worker_->post(
      [this, index = tensors_.index(), query = std::move(query),
       selected = selected_](const std::stop_token& stop) -> Worker::Apply {
        auto found = find_places(index, query, selected, stop);
        if (!found) return {};
        return [this, found] { panels_.palette.places = found; };
      },
      job::kFind);
}

void Application::set_selection(std::uint32_t tensor) {
  const IndexPtr& index = tensors_.index();
  const bool known = index && tensor < index->size();
  const std::uint32_t before = selected_;
  selected_ = known ? tensor : core::kNone32;
  if (!known || tensor != pinned_.tensor) pinned_ = {};
  selected_name_ = known ? std::string(index->snapshot->name(index->tensor(tensor))) : std::string();
  inspection_.reset();
  if (!known) return compare_with(core::kNone32);
  if (tensor == compared_) compare_with(before);  // the two change places
  inspection_ = inspect(*index, tensor);
  panels_.memory.reveal = panels_.tensors.scroll_to = tensor;
}

void Application::compare_with(std::uint32_t tensor) {
  const IndexPtr& index = tensors_.index();
  const bool known = index && tensor < index->size();
  if (known && selected_ == core::kNone32) return set_selection(tensor);
  compared_ = known && tensor != selected_ && tensor != compared_ ? tensor : core::kNone32;
  compared_name_ = compared_ != core::kNone32 ? std::string(index->snapshot->name(index->tensor(tensor))) : std::string();
}

void Application::pin(const Focus& focus) {
  if (!tensors_.index() || focus.tensor >= tensors_.index()->size()) return;
  if (focus.tensor != selected_) set_selection(focus.tensor);
  pinned_ = focus;
}

void Application::read_values(ValueTask task) {
  const int kind = job::kValues + static_cast<int>(task.kind);
  worker_->post(
      [this, task = std::move(task), reader = moment().since == Since::ended ? nullptr : reader_](const std::stop_token& stop) -> Worker::Apply {
        auto answer = std::make_shared<ValueAnswer>();
        if (reader)
          *answer = app::carry_out(task, *reader, stop);
        else
          answer->nobody = true;
        return [this, answer] { panels_.values.answers.push_back(std::move(*answer)); };
      },
      kind);
}

void Application::select(const std::string& name_path) {
  selected_name_ = name_path;
  if (!tensors_.index()) return;
  if (const auto found = tensors_.index()->find(name_path)) set_selection(*found);
}

}  // namespace dlscope::app
