#include "app/window/commands/hex_work.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "app/models/hex/everywhere_search.h"
#include "app/models/text/format.h"
#include "app/window/commands/tensor_work.h"

namespace dlscope::app {
namespace {

std::string end_text(const HexAnswer& answer) {
  std::string message = answer.task.lists      ? counted(answer.hits.size(), "match", "matches")
                        : answer.found.address ? fmt::format("Found at {}", grouped_address(*answer.found.address))
                                               : "Not found";
  message += fmt::format(": {} searched", human_bytes(answer.found.searched));
  if (answer.found.unreadable > 0) message += fmt::format(", {} of it could not be read", human_bytes(answer.found.unreadable));
  return message + ".";
}

using GoOn = std::function<bool(std::uint64_t done, std::uint64_t total)>;

// pid: the process whose memory is searched; 0: a file's memory or a past moment's, where other mappings are not known.
HexAnswer carry_out_anywhere(const HexTask& task, std::int32_t pid, const core::MemoryReader& reader, const GoOn& go_on) {
  if (!task.search || !task.everywhere) {
    const bool forward = task.search && task.search->forward;
    const std::uint64_t total = !task.search ? 0
                                : forward    ? task.search->last - task.search->from
                                             : task.search->from - task.search->first;
    return carry_out(task, reader, [&](std::uint64_t done) { return go_on(std::min(done, total), total); });
  }
  HexAnswer answer;
  answer.task = task;
  if (pid <= 0) {
    answer.problem = "Searching all memory needs a running Python: choose the tensor or its group here.";
    return answer;
  }
  const auto map = core::AddressMap::load(pid);
  if (map) return search_everywhere(task, *map, reader, go_on);
  answer.problem = "What is mapped in the process cannot be read: " + map.error().message + ".";
  return answer;
}

std::int32_t searched_process(const ApplicationParts& parts) {
  return shows_file(parts) || parts.tensors.views.looks_back() ? 0 : parts.host.pid();
}

// pid: as in carry_out_anywhere().
void start_search(HexTask task, std::shared_ptr<core::MemoryReader> reader, std::int32_t pid, TaskRunner& tasks,
                  HexPanelState& panel) {
  const std::string title = fmt::format("Searching {} for {}", task.subject, task.search->pattern.description());
  const auto answer = std::make_shared<HexAnswer>();
  answer->task = task;
  auto work = [task = std::move(task), reader = std::move(reader), answer,
               pid](TaskProgress& progress) -> core::Result<std::string> {
    const auto go_on = [&](std::uint64_t done, std::uint64_t total) { return progress.report(done, total); };
    *answer = carry_out_anywhere(task, pid, *reader, go_on);
    if (progress.cancelled()) return core::fail(core::ErrorKind::cancelled, {});
    if (!answer->problem.empty()) return core::fail(core::ErrorKind::unsupported, answer->problem);
    progress.report(answer->found.searched, answer->found.searched);
    return end_text(*answer);
  };
  tasks.start(title, TaskUnit::bytes, std::move(work), [&panel, answer](const TaskEntry& entry) {
    answer->cancelled = entry.state == TaskState::cancelled;
    panel.answers.push_back(std::move(*answer));
  });
}

// Drops what was computed from the old bytes. A new scan alone would keep it, because it finds the same memory.
void forget_values(ApplicationParts& parts) {
  parts.tensors.statistics.show({}, 0, {});
  parts.tensors.heatmap.show(IndexPtr(), 0, {});
  parts.host.ask(session_event::ScanAsked{});  // drops comparisons, which belong to one snapshot
}

}  // namespace

void write_bytes(const ByteWrite& write, ApplicationParts& parts) {
  const IndexPtr& index = parts.tensors.views.index();
  const auto answer = [&panel = parts.panels.hex, write](std::string problem) {
    panel.edit.answers.push_back({write, std::move(problem)});
  };
  if (!index || write.tensor >= index->size()) return answer("the tensor no longer exists.");
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
  if (!asked) answer("no Python accepts it.");
}

void work_on_bytes(HexTask task, std::shared_ptr<core::MemoryReader> reader, ApplicationParts& parts) {
  HexPanelState& panel = parts.panels.hex;
  if (!reader) {
    HexAnswer& answer = panel.answers.emplace_back();
    answer.task = std::move(task);
    answer.nobody = true;
    return;
  }
  if (task.long_search && task.search)
    return start_search(std::move(task), std::move(reader), searched_process(parts), parts.tasks, panel);
  const JobKey key{JobKind::bytes, task.search ? 0U : 1U};
  parts.jobs.post(
      Lane::memory,
      [&panel, task = std::move(task), reader = std::move(reader),
       pid = searched_process(parts)](const std::stop_token& stop) -> JobPool::Apply {
        const auto go_on = [&](std::uint64_t, std::uint64_t) { return !stop.stop_requested(); };
        auto answer = std::make_shared<HexAnswer>(carry_out_anywhere(task, pid, *reader, go_on));
        return [&panel, answer] { panel.answers.push_back(std::move(*answer)); };
      },
      key);
}

}  // namespace dlscope::app
