#include "app/window/commands/tensor_work.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "app/models/focus/focus_text.h"
#include "app/models/host/act_refusal.h"
#include "app/models/jobs/own_task.h"
#include "app/models/text/format.h"
#include "app/models/values/not_a_time.h"
#include "app/window/commands/code_since.h"
#include "core/inventory/field_view.h"
#include "core/inventory/tensor_numbers.h"
#include "core/inventory/tensor_sign_bits.h"
#include "core/search/find_value.h"
#include "core/search/searched_values.h"
#include "core/tensor/typed_item.h"

namespace dlscope::app {
namespace {

using core::wire::WorkOutcome;

using Subject = TensorSubject;

const char* sought_text(core::SearchedValue sought) {
  switch (sought) {
    case core::SearchedValue::special:
      return "NaN, infinite or subnormal";
    case core::SearchedValue::non_finite:
      return "NaN or infinite";
    case core::SearchedValue::subnormal:
      return "subnormal";
    case core::SearchedValue::nan:
      return "NaN";
    case core::SearchedValue::infinite:
      return "infinite";
    case core::SearchedValue::equal:
      break;
  }
  return "equal to it";
}

// Of dates and durations, which may be typed in several ways, as the values show it; NaT is their only special value.
std::string sought_description(const ShownValues& values, const core::wire::FindValue& work) {
  const core::FieldLayout* const time = time_field(*values.snapshot(), values.record());
  const bool is_equal = work.sought == core::SearchedValue::equal;
  if (time == nullptr) return is_equal ? "equal to " + work.text : sought_text(work.sought);
  if (!is_equal) return "NaT";
  const auto item = core::typed_item(*time, work.text);
  return "equal to " + (item ? core::format_field(*time, *item) : work.text);
}

std::string found_description(const ShownValues& values, const core::wire::FindValue& work, const core::ValueMatches& found) {
  const std::string name(values.snapshot()->name(values.record()));
  const bool is_number = work.sought == core::SearchedValue::equal;
  std::string what = sought_description(values, work);
  // The values may be shown as they are stored; what is special is so either way.
  if (is_number && sign_bits_of(*values.snapshot(), values.record()).any()) what += " as the library means them";
  std::string wording = found.matches == 0
                            ? fmt::format("{}: of {} none is {}", name, counted(found.searched, "value", "values"), what)
                            : fmt::format("{}: {} of {} {}; {} is {}{}", name, grouped(found.matches),
                                          counted(found.searched, "value", "values"),
                                          (found.matches == 1 ? "is " : "are ") + what,
                                          found.matches == 1 ? "it" : "the first", name,
                                          index_text(values.layout(), *found.first));
  if (found.unreadable > 0) wording += fmt::format("; {} could not be read", grouped(found.unreadable));
  return wording + ".";
}

}  // namespace

std::optional<TensorSubject> selected_subject(const ApplicationParts& parts) {
  const IndexPtr& index = parts.tensors.views.index();
  const std::uint32_t tensor = parts.tensors.views.selection().selected();
  if (!index || tensor >= index->size()) return std::nullopt;
  return TensorSubject{{index->snapshot->info.revision, tensor}, std::string(index->snapshot->name(index->tensor(tensor)))};
}

bool start_work(ApplicationParts& parts, core::wire::Work work, std::string title,
                std::function<void(const HostWorkEnded&)> ended) {
  const Moment moment = moment_of(parts);
  const char* const gone = moment.since == Since::ended ? kItsPythonHasEnded : nullptr;
  if (const char* const why_not = gone != nullptr ? gone : why_not_asked(moment)) {
    parts.notices.add(Tone::warn, why_not);
    return false;
  }
  if (parts.host.work().start(std::move(work), std::move(title), {.ended = std::move(ended)}) != 0) return true;
  parts.notices.add(Tone::bad, "No Python process is there to do it. Run or Restart gives a new one.");
  return false;
}

void hold_memory(const command::HoldMemory& hold, ApplicationParts& parts) {
  const auto tensor = selected_subject(parts);
  if (!tensor) return;
  const std::uint64_t run = moment_of(parts).run;
  start_work(parts, core::wire::Hold{tensor->ref, hold.pinned}, "Holding " + tensor->name,
             [&parts, name = tensor->name, pinned = hold.pinned, run](const HostWorkEnded& end) {
               if (end.outcome == WorkOutcome::failed) parts.notices.add(Tone::warn, name + " is not held: " + end.message);
               if (end.outcome != WorkOutcome::done) return;
               const command::ReleaseMemory release{end.id, name};  // the lease has this work's number
               if (!pinned)
                 return parts.notices.add(Tone::plain, name + " is held between runs. " + end.message, "Release", release);
               // The next run may give the name to another tensor: then nothing else leads to this one, which stays held.
               const std::string which = fmt::format("{}, as of run {}, is held, also while code runs.", name, run);
               parts.notices.offer(Tone::plain, which + " " + end.message, "Release", release);
             });
}

void release_memory(const command::ReleaseMemory& release, ApplicationParts& parts) {
  const LeaseList& leases = parts.host.leases();
  std::string name = release.name;
  std::optional<std::uint64_t> lease;
  if (release.lease != 0) {
    if (leases.has(release.lease)) lease = release.lease;
  } else {
    const auto tensor = selected_subject(parts);
    if (!tensor) return;
    name = tensor->name;
    lease = leases.lease_of(tensor->ref);
  }
  if (!lease) return parts.notices.add(Tone::plain, name + " is not held by dlscope.");
  start_work(parts, core::wire::Release{*lease}, "Releasing " + name, [&parts, name](const HostWorkEnded& end) {
    if (end.outcome == WorkOutcome::failed) parts.notices.add(Tone::warn, name + ": " + end.message);
  });
}

namespace {

// What is searched, and what was known of it when the search began.
struct Searched {
  Subject tensor;
  core::wire::FindValue work;
  ShownValues values;  // the tensor, or the field of it that is shown
  SnapshotSource source;
  std::uint64_t generation = 0;
  std::string moment;  // "as of run 8"
  std::string doubt;   // why the values may not be the tensor's, as a sentence; "": they are its own
  CodeSince code;
};

Searched searched_now(Subject tensor, core::wire::FindValue work, ApplicationParts& parts) {
  const Moment moment = moment_of(parts);
  const TensorState state = state_of(moment, parts.tensors.views.held().contains(tensor.ref.tensor));
  std::string doubt;
  if (!bytes_are_its_own(state))
    doubt = fmt::format(" It was {}: these may be other values.", state_text(moment, state));
  else if (!surely_its_own(moment, state))
    doubt = fmt::format(" Since it was described {}: these may be other values.", since_description(moment));
  return {.tensor = std::move(tensor),
          .work = std::move(work),
          .values = parts.tensors.values(),
          .source = parts.tensors.views.source(),
          .generation = parts.tensors.views.generation(),
          .moment = moment_description(moment),
          .doubt = std::move(doubt),
          .code = CodeSince(parts)};
}

// Tells what a search found, whatever is on the screen by now.
void tell_found(ApplicationParts& parts, const Searched& searched, const core::ValueMatches& found) {
  std::string wording = found_description(searched.values, searched.work, found);
  if (!searched.doubt.empty())
    wording += searched.doubt;
  else if (searched.code.ran())
    wording += " Code ran while it was searched: the values may be from before and after, or other data.";
  if (parts.tensors.views.generation() != searched.generation) {
    wording += " Other tensors are shown by now than those that were searched";
    wording += searched.moment.empty() ? "." : fmt::format(" ({}).", searched.moment);
  }
  if (!found.first) return parts.notices.add(Tone::plain, std::move(wording));
  const SnapshotSource& source = searched.source;
  const bool in_field = searched.values.field != core::kNone16;
  const std::string name =
      in_field ? std::string(searched.values.snapshot()->name(searched.values.record())) : searched.tensor.name;
  command::GoToFound there{name, *found.first, source.process, source.looks_back ? source.moment : 0};
  parts.notices.add(Tone::warn, std::move(wording), "Go there", std::move(there));
}

void search_in_file(const Subject& tensor, const core::wire::FindValue& work, ApplicationParts& parts) {
  const auto refuse = [&](const std::string& why) {
    parts.notices.add(Tone::warn, tensor.name + " was not searched: " + why + ".");
  };
  const core::TensorPart part = parts.tensors.values().part;
  const core::SnapshotPtr& snapshot = part.snapshot;
  const core::TensorRecord& record = part.record();
  if (!record.has_layout) return refuse("where its elements lie is not known");
  const auto test = core::value_test(*snapshot, record, work.sought, work.text);
  if (!test) return refuse(test.error().message);
  const auto task =
      std::make_shared<core::FindValueTask>(snapshot, part.tensor, shown_memory(parts).for_workers(), *test, work.from);
  parts.tasks.start(
      "Searching " + tensor.name, TaskUnit::bytes,
      [task](TaskProgress& progress) { return carry_out_task(*task, progress); },
      [&parts, task, searched = searched_now(tensor, work, parts)](const TaskEntry& end) {
        if (end.state == TaskState::done) tell_found(parts, searched, task->found());
        if (end.state == TaskState::failed)
          parts.notices.add(Tone::warn, searched.tensor.name + " was not searched: " + end.message + ".");
      });
}

}  // namespace

void search_values(const command::SearchValues& search, ApplicationParts& parts) {
  auto tensor = selected_subject(parts);
  if (!tensor) return;
  tensor->ref.field = parts.tensors.values().field;
  const core::wire::FindValue work{tensor->ref, search.sought, search.text, 0};
  if (shows_file(parts) || parts.tensors.views.looks_back()) return search_in_file(*tensor, work, parts);
  start_work(parts, work, "Searching " + tensor->name,
             [&parts, searched = searched_now(*tensor, work, parts)](const HostWorkEnded& end) {
               if (end.outcome == WorkOutcome::failed)
                 return parts.notices.add(Tone::warn, searched.tensor.name + " was not searched: " + end.message + ".");
               const auto* found = std::get_if<core::ValueMatches>(&end.result);
               if (end.outcome == WorkOutcome::done && found != nullptr) tell_found(parts, searched, *found);
             });
}

void go_to_found(const command::GoToFound& found, ApplicationParts& parts) {
  const SnapshotSource& source = parts.tensors.views.source();
  if (source.process != found.process || (source.looks_back ? source.moment : 0) != found.moment)
    return parts.notices.add(
        Tone::plain, found.name + " was searched in other tensors than those shown now (another moment, file or Python).");
  const IndexPtr& index = parts.tensors.views.index();
  // The name is that of a field, where one was searched: it is gone to while that field is shown.
  const ShownValues& shown = parts.tensors.values();
  if (shown.field != core::kNone16 && shown.snapshot()->name(shown.record()) == found.name &&
      found.element < shown.record().elements)
    return parts.tensors.views.selection().pin(shown.focus_on(found.element));
  const auto tensor = index ? index->find(found.name) : std::nullopt;
  if (!tensor || found.element >= index->tensor(*tensor).elements)
    return parts.notices.add(Tone::plain, found.name + " is no longer there, or not shown, or smaller now.");
  parts.tensors.views.selection().pin(focus_on(*index, *tensor, found.element));
}

}  // namespace dlscope::app
