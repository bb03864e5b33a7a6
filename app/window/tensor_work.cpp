#include "app/window/tensor_work.h"

#include <fmt/core.h>

#include <string>
#include <utility>

#include "app/models/focus/focus_words.h"
#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

using core::wire::WorkOutcome;

using Subject = TensorSubject;

const char* sought_words(core::SoughtValue sought) {
  switch (sought) {
    case core::SoughtValue::special:
      return "NaN, infinite or subnormal";
    case core::SoughtValue::nan:
      return "NaN";
    case core::SoughtValue::infinite:
      return "infinite";
    case core::SoughtValue::equal:
      break;
  }
  return "equal to it";
}

std::string found_words(const Subject& tensor, const core::wire::FindValue& work, const core::ValueMatches& found,
                        core::LayoutView layout) {
  const std::string what = work.sought == core::SoughtValue::equal ? "equal to " + work.text : sought_words(work.sought);
  std::string words = found.matches == 0
                          ? fmt::format("{}: of {} values none is {}", tensor.name, grouped(found.searched), what)
                          : fmt::format("{}: {} of {} values are {}; the first is {}{}", tensor.name, grouped(found.matches),
                                        grouped(found.searched), what, tensor.name, index_text(layout, *found.first));
  if (found.unreadable > 0) words += fmt::format("; {} could not be read", grouped(found.unreadable));
  return words + ".";
}

}  // namespace

std::optional<TensorSubject> selected_subject(const ApplicationParts& parts) {
  const IndexPtr& index = parts.views.index();
  const std::uint32_t tensor = parts.views.selection().selected();
  if (!index || tensor >= index->size()) return std::nullopt;
  return TensorSubject{{index->snapshot->info.revision, tensor}, std::string(index->snapshot->name(index->tensor(tensor)))};
}

bool start_work(ApplicationParts& parts, core::wire::Work work, std::string title, std::function<void(const HostWorkEnded&)> ended) {
  if (parts.host.work().start(std::move(work), std::move(title), {.ended = std::move(ended)}) != 0) return true;
  parts.notices.add(Tone::bad, "No Python process is there to do it. Run or Restart gives a new one.");
  return false;
}

void hold_memory(const command::HoldMemory& hold, ApplicationParts& parts) {
  const auto tensor = selected_subject(parts);
  if (!tensor) return;
  start_work(parts, core::wire::Hold{tensor->ref, hold.pinned}, "Holding " + tensor->name,
        [&parts, name = tensor->name, pinned = hold.pinned](const HostWorkEnded& end) {
          if (end.outcome == WorkOutcome::failed) parts.notices.add(Tone::warn, name + " is not held: " + end.words);
          if (end.outcome != WorkOutcome::done) return;
          parts.notices.add(Tone::plain, name + (pinned ? " is held, also while code runs. " : " is held between runs. ") + end.words,
                            "Release", command::ReleaseMemory{});
        });
}

void release_memory(ApplicationParts& parts) {
  const auto tensor = selected_subject(parts);
  if (!tensor) return;
  const auto lease = parts.host.leases().lease_of(tensor->ref);
  if (!lease) return parts.notices.add(Tone::plain, tensor->name + " is not held by dlscope.");
  start_work(parts, core::wire::Release{*lease}, "Releasing " + tensor->name, [&parts, name = tensor->name](const HostWorkEnded& end) {
    if (end.outcome == WorkOutcome::failed) parts.notices.add(Tone::warn, name + ": " + end.words);
  });
}

void search_values(const command::SearchValues& search, ApplicationParts& parts) {
  const auto tensor = selected_subject(parts);
  if (!tensor) return;
  const core::wire::FindValue work{tensor->ref, search.sought, search.text, 0};
  start_work(parts, work, "Searching " + tensor->name, [&parts, tensor = *tensor, work](const HostWorkEnded& end) {
    if (end.outcome == WorkOutcome::failed)
      return parts.notices.add(Tone::warn, tensor.name + " was not searched: " + end.words + ".");
    const auto* found = std::get_if<core::ValueMatches>(&end.result);
    const IndexPtr& index = parts.views.index();
    // Another look was taken meanwhile: what was found is not of what is shown.
    if (end.outcome != WorkOutcome::done || found == nullptr || !index || index->snapshot->info.revision != tensor.ref.revision) return;
    std::string words = found_words(tensor, work, *found, index->snapshot->layout(index->tensor(tensor.ref.tensor)));
    if (!found->first) return parts.notices.add(Tone::plain, std::move(words));
    parts.notices.add(Tone::warn, std::move(words), "Go there", command::Pin{focus_on(*index, tensor.ref.tensor, *found->first)});
  });
}

}  // namespace dlscope::app
