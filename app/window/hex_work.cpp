#include "app/window/hex_work.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "app/models/text/format.h"
#include "app/window/tensor_work.h"

namespace dlscope::app {
namespace {

std::string words_of(const HexAnswer& answer) {
  std::string message = answer.found.address ? fmt::format("Found at {}", grouped_address(*answer.found.address)) : "Not found";
  message += fmt::format(": {} searched", human_bytes(answer.found.searched));
  if (answer.found.unreadable > 0) message += fmt::format(", {} of it could not be read", human_bytes(answer.found.unreadable));
  return message + ".";
}

void start_search(HexTask task, std::shared_ptr<core::MemoryReader> reader, ApplicationParts& parts) {
  const ByteSearch& search = *task.search;
  const std::uint64_t total = search.forward ? search.last - search.from : search.from - search.first;
  const std::string title = fmt::format("Searching {} for {}", task.subject, search.pattern.description());
  const auto answer = std::make_shared<HexAnswer>(HexAnswer{.task = task, .found = {}, .text = {}});
  auto work = [task = std::move(task), reader = std::move(reader), answer,
               total](TaskProgress& progress) -> core::Result<std::string> {
    *answer = carry_out(task, *reader, [&](std::uint64_t done) { return progress.report(std::min(done, total), total); });
    if (progress.cancelled()) return core::fail(core::ErrorKind::cancelled, {});
    progress.report(total, total);
    return words_of(*answer);
  };
  parts.tasks.start(title, TaskUnit::bytes, std::move(work), [&panel = parts.panels.hex, answer](const TaskEntry& entry) {
    answer->cancelled = entry.state == TaskState::cancelled;
    panel.answers.push_back(std::move(*answer));
  });
}

// What was worked out of bytes that are others now: another look at the same memory would find it again.
void forget_values(ApplicationParts& parts) {
  parts.statistics.show({}, 0, {});
  parts.heatmap.show(IndexPtr(), 0, {});
  parts.host.ask(session_event::ScanAsked{});  // comparisons are of one look at the tensors
}

}  // namespace

void write_bytes(const ByteWrite& write, ApplicationParts& parts) {
  const IndexPtr& index = parts.views.index();
  const auto answer = [&panel = parts.panels.hex, write](std::string problem) {
    panel.edit.answers.push_back({write, std::move(problem)});
  };
  if (!index || write.tensor >= index->size()) return answer("the tensor is not there any more.");
  if (const std::string why = why_not_armed(*index, write.tensor, moment_of(parts)); !why.empty()) return answer(why);
  core::wire::WriteBytes work{
      {index->snapshot->info.revision, write.tensor}, write.edit.address, write.edit.before, write.edit.after};
  const bool asked =
      start_work(parts, std::move(work), "Writing " + write.edit.place, [&parts, answer](const HostWorkEnded& end) {
        if (end.outcome == core::wire::WorkOutcome::cancelled) return answer("it was cancelled.");
        if (end.outcome == core::wire::WorkOutcome::failed)
          return answer(end.message.ends_with('.') ? end.message : end.message + ".");
        answer({});
        parts.notices.log(Tone::warn, "Written by hand: " + end.message);
        forget_values(parts);
      });
  if (!asked) answer("no Python takes it.");
}

void work_on_bytes(HexTask task, std::shared_ptr<core::MemoryReader> reader, ApplicationParts& parts) {
  HexPanelState& panel = parts.panels.hex;
  if (!reader) {
    panel.answers.push_back({.task = std::move(task), .found = {}, .text = {}, .nobody = true});
    return;
  }
  if (task.long_search && task.search) return start_search(std::move(task), std::move(reader), parts);
  const JobKey key{JobKind::bytes, task.search ? 0U : 1U};
  parts.jobs.post(
      Lane::memory,
      [&panel, task = std::move(task), reader = std::move(reader)](const std::stop_token& stop) -> JobPool::Apply {
        auto answer =
            std::make_shared<HexAnswer>(carry_out(task, *reader, [&](std::uint64_t) { return !stop.stop_requested(); }));
        return [&panel, answer] { panel.answers.push_back(std::move(*answer)); };
      },
      key);
}

}  // namespace dlscope::app
