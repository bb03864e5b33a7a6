#include "app/window/window_main.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "app/models/exchange/stream_picture.h"
#include "app/models/script/module_file.h"
#include "app/platform/png_file.h"
#include "app/platform/surface.h"
#include "app/window/application.h"
#include "app/window/bounded_end.h"
#include "app/window/frame_pacing.h"
#include "app/window/program_assets.h"

namespace dlscope::app {
namespace {

using Clock = std::chrono::steady_clock;

std::optional<std::filesystem::path> file_of_given_module(const WindowOptions& options) {
  std::error_code error;
  return options.module.empty() ? std::nullopt : file_of_module(options.module, std::filesystem::current_path(error));
}

ApplicationOptions application_options(const WindowOptions& options, const LoadedSettings& loaded) {
  ApplicationOptions out;
  out.arguments = options.arguments;
  if (file_of_given_module(options)) out.module = options.module;
  out.tour_path = find_asset("samples/tour.py");
  out.settings_file = settings_path();
  out.settings = loaded.settings;
  out.layout = options.layout.value_or(loaded.settings.layout.value_or(LayoutPreset::debug));
  out.theme = options.theme.value_or(loaded.settings.theme.value_or(ThemeChoice::dark));
  out.wake = wake_window;
  out.wake_to_look = wake_window_to_look;
  out.state_folder = state_folder();
  return out;
}

// False when the Python chosen in an earlier session is gone: the usual order finds another, and a notice says so.
bool usable(LoadedSettings& loaded) {
  std::error_code error;
  if (loaded.settings.python.empty() || std::filesystem::exists(loaded.settings.python, error)) return true;
  loaded.notice += "The Python chosen before, " + loaded.settings.python + ", is gone. Run > Choose Python … offers others.";
  return false;
}

void load_start_text(const WindowOptions& options, Application& application) {
  // Opened after the first frame, so that the window shows how far it is.
  if (options.tensor_file) return application.commands().push(command::OpenScript{options.script_path});
  if (options.code) {
    application.load_text("", *options.code);
  } else if (const auto file = file_of_given_module(options)) {
    const auto loaded = application.load_script(file->string());
    if (!loaded) application.add_notice(Tone::bad, loaded.error().message);
  } else if (!options.module.empty()) {  // of the environment: only Python can find its file
    application.load_text(
        "", fmt::format("import runpy\n\nrunpy.run_module(\"{}\", run_name=\"__main__\", alter_sys=True)\n", options.module));
  } else if (is_stream_trace_file(options.script_path)) {
    application.commands().push(command::OpenScript{options.script_path});
    return;
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

void save_picture(Application& application, std::shared_ptr<const Picture> picture, const std::string& path) {
  application.save_picture([picture = std::move(picture), path] { return write_png(*picture, path); }, path);
}

void save_exported(Application& application, ExportedPicture exported) {
  const std::string path = exported.path;
  application.save_picture(
      [path, picture = std::make_shared<ExportedPicture>(std::move(exported))] {
        return write_png({picture->width, picture->height, std::move(picture->rgba)}, path, picture->text);
      },
      path);
}

void save_figure(Application& application, const Picture& frame) {
  if (auto figure = application.take_figure(frame.width, frame.height, frame.rgba))
    save_exported(application, std::move(*figure));
}

void run_frames(WindowSurface& window, Application& application) {
  FramePacing pacing(Clock::now());
  float applied_scale = 0;
  ThemeChoice applied_theme{};
  std::string title;
  while (!application.quit_requested()) {
    const auto pause = pacing.pause(Clock::now());
    using Woken = WindowSurface::Woken;
    Woken woken = Woken::by_time;
    if (pause.draw_at_once)
      window.poll();
    else
      woken = window.wait(pacing.sooner(pause.at_most, application.next_frame_in()));
    if (woken == Woken::by_event) pacing.input(Clock::now());
    if (window.take_close_request()) application.commands().push(command::Quit{});
    const bool news = application.update();
    if (woken == Woken::to_look && !news && !application.seen_bytes_changed()) continue;  // nothing to draw
    if (news || woken == Woken::to_look) pacing.changed();
    const auto picture = application.take_wanted_picture();
    const bool cuts_figure = application.wants_figure();
    if (picture || cuts_figure) window.keep_next_frame();
    draw_frame(window, application, applied_scale, applied_theme);
    if (picture || cuts_figure) {
      const auto frame = std::make_shared<const Picture>(window.take_picture());
      if (picture) save_picture(application, frame, *picture);
      if (cuts_figure) save_figure(application, *frame);
      if (cuts_figure) pacing.changed();  // what it covered is to be seen again
    }
    if (auto heatmap = application.take_heatmap_picture()) save_exported(application, std::move(*heatmap));
    application.open_dropped(window.take_dropped());
    pacing.drawn();
    if (window.input_waits()) pacing.input(Clock::now());
    if (application.carry_out()) pacing.changed();
    if (title != application.title()) {
      title = application.title();
      window.set_title(title.c_str());
    }
  }
}

}  // namespace

int run_window(const WindowOptions& options) {
  LoadedSettings loaded = load_settings(settings_path());
  const WindowPlace stored = loaded.settings.window.value_or(WindowPlace{.x = 0, .y = 0, .width = 1600, .height = 1000});
  const WindowSize size{options.width.value_or(stored.width), options.height.value_or(stored.height)};
  auto window = open_window(size, "dlscope");
  if (!window) {
    std::fprintf(stderr, "dlscope: %s\n", window.error().message.c_str());
    return 3;
  }
  if (loaded.settings.window && !options.width) (*window)->move_to(stored);
  ApplicationOptions application_choices = application_options(options, loaded);
  application_choices.scale =
      std::clamp(options.scale.value_or(loaded.settings.scale.value_or((*window)->display_scale())), kMinScale, kMaxScale);
  AskedPython python{.path = options.python};
  if (python.path.empty() && usable(loaded)) python = {.path = loaded.settings.python, .by = AskedBy::earlier_session};
  std::optional<BoundedEnd> end;  // destroyed after the application
  Application application(std::move(application_choices),
                          options.tensor_file ? nullptr : make_host_link(std::move(python), "", wake_window));
  if (!loaded.notice.empty()) application.add_notice(Tone::warn, loaded.notice);
  load_start_text(options, application);
  run_frames(**window, application);
  application.note_window((*window)->place());
  (*window)->hide();  // nobody should see a frozen window while Python exits
  end.emplace();
  if (const auto text = application.store_text(); !text) {
    std::fprintf(stderr, "dlscope: %s\n", text.error().message.c_str());
    return 3;
  }
  return 0;
}

}  // namespace dlscope::app
