// Stands in while app/window is being written, so that headless runs can be tried; then this file goes.
#include "app/cli/standard_streams.h"
#include "app/window/screenshot.h"
#include "app/window/window_main.h"

namespace dlscope::app {

core::Result<std::string> probe_offscreen() { return core::fail(core::ErrorKind::environment, "this build has no window"); }

core::Result<void> write_screenshot(const ScreenshotRequest&) { return core::fail(core::ErrorKind::environment, "this build has no window"); }

int run_window(const WindowOptions&) {
  say("this build has no window; use --headless");
  return 3;
}

}  // namespace dlscope::app
