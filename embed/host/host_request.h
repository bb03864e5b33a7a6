// The messages of the wire as Python objects and back: what python/dlscope/_host.py gets to run, and what it answers.
// thread: the GIL is held.
#pragma once

#include <optional>

#include "core/wire/messages.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// A dict: kind "run", run, path, file (absolute), folder (sys.path[0]), source, arguments, folder_error (why the working folder
// was not entered), fresh_namespace, scan_after, echo, stop_at, interactive_stops, stop, frame. A fresh run's working folder is
// entered here. Empty with a Python error set.
[[nodiscard]] PyRef request_as_dict(const core::wire::Run& run);

// A dict: kind "ask", id, question (its kind), text. Empty with a Python error set.
[[nodiscard]] PyRef request_as_dict(const core::wire::Ask& question);

// A dict: kind "resume", stop, how (the number of its ResumeKind), path, line. Empty with a Python error set.
[[nodiscard]] PyRef request_as_dict(const core::wire::Resume& resume);

// A dict: kind "breakpoints", all: [(id, path, line, condition, hit, log_text, enabled)], on_raise, user_code_only, stop_others, on_uncaught.
// Empty with a Python error set.
[[nodiscard]] PyRef change_as_dict(const core::wire::SetBreakpoints& breakpoints);

// A dict: kind "pause". Empty with a Python error set.
[[nodiscard]] PyRef change_as_dict(const core::wire::Pause& pause);

// Of the tuple (run, outcome, script_path, None | (type, message, line, traceback), None | exit_code); nullopt with a Python
// error set.
[[nodiscard]] std::optional<core::wire::RunFinished> run_finished_from(PyObject* args);

}  // namespace dlscope::embed
