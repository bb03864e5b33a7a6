#include "app/window/commands/panel_jobs.h"

#include <utility>

#include "app/models/script/console_history.h"
#include "app/models/script/folder_listing.h"

namespace dlscope::app {

void find_in_script(const command::FindInScript& find, ScriptPanelState& panel, JobPool& jobs) {
  jobs.post(Lane::search,
            [&panel, find](const std::stop_token& stop) -> JobPool::Apply {
              auto found = std::make_shared<FindResult>(find_all(*find.text, find.query, stop));
              return [&panel, find, found] { take_found(panel, find.revision, find.query, std::move(*found)); };
            },
            {JobKind::find_in_script});
}

void replace_in_script(const command::ReplaceInScript& replace, ScriptPanelState& panel, JobPool& jobs) {
  jobs.post(Lane::search,
            [&panel, replace](const std::stop_token& stop) -> JobPool::Apply {
              const auto plan =
                  std::make_shared<ReplacePlan>(replace_all(*replace.text, replace.query, replace.replacement, stop));
              return [&panel, replace, plan] { take_replacements(panel, replace.revision, *plan); };
            },
            {JobKind::replace_in_script});
}

void read_folder(const std::string& folder, FileBrowserState& browser, JobPool& jobs) {
  jobs.post(Lane::files,
            [&browser, folder](const std::stop_token& stop) -> JobPool::Apply {
              return [&browser, listing = list_folder(folder, stop)]() mutable { browser.listing = std::move(listing); };
            },
            {JobKind::folder});
}

void read_values(ValueTask task, std::shared_ptr<core::MemoryReader> reader, PanelStates& panels, JobPool& jobs) {
  std::vector<ValueAnswer>& answers = task.asker == ValueAsker::heatmap ? panels.heatmap.answers : panels.values.answers;
  const JobKey key{JobKind::values, static_cast<std::uint64_t>(task.kind) * 2 + static_cast<std::uint64_t>(task.asker)};
  jobs.post(
      Lane::memory,
      [&answers, task = std::move(task), reader = std::move(reader)](const std::stop_token& stop) -> JobPool::Apply {
        auto answer = std::make_shared<ValueAnswer>(carry_out(task, reader.get(), stop));
        return [&answers, answer] { answers.push_back(std::move(*answer)); };
      },
      key);
}

void load_history(ConsoleHistory& history, JobPool& jobs, const std::string& state_folder) {
  if (state_folder.empty()) return;
  jobs.post(Lane::files, [&history, state_folder](const std::stop_token&) -> JobPool::Apply {
    auto entries = std::make_shared<std::vector<std::string>>(load_history(state_folder));
    return [&history, entries] { history.put_before(std::move(*entries)); };
  });
}

void keep_history(const std::string& entry, JobPool& jobs, Notices& notices, const std::string& state_folder) {
  if (state_folder.empty()) return;
  jobs.post(Lane::files, [&notices, state_folder, entry](const std::stop_token&) -> JobPool::Apply {
    const auto kept = append_history(state_folder, entry);
    if (kept) return {};
    return [&notices, why = kept.error().message] { notices.add(Tone::warn, "The console's history cannot be kept. " + why); };
  });
}

std::shared_ptr<const std::string> editor_text_of(ScriptPanelState& panel, std::uint64_t text_revision) {
  return panel.editor && panel.loaded_revision == text_revision ? current_text(panel) : nullptr;
}

void show_editor(PanelStates& panels, std::optional<std::size_t> line) {
  panels.menu.show[ActionContext::script] = true;
  if (line) panels.script.reveal_line = line;
}

}  // namespace dlscope::app
