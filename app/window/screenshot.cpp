#include "app/window/screenshot.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "app/models/focus/focus_text.h"
#include "app/models/host/outcome_sentence.h"
#include "app/models/host/recorded_stop.h"
#include "app/platform/png_file.h"
#include "app/platform/surface.h"
#include "app/window/application.h"

namespace dlscope::app {
namespace {

// Docking settles in two frames, the editor's scrolling and tables' column widths in a few more.
constexpr int kFrames = 8;
constexpr int kMaxSteps = 24;

void draw_frame(Surface& surface, Application& application) {
  application.update();
  apply_theme(theme_for(application.theme()), application.scale());
  surface.begin_frame();
  application.draw(surface.fonts());
  surface.end_frame();
  application.carry_out();
}

// What is given for the exchange view; nullopt: nothing is.
std::optional<ExchangeTab> tab_of(const ScreenshotRequest& request) {
  if (request.proof) return ExchangeTab::prove;
  if (request.life) return ExchangeTab::life;
  if (!request.capsules.empty()) return ExchangeTab::capsules;
  if (request.handed || request.steps) return ExchangeTab::hand_over;
  if (!request.slice.empty()) return ExchangeTab::copy;
  return std::nullopt;
}

// Shows what is given in the exchange view and brings it to the front. False: nothing is. generation: of the drawn snapshot; its
// questions count as asked.
bool show_exchange(const ScreenshotRequest& request, std::uint64_t generation, std::uint32_t selected, ExchangeState& view) {
  view.bring_up = tab_of(request);
  if (!view.bring_up) return false;
  view.life.answer = request.life;
  if (request.life) view.life.asked = LifeQuestion{generation, selected};
  view.capsules.all = request.capsules;
  view.capsules.log = capsule_log(view.capsules.all, {});
  if (!request.capsules.empty()) view.capsules.asked_for = generation;
  view.proving.chain = request.chain;
  view.proving.probe = true;
  view.proving.result.done = request.proof;
  view.proving.caption = request.proof_caption;
  view.hand.result.done = request.handed;
  if (request.steps) view.hand.steps = *request.steps;
  view.proving.result.subject = request.chain;
  view.proving.result.code_began = view.hand.result.code_began = ~std::uint64_t{0};  // they are of the moment that is drawn
  return true;
}

// Writes the figure that was asked for, cut out of one more frame.
core::Result<void> write_figure(PictureSurface& surface, Application& application, const std::string& path) {
  application.carry_out();
  surface.paint_whole();
  draw_frame(surface, application);
  const Picture frame = surface.read();
  auto figure = application.take_figure(frame.width, frame.height, frame.rgba);
  if (!figure) return core::fail(core::ErrorKind::not_found, "The figure is not in the picture.");
  return write_png({figure->width, figure->height, std::move(figure->rgba)}, path, figure->text);
}

core::Result<void> write_figures(PictureSurface& surface, Application& application, const ScreenshotRequest& request) {
  if (!request.figure_path.empty()) {
    application.commands().push(command::ExportHeatmap{.figure = true});
    if (auto written = write_figure(surface, application, request.figure_path); !written) return written;
  }
  if (request.proof_figure_path.empty()) return {};
  application.panels().exchange.proving.figure.wanted = true;
  return write_figure(surface, application, request.proof_figure_path);
}

}  // namespace

core::Result<void> write_screenshot(const ScreenshotRequest& request) {
  if (!request.select.empty() && (!request.snapshot || request.snapshot->find(request.select) == nullptr)) {
    return core::fail(core::ErrorKind::not_found, "--select: there is no tensor named " + request.select + ".");
  }
  auto surface = open_picture(request.width, request.height);
  if (!surface) return std::unexpected(surface.error());
  ApplicationOptions options;
  options.layout = request.layout;
  options.theme = request.theme;
  options.scale = std::clamp(request.scale, kMinScale, kMaxScale);
  options.settings.breakpoints = request.breakpoints;
  options.settings.watches = request.watches;
  Application application(std::move(options), nullptr);
  application.load_text(request.script_path, request.script_text);
  application.show_host(request.stop ? recorded_at(*request.stop, request.python, request.outcome)
                                     : HostSession::recorded(request.python, request.outcome));
  application.show_output(request.output_text);
  if (request.outcome.outcome == core::Outcome::crashed) application.add_notice(Tone::bad, outcome_sentence(request.outcome));
  if (request.of_file) {
    MemoryReaders memory;
    memory.read_with(request.reader);
    application.show_file(request.script_path, request.snapshot, std::move(memory));
  } else {
    application.read_memory_with(request.reader);
    for (const core::SnapshotPtr& look : request.earlier_snapshots) {
      application.show_snapshot(look);
      application.finish_background_work();
    }
    if (request.snapshot) application.show_snapshot(request.snapshot);
  }
  application.finish_background_work();
  if (application.index() && !request.select.empty()) application.select(request.select);
  if (!request.slice.empty()) application.commands().push(command::ChooseSlice{request.slice});
  if (application.index() && !request.compare.empty()) {
    if (const auto other = application.index()->find(request.compare))
      application.commands().push(command::CompareTensor{*other});
  }
  if (!request.compare_file.empty()) application.commands().push(command::CompareWithFile{request.compare_file});
  if (request.element && application.selected() != core::kNone32)
    application.commands().push(command::Pin{focus_on(*application.index(), application.selected(), *request.element)});
  application.carry_out();
  for (int frame = 0; frame < kFrames; ++frame) draw_frame(**surface, application);
  if (application.works_in_background()) {  // a font for what is shown
    application.finish_background_work();
    for (int frame = 0; frame < kFrames; ++frame) draw_frame(**surface, application);
  }
  if (!request.streams.empty()) {
    application.commands().push(command::OpenScript{request.streams});
    application.carry_out();
    application.finish_background_work();
  }
  ExchangeState& exchange = application.panels().exchange;
  if (!request.streams.empty() || show_exchange(request, application.generation(), application.selected(), exchange)) {
    for (int frame = 0; frame < kFrames; ++frame) draw_frame(**surface, application);
  }
  if (request.look_at != 0) {
    application.commands().push(command::ShowMoment{request.look_at});
    application.carry_out();
    application.finish_background_work();
  }
  for (const ActionId id : request.ask) application.commands().push(command::Ask{id});
  for (int frame = 0; frame < kFrames && !request.ask.empty(); ++frame) draw_frame(**surface, application);
  // Views that have just come up read first; a heat map in several steps.
  for (int step = 0; step < kMaxSteps && (step == 0 || application.works_in_background()); ++step) {
    application.finish_background_work();
    for (int frame = 0; frame < kFrames && !request.ask.empty(); ++frame) draw_frame(**surface, application);
  }
  const Picture picture = (*surface)->read();
  if (auto written = write_figures(**surface, application, request); !written) return written;
  return write_png(picture, request.output_path);
}

core::Result<std::string> probe_offscreen() {
  auto surface = open_picture(64, 64);
  if (!surface) return std::unexpected(surface.error());
  return (*surface)->driver();
}

}  // namespace dlscope::app
