// Background work whose result goes straight into a panel's state.
// thread: UI; the panels outlive the jobs.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/models/actions/notices.h"
#include "app/models/jobs/job_pool.h"
#include "app/panels/workspace.h"

namespace dlscope::app {

void find_in_script(const command::FindInScript& find, ScriptPanelState& panel, JobPool& jobs);
void replace_in_script(const command::ReplaceInScript& replace, ScriptPanelState& panel, JobPool& jobs);
void read_folder(const std::string& folder, FileBrowserState& browser, JobPool& jobs);
// reader null: no memory can be read, and the answer says so.
void read_values(ValueTask task, std::shared_ptr<core::MemoryReader> reader, PanelStates& panels, JobPool& jobs);

// Loads what was typed at the console in earlier sessions. state_folder "": none is kept.
void load_history(ConsoleHistory& history, JobPool& jobs, const std::string& state_folder);
void keep_history(const std::string& entry, JobPool& jobs, Notices& notices, const std::string& state_folder);

// The editor's current text of the document with this revision; null: it shows another one, or was not drawn yet.
[[nodiscard]] std::shared_ptr<const std::string> editor_text_of(ScriptPanelState& panel, std::uint64_t text_revision);
// Brings the editor to the front, at a line (zero-based) where one is given.
void show_editor(PanelStates& panels, std::optional<std::size_t> line);

}  // namespace dlscope::app
