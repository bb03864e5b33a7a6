#include "app/window/window_main.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "app/platform/surface.h"
#include "app/window/application.h"
#include "app/window/frame_pacing.h"
#include "app/window/program_assets.h"

namespace dlscope::app {
namespace {

using Clock = std::chrono::steady_clock;

ApplicationOptions application_options(const WindowOptions& options) {
  ApplicationOptions out;
  out.arguments = options.arguments;
  out.tour_path = find_asset("samples/tour.py");
  out.layout = options.layout.value_or(LayoutPreset::debug);
  out.theme = options.theme.value_or(ThemeChoice::dark);
  out.wake = wake_window;
  out.state_folder = state_folder();
  return out;
}

void load_start_text(const WindowOptions& options, Application& application) {
  if (options.code) {
    application.load_text("", *options.code);
  } else if (!options.script_path.empty()) {
    const auto loaded = application.load_script(options.script_path);
    if (!loaded) application.add_notice(Tone::bad, loaded.error().message);
  }
  if (options.run_at_start) application.run_script();
}

void draw_frame(WindowSurface& window, Application& application, float& applied_scale, ThemeChoice& applied_theme) {
  if (applied_scale != application.scale() || applied_theme != application.theme()) {
    applied_scale = application.scale();
    applied_theme = application.theme();
    apply_theme(theme_for(applied_theme), applied_scale);
  }
  window.begin_frame();
  application.draw(window.fonts());
  window.end_frame();
}

void run_frames(WindowSurface& window, Application& application) {
  FramePacing pacing(Clock::now());
  float applied_scale = 0;
  ThemeChoice applied_theme{};
  std::string title;
  while (!window.close_requested() && !application.quit_requested()) {
    const auto pause = pacing.pause(Clock::now());
    if (pause.draw_at_once)
      window.poll();
    else if (window.wait(pause.at_most))
      pacing.input(Clock::now());
    if (application.update()) pacing.changed();
    draw_frame(window, application, applied_scale, applied_theme);
    pacing.drawn();
    if (application.carry_out()) pacing.changed();
    if (title != application.title()) {
      title = application.title();
      window.set_title(title.c_str());
    }
  }
}

}  // namespace

int run_window(const WindowOptions& options) {
  const WindowSize size{options.width.value_or(1600), options.height.value_or(1000)};
  auto window = open_window(size, "dlscope");
  if (!window) {
    std::fprintf(stderr, "dlscope: %s\n", window.error().message.c_str());
    return 3;
  }
  ApplicationOptions application_choices = application_options(options);
  application_choices.scale = std::clamp(options.scale.value_or((*window)->display_scale()), kMinScale, kMaxScale);
  Application application(std::move(application_choices), make_host_link(options.python, "", wake_window));
  load_start_text(options, application);
  run_frames(**window, application);
  return 0;
}

}  // namespace dlscope::app
