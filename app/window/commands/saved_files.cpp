#include "app/window/commands/saved_files.h"

#include <algorithm>
#include <utility>

#include "app/files/output_file.h"

namespace dlscope::app {
namespace {

// Reports the outcome as a notice, because the panel may be hidden.
TaskRunner::Ended tell(Notices& notices) {
  return [&notices](const TaskEntry& task) {
    if (task.state == TaskState::cancelled)
      notices.log(Tone::plain, "Cancelled: " + task.title + ".");
    else
      notices.add(task.state == TaskState::done ? Tone::good : Tone::bad, task.message);
  };
}

// For the progress: the lists of a report have one record on each line (core/report).
std::uint64_t record_count(const core::Snapshot& snapshot) {
  return snapshot.tensors.size() + snapshot.groups.size() + snapshot.pairs.size() + snapshot.events.size() +
         snapshot.copies.size() + snapshot.libraries.size() + snapshot.devices.size() + snapshot.limits.size();
}

}  // namespace

void save_report(TaskRunner& tasks, Notices& notices, core::ReportInput input, core::SnapshotPtr snapshot,
                 const std::string& path) {
  auto work = [input = std::move(input), snapshot = std::move(snapshot),
               path](TaskProgress& progress) -> core::Result<std::string> {
    core::ReportInput whole = input;
    whole.snapshot = snapshot.get();
    auto file = OutputFile::open(path);
    if (!file) return std::unexpected(file.error());
    const std::uint64_t total = snapshot ? record_count(*snapshot) : 0;
    std::uint64_t lines = 0;
    const auto written = file->write([&](const core::JsonSink& sink) {
      return core::write_report(whole, [&](std::string_view text) {
        lines += static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
        return progress.report(std::min(lines, total), total) && sink(text);
      });
    });
    if (!written) return std::unexpected(written.error());
    progress.report(total, total);
    return "The report was saved as " + path + ".";
  };
  tasks.start("Saving the report as " + path, TaskUnit::records, std::move(work), tell(notices), Lane::disk_tasks);
}

void save_text(TaskRunner& tasks, Notices& notices, const std::string& what, std::string text, const std::string& path) {
  auto work = [what, text = std::move(text), path](TaskProgress&) -> core::Result<std::string> {
    const auto written = write_file(path, text);
    if (!written) return std::unexpected(written.error());
    return what + " was saved as " + path + ".";
  };
  tasks.start("Saving " + path, TaskUnit::none, std::move(work), tell(notices), Lane::disk_tasks);
}

void save_picture(TaskRunner& tasks, Notices& notices, std::function<core::Result<void>()> write, const std::string& path) {
  auto work = [write = std::move(write), path](TaskProgress&) -> core::Result<std::string> {
    const auto written = write();
    if (!written) return std::unexpected(written.error());
    return "The picture was saved as " + path + ".";
  };
  tasks.start("Saving a picture as " + path, TaskUnit::none, std::move(work), tell(notices), Lane::disk_tasks);
}

}  // namespace dlscope::app
