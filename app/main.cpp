// The viewer's entry: command line, then the doctor, a headless run or the window.
#include <unistd.h>

#include <string>
#include <variant>
#include <vector>

#include "app/cli/doctor.h"
#include "app/cli/exit_code.h"
#include "app/cli/file_options.h"
#include "app/cli/headless.h"
#include "app/cli/options.h"
#include "app/cli/standard_streams.h"
#include "app/cli/stream_trace.h"
#include "app/files/write_all.h"
#include "app/host/starting_python.h"
#include "app/models/exchange/stream_picture.h"
#include "app/window/screenshot.h"
#include "app/window/window_main.h"
#include "core/files/tensor_file.h"

namespace {

using namespace dlscope::app;

int print_and_exit_code(const EarlyExit& early_exit) {
  const int stream = early_exit.exit_code == kExitFine ? STDOUT_FILENO : STDERR_FILENO;
  return write_all(stream, early_exit.text) ? early_exit.exit_code : kExitEnvironment;
}

int open_window(const Options& options, bool tensor_file = false) {
  WindowOptions window;
  window.tensor_file = tensor_file;
  window.script_path = options.script;
  window.code = options.code;
  window.module = options.module;
  window.arguments = options.arguments;
  window.python = options.python;
  window.run_at_start = options.run;
  window.width = options.width;
  window.height = options.height;
  window.scale = options.scale;
  window.layout = options.layout;
  window.theme = options.theme;
  const int code = run_window(window);
  if (code == kExitEnvironment) {
    if (const auto late = option_behind_script(options))
      say(*late + " comes after the script and was given to it: options of dlscope come before it");
  }
  return code;
}

// Opens a tensor file in place of a script.
int open_file(const Options& options, const StandardStreams& streams) {
  if (options.headless) return show_file_headless(options, streams, {.probe = probe_offscreen, .write = write_screenshot});
  // Only the headers are read here: unpacking may take minutes, and the window shows how far it is.
  if (const auto file = dlscope::core::TensorFile::open(options.script, {}, 0); !file) {
    say(file.error().message);
    return kExitUsage;
  }
  return open_window(options, true);
}

}  // namespace

int main(int argc, char** argv) {
  const StandardStreams streams = take_standard_streams();
  take_starting_python();
  const auto parsed = parse_options(std::vector<std::string>(argv + 1, argv + argc));
  if (const auto* early_exit = std::get_if<EarlyExit>(&parsed)) return print_and_exit_code(*early_exit);
  const Options& options = std::get<Options>(parsed);
  if (options.doctor) return run_doctor(options.python, probe_offscreen);
  if (const auto wrong = wrong_for_file(options)) {
    say(*wrong);
    return kExitUsage;
  }
  if (const auto code = refused_files(options)) return *code;
  if (!options.code && dlscope::core::is_tensor_file(options.script)) return open_file(options, streams);
  if (!options.code && options.headless && is_stream_trace_file(options.script)) return judge_trace_headless(options);
  if (options.headless) return run_headless(options, streams, {.probe = probe_offscreen, .write = write_screenshot});
  return open_window(options);
}
