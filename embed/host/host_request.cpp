#include "embed/host/host_request.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/wire/script_file.h"

namespace dlscope::embed {
namespace {

PyRef python_text(const std::string& text) {
  return PyRef::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

// Bytes of a command line or a path, as sys.argv carries them.
PyRef python_path(const std::string& bytes) {
  return PyRef::steal(PyUnicode_DecodeFSDefaultAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
}

struct ScriptPlace {
  std::string file;    // absolute, as __file__ and tracebacks say it; links not resolved
  std::string folder;  // of the file itself, links resolved: sys.path[0]; without a script the current folder
};

// Worked out here and not with os.path: the user may have replaced what that stands on.
ScriptPlace place_of(const std::string& path) {
  std::error_code error;
  const std::filesystem::path current = std::filesystem::current_path(error);  // empty when it was removed
  if (path.empty()) return {{}, current.string()};
  const std::string given = path.starts_with("./") ? path.substr(2) : path;
  const std::filesystem::path file = current / given;
  const std::filesystem::path real = std::filesystem::canonical(file, error);
  return {file.string(), (error ? file : real).parent_path().string()};
}

// A script with a working folder begins there; one without, where this process was before. Returns why not, in words, else "".
// What a script itself did to the current folder stays for the next one, as everything else of the process does.
std::string enter_folder(const std::string& wanted) {
  static std::filesystem::path left_for_another;  // the folder the process was in, while it is elsewhere by choice
  std::error_code error;
  if (wanted.empty()) {
    if (!left_for_another.empty()) std::filesystem::current_path(std::exchange(left_for_another, {}), error);
    return error ? "cannot return to the folder the other script was run from: " + error.message() : std::string();
  }
  const std::filesystem::path before = std::filesystem::current_path(error);
  std::filesystem::current_path(wanted, error);
  if (error) return "the working folder " + wanted + " cannot be entered: " + error.message();
  if (left_for_another.empty()) left_for_another = before;
  return {};
}

core::Outcome outcome_of(std::string_view word) {
  if (word == "finished") return core::Outcome::finished;
  if (word == "interrupted") return core::Outcome::interrupted;
  return core::Outcome::raised;
}

}  // namespace

PyRef request_as_dict(const core::wire::Run& run) {
  const PyRef arguments = PyRef::steal(PyList_New(0));
  for (const std::string& argument : run.arguments) {
    const PyRef text = python_path(argument);
    if (!text || PyList_Append(arguments.get(), text.get()) != 0) return {};
  }
  const std::string folder_error = run.fresh_namespace ? enter_folder(run.working_folder) : std::string();
  const bool is_unsaved_part = run.path == core::wire::kUnsavedScriptFile && !run.fresh_namespace;
  const std::string script = is_unsaved_part ? std::string() : run.path;
  ScriptPlace place = place_of(script);
  if (!run.module.empty()) place.folder = place_of({}).folder;  // as `python -m` has it
  if (is_unsaved_part) {
    place.file = core::wire::kUnsavedScriptFile;
  } else if (run.path.empty() && run.module.empty() && run.fresh_namespace) {
    place.file = run.interactive_stops ? core::wire::kUnsavedScriptFile : core::wire::kCodeFile;
  }
  const PyRef path = python_path(script), file = python_path(place.file), folder = python_path(place.folder);
  const PyRef source = run.source ? python_text(*run.source) : PyRef::share(Py_None);
  const PyRef stop_at = python_path(run.stop_at), module = python_path(run.module), no_folder = python_text(folder_error);
  if (!no_folder || !stop_at || !module || !arguments || !path || !file || !folder || !source) return {};
  const auto flag = [](bool value) { return value ? Py_True : Py_False; };
  return PyRef::steal(Py_BuildValue("{s:s,s:K,s:O,s:O,s:O,s:O,s:O,s:O,s:O,s:O,s:O,s:O,s:O,s:O,s:K,s:I}", "kind", "run", "run",
                                    static_cast<unsigned long long>(run.run), "path", path.get(), "file", file.get(), "folder",
                                    folder.get(), "source", source.get(), "arguments", arguments.get(), "module", module.get(),
                                    "folder_error", no_folder.get(), "fresh_namespace", flag(run.fresh_namespace), "scan_after",
                                    flag(run.scan_after), "echo", flag(run.echo), "stop_at", stop_at.get(), "interactive_stops",
                                    flag(run.interactive_stops), "stop", static_cast<unsigned long long>(run.stop), "frame",
                                    static_cast<unsigned>(run.frame)));
}

PyRef request_as_dict(const core::wire::Ask& question) {
  const PyRef kind = python_text(question.kind), text = python_text(question.text);
  if (!kind || !text) return {};
  return PyRef::steal(Py_BuildValue("{s:s,s:K,s:O,s:O}", "kind", "ask", "id", static_cast<unsigned long long>(question.id),
                                    "question", kind.get(), "text", text.get()));
}

PyRef request_as_dict(const core::wire::Resume& resume) {
  const PyRef path = python_path(resume.path);
  if (!path) return {};
  return PyRef::steal(Py_BuildValue("{s:s,s:K,s:I,s:O,s:I}", "kind", "resume", "stop",
                                    static_cast<unsigned long long>(resume.stop), "how", static_cast<unsigned>(resume.kind),
                                    "path", path.get(), "line", static_cast<unsigned>(resume.line)));
}

PyRef change_as_dict(const core::wire::SetBreakpoints& breakpoints) {
  const auto flag = [](bool value) { return value ? Py_True : Py_False; };
  const PyRef all = PyRef::steal(PyList_New(0));
  for (const core::wire::Breakpoint& each : breakpoints.all) {
    const PyRef path = python_path(each.path), condition = python_text(each.condition), log_text = python_text(each.log_text);
    if (!all || !path || !condition || !log_text) return {};
    const PyRef entry = PyRef::steal(
        Py_BuildValue("(KOIOKOO)", static_cast<unsigned long long>(each.id), path.get(), static_cast<unsigned>(each.line),
                      condition.get(), static_cast<unsigned long long>(each.hit), log_text.get(), flag(each.enabled)));
    if (!entry || PyList_Append(all.get(), entry.get()) != 0) return {};
  }
  if (!all) return {};
  return PyRef::steal(Py_BuildValue("{s:s,s:O,s:O,s:O,s:O,s:O}", "kind", "breakpoints", "all", all.get(), "on_raise",
                                    flag(breakpoints.on_raise), "user_code_only", flag(breakpoints.user_code_only),
                                    "stop_others", flag(breakpoints.stop_others), "on_uncaught",
                                    flag(breakpoints.on_uncaught)));
}

PyRef change_as_dict(const core::wire::Pause&) { return PyRef::steal(Py_BuildValue("{s:s}", "kind", "pause")); }

std::optional<core::wire::RunFinished> run_finished_from(PyObject* args) {
  unsigned long long run = 0;
  const char* outcome = nullptr;
  PyObject *path = nullptr, *error = nullptr, *exit_code = nullptr;
  if (!PyArg_ParseTuple(args, "KsOOO", &run, &outcome, &path, &error, &exit_code)) return std::nullopt;
  core::wire::RunFinished message;
  message.run = run;
  message.outcome.outcome = outcome_of(outcome);
  const PyRef raw_path = PyRef::steal(PyUnicode_EncodeFSDefault(path));
  if (!raw_path) return std::nullopt;
  message.outcome.script_path = PyBytes_AsString(raw_path.get());
  if (error != Py_None) {
    PyObject *type = nullptr, *wording = nullptr, *traceback = nullptr;
    int line = 0;
    if (!PyArg_ParseTuple(error, "OOiO", &type, &wording, &line, &traceback)) return std::nullopt;
    message.outcome.error = core::ScriptError{text_of(type), text_of(wording), line, text_of(traceback)};
  }
  if (exit_code != Py_None) {
    message.outcome.exit_code = static_cast<std::int32_t>(PyLong_AsLong(exit_code));
    if (PyErr_Occurred() != nullptr) return std::nullopt;
  }
  return message;
}

}  // namespace dlscope::embed
