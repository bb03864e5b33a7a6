// Makes the request to the host for a run: the script, a part of it, or a line of the console.
#pragma once

#include <string>
#include <vector>

#include "app/models/actions/commands.h"
#include "app/models/host/session_event.h"
#include "app/session/script_document.h"
#include "app/window/commands/run_settings.h"

namespace dlscope::app {

[[nodiscard]] session_event::RunAsked run_of_script(const ScriptDocument& document, const RunSettings& with);
[[nodiscard]] session_event::RunAsked run_of_text(const command::RunText& run, const ScriptDocument& document,
                                                  const RunSettings& with);
// The text as the output shows it: with prompts.
[[nodiscard]] std::string prompted(const std::string& text);

}  // namespace dlscope::app
