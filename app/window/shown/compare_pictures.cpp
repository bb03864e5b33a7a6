#include "app/window/shown/compare_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "app/models/focus/focus_text.h"
#include "app/models/jobs/own_task.h"
#include "app/models/text/name_path.h"
#include "app/window/application_parts.h"
#include "core/compare/find_mismatch.h"

namespace dlscope::app {
namespace {

std::string name_of(const core::SnapshotTensor& one) {
  return shortened_name(one.snapshot->name(one.snapshot->tensors[one.tensor]), 60);
}

}  // namespace

void ComparePictures::compare_with(const command::CompareWithMoment& with, ApplicationParts& parts) {
  const IndexPtr& index = parts.tensors.views.index();
  const std::uint32_t selected = parts.tensors.views.selection().selected();
  moment_ = 0;
  file_.close(parts);
  if (!index || selected >= index->size()) return;
  const std::string name = shortened_name(index->snapshot->name(index->tensor(selected)), 60);
  if (!with.newest_before) {
    moment_ = with.moment;
  } else {
    const std::uint64_t shown = parts.tensors.views.source().moment;
    for (const auto& [number, kept] : parts.past.remembered.moments()) {
      if (number < shown && kept->bytes_by_name(*index->snapshot, index->tensor(selected)) != nullptr) moment_ = number;
    }
    if (moment_ == 0)
      return parts.notices.add(Tone::warn, fmt::format("{} cannot be compared with an earlier moment: no earlier bytes of it are "
                                                       "kept. Remember it (row menu) before the code that changes it runs.",
                                                       name));
  }
  selected_name_ = parts.tensors.views.selection().selected_name();
  compared_ = parts.tensors.views.selection().compared();
  if (moment_ == 0) return;
  parts.panels.menu.show[ActionContext::compare] = true;
  parts.panels.compare.bring_up = true;
}

void ComparePictures::compare_with(const command::CompareWithFile& with, ApplicationParts& parts) {
  moment_ = 0;
  if (with.path.empty()) return file_.close(parts);
  parts.tensors.views.selection().compare(core::kNone32);
  file_.open(with.path, parts);
  parts.panels.menu.show[ActionContext::compare] = true;
  parts.panels.compare.bring_up = true;
}

// A and B of what is shown; B of the file, where one is chosen.
void ComparePictures::choose_shown(const ApplicationParts& parts) {
  const IndexPtr& index = parts.tensors.views.index();
  const Selection& selection = parts.tensors.views.selection();
  const Moment moment = moment_of(parts);
  const auto side = [&](std::uint32_t tensor, ComparedSide& to, core::SnapshotTensor& of) {
    if (!index || tensor >= index->size()) return;
    const TensorState state = state_of(moment, parts.tensors.views.held().contains(tensor));
    to.snapshot = index->snapshot.get();
    to.tensor = tensor;
    to.reader = parts.tensors.seen->through(shown_memory(parts).for_frames());
    to.why_not = why_not_read(moment, state);
    to.own = bytes_are_its_own(state);
    of = {index->snapshot, tensor, shown_memory(parts).for_workers()};
  };
  in_host_ = !shows_file(parts) && !parts.tensors.views.looks_back() && parts.host.exists() && !file_.is_chosen();
  if (moment_ == 0) side(selection.selected(), sides_.a, of_a_);
  if (file_.is_chosen()) return file_.fill(sides_, of_b_);
  side(moment_ == 0 ? selection.compared() : selection.selected(), sides_.b, of_b_);
}

// Gets the moment's snapshot, in a job where it has to be unpacked.
void ComparePictures::unpack(const KeptMomentPtr& moment, JobPool& jobs) {
  then_ = moment;
  then_snapshot_ = moment && moment->is_whole() ? moment->snapshot() : nullptr;
  if (!moment || then_snapshot_) return;
  jobs.post(Lane::views, [this, moment](const std::stop_token&) -> JobPool::Apply {
    return [this, moment, snapshot = moment->snapshot()] {
      if (then_ == moment) then_snapshot_ = snapshot;
    };
  });
}

void ComparePictures::choose_remembered(ApplicationParts& parts) {
  const RememberedMomentPtr kept = parts.past.remembered.find(moment_);
  const KeptMomentPtr moment = parts.past.history.find(moment_);
  if (std::exchange(kept_, kept) != kept) kept_reader_ = kept ? remembered_reader(kept) : nullptr;
  in_host_ = false;
  if (!sides_.b.exists() || !kept || !moment) return;
  const RememberedTensor* const then = kept->bytes_by_name(*sides_.b.snapshot, sides_.b.record());
  if (then == nullptr) return;
  if (then_ != moment) unpack(moment, parts.jobs);
  sides_.preparing = !then_snapshot_;
  if (!then_snapshot_ || then->tensor >= then_snapshot_->tensors.size()) return;
  sides_.a.snapshot = then_snapshot_.get();
  sides_.a.tensor = then->tensor;
  sides_.a.reader = kept_reader_.get();
  sides_.a.when = "as it was at " + moment->title;
  of_a_ = {then_snapshot_, then->tensor, kept_reader_};
}

bool ComparePictures::follow(ApplicationParts& parts) {
  const Selection& selection = parts.tensors.views.selection();
  // The selection has changed: the chosen moment no longer applies.
  if (moment_ != 0 && (selection.selected_name() != selected_name_ ||
                       (selection.compared() != core::kNone32 && selection.compared() != compared_)))
    moment_ = 0;
  if (selection.compared() != core::kNone32) file_.close(parts);
  file_.follow(selection.selected_name(), parts);
  const core::SnapshotTensor a = std::exchange(of_a_, {}), b = std::exchange(of_b_, {});
  const std::uint64_t revision = sides_.revision, process = std::exchange(process_, parts.tensors.views.source().process);
  sides_ = {};
  choose_shown(parts);
  if (moment_ != 0)
    choose_remembered(parts);
  else
    unpack(nullptr, parts.jobs);
  sides_.moment = moment_;
  const auto is_same = [](const core::SnapshotTensor& x, const core::SnapshotTensor& y) {
    return x.snapshot == y.snapshot && x.tensor == y.tensor && (x.memory == nullptr) == (y.memory == nullptr);
  };
  sides_.revision = revision + (is_same(a, of_a_) && is_same(b, of_b_) && process == process_ ? 0 : 1);
  const auto reader_of = [&](const core::SnapshotTensor& one) { return in_host_ ? nullptr : one.memory; };
  a_.show(of_a_.snapshot, sides_.revision, reader_of(of_a_));
  b_.show(of_b_.snapshot, sides_.revision, reader_of(of_b_));
  difference_.show(of_a_.snapshot, sides_.revision, reader_of(of_a_), of_b_);
  sides_.pictures = {&a_.store(), &b_.store(), &difference_.store()};
  bool changed = sides_.revision != revision;
  for (HeatmapWork* const work : {&a_, &b_, &difference_}) changed = work->update() || changed;
  return changed;
}

void ComparePictures::draw(const command::DrawComparison& draw) {
  if (!sides_.may_be_read()) return;
  HeatmapWork* const works[] = {&a_, &b_, &difference_};
  const bool own = draw.picture == ComparePicture::a   ? sides_.a.own
                   : draw.picture == ComparePicture::b ? sides_.b.own
                                                       : sides_.own();
  works[static_cast<std::size_t>(draw.picture)]->compute(draw.request, own);
}

void ComparePictures::find_mismatch(const command::FindMismatch& find, ApplicationParts& parts) {
  ComparePanelState& panel = parts.panels.compare;
  if (search_ != 0) parts.tasks.cancel(std::exchange(search_, 0));
  if (!sides_.both() || !sides_.may_be_read()) return;
  panel.search_revision = sides_.revision;
  panel.search_code_began = moment_of(parts).code_began;
  auto made = core::FindMismatchTask::make(of_a_, of_b_, find.from, find.forward);
  if (!made) {
    panel.search_message = "Not searched: " + made.error().message + ".";
    return;
  }
  panel.search_message = "searching …";
  const std::shared_ptr<core::FindMismatchTask> task = std::move(*made);
  search_ = parts.tasks.start(
      fmt::format("{} difference of {} and {}", find.forward ? "Next" : "Previous", name_of(of_a_), name_of(of_b_)),
      TaskUnit::elements, [task](TaskProgress& progress) { return carry_out_task(*task, progress); },
      [this, &parts, task, find, revision = sides_.revision](const TaskEntry& end) {
        std::string& said = parts.panels.compare.search_message;
        parts.tasks.list().forget(end.id);
        if (search_ != 0 && search_ != end.id) return;  // a later one is under way, and the message is about it
        search_ = 0;
        if (revision != sides_.revision || end.state == TaskState::cancelled) return said.clear();
        if (end.state != TaskState::done) {
          said = "Not searched to the end: " + end.message + ".";
          return;
        }
        said = !task->found()        ? "no value differs"
               : task->wrapped_around() ? find.forward ? "went on from the beginning" : "went on from the end"
                                    : "";
        const IndexPtr& index = parts.tensors.views.index();
        const std::uint32_t shown = parts.tensors.views.selection().selected();
        if (task->found() && index && shown < index->size())
          parts.tensors.views.selection().pin(focus_on(*index, shown, *task->found()));
      });
}

}  // namespace dlscope::app
