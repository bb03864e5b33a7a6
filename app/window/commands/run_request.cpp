#include "app/window/commands/run_request.h"

#include <string_view>
#include <utility>

#include "app/models/debug/breakpoint_list.h"
#include "app/models/text/text_file.h"
#include "core/wire/script_file.h"

namespace dlscope::app {
namespace {

session_event::RunAsked request(std::string source, RunKind kind, const ScriptDocument& document, const RunSettings& with) {
  session_event::RunAsked out;
  if (kind != RunKind::console) out.request.path = document.model().path;
  const bool is_unsaved = kind != RunKind::console && out.request.path.empty();
  out.request.source = std::move(source);
  out.request.arguments = with.arguments;
  out.request.working_folder = with.working_folder;
  if (kind == RunKind::script) out.request.module = with.module;
  if (is_unsaved && kind == RunKind::part_of_script) out.request.path = core::wire::kUnsavedScriptFile;
  if (!with.working_folder.empty() && !is_unsaved && !out.request.path.empty()) out.request.path = source_path(out.request.path);
  out.request.fresh_namespace = kind == RunKind::script;
  out.request.echo = kind != RunKind::script;
  out.request.interactive_stops = true;
  out.kind = kind;
  out.script = document.model().identity();
  return out;
}

}  // namespace

session_event::RunAsked run_of_script(const ScriptDocument& document, const RunSettings& with) {
  const ScriptModel& script = document.model();
  session_event::RunAsked out = request(*document.text(), RunKind::script, document, with);
  out.saved = !script.path.empty() && !script.modified && script.on_disk == OnDisk::same;
  return out;
}

session_event::RunAsked run_of_text(const command::RunText& run, const ScriptDocument& document, const RunSettings& with) {
  // Empty lines in front, so that messages have the line numbers of the script.
  return request(run.of_script ? std::string(run.first_line, '\n') + run.text : run.text,
                 run.of_script ? RunKind::part_of_script : RunKind::console, document, with);
}

std::string prompted(const std::string& text) {
  std::string out;
  for (const std::string_view line : lines_of(text)) out.append(out.empty() ? ">>> " : "\n... ").append(line);
  return out;
}

}  // namespace dlscope::app
