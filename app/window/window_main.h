// The window as a program: what the command line hands over, and the exit code it gets back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/models/actions/view_options.h"

namespace dlscope::app {

struct WindowOptions {
  std::string script_path;                 // "": none, or `code` is given
  std::optional<std::string> code;         // -c CODE: text without a file
  std::string module;                      // -m MODULE; "": none
  bool tensor_file = false;                // script_path is a file of tensors: they are shown, without a Python
  std::vector<std::string> arguments;      // sys.argv[1:] of every run
  std::string python;                      // --python; "": the usual order (app/host/python_finder.h)
  bool run_at_start = false;               // --run
  std::optional<int> width, height;        // --size
  std::optional<float> scale;              // --scale; nullopt: what the display says
  std::optional<LayoutPreset> layout;      // nullopt: debug
  std::optional<ThemeChoice> theme;        // nullopt: dark
};

// Shows the window until it is closed. Python is looked for and started on another thread: the first frame never waits
// for it. thread: main. Returns 0, or 3 when there is no display or no OpenGL (the reason is on standard error).
[[nodiscard]] int run_window(const WindowOptions& options);

}  // namespace dlscope::app
