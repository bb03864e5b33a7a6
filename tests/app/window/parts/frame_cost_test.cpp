// What a frame costs, counted: allocations of our own code, draw commands, vertices. With 1e3 and with 1e5 tensors, at rest
// and under a moving hand. No clock: the bounds hold on any machine.
#include <catch2/catch_test_macros.hpp>

#include <imgui_impl_null.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/application.h"
#include "tests/app/window/parts/fake_link.h"
#include "tests/support/allocation_count.h"
#include "tests/support/sample_snapshot.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {
namespace {

constexpr float kWidth = 1920, kHeight = 1080;
constexpr int kWarm = 120, kMeasured = 120;

// Made-up numbers at every address, always the same.
class MadeUpMemory final : public core::MemoryReader {
 public:
  [[nodiscard]] std::size_t read(core::Address from, std::span<std::byte> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>((from + i) % 61);
    return out.size();
  }
};

struct Cost {
  std::uint64_t allocations = 0;  // of the dearest frame but the first ones
  int draw_commands = 0, vertices = 0;
  int frames_with_focus = 0;
  int zoomed = 0;  // frames in which the map showed a part
};

// The window over `count` tensors on the null backend, and the hand that moves in it.
class DrawnWindow {
 public:
  explicit DrawnWindow(std::uint32_t count) : context_(ImGui::CreateContext()) {
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
    io.ConfigInputTextCursorBlink = false;
    ImGui_ImplNull_Init();
    fonts_ = app::load_fonts();
    application_ = std::make_unique<app::Application>(app::ApplicationOptions{}, std::make_unique<FakeLink>(host_));
    app::apply_theme(app::theme_for(application_->theme()), 1);
    application_->load_text("many.py", tour_script());
    application_->read_memory_with(std::make_shared<MadeUpMemory>());
    host_.found_python();
    host_.ready();
    frames(3);
    application_->show_snapshot(many_snapshot(count));
    application_->finish_background_work();
    frames(10);
  }
  ~DrawnWindow() {
    application_.reset();
    ImGui_ImplNull_Shutdown();
    ImGui::DestroyContext(context_);
  }
  DrawnWindow(const DrawnWindow&) = delete;
  DrawnWindow& operator=(const DrawnWindow&) = delete;

  void frame() {
    ImGui_ImplNull_NewFrame();
    ImGui::GetIO().DisplaySize = {kWidth, kHeight};
    ImGui::GetIO().DeltaTime = 1.0F / 60;
    ImGui::NewFrame();
    const std::uint64_t before = allocations_of_this_thread();
    application_->update();
    application_->draw(fonts_);
    application_->carry_out();
    allocations_ = allocations_of_this_thread() - before;
    ImGui::Render();
    ImGui_ImplNullRender_RenderDrawData(ImGui::GetDrawData());
  }
  void frames(int count) {
    for (int i = 0; i < count; ++i) frame();
  }

  // A point of a panel; parts of its size from its upper left corner.
  static void point_at(const char* panel, float x, float y) {
    const ImGuiWindow* window = ImGui::FindWindowByName(panel);
    REQUIRE(window != nullptr);
    REQUIRE(window->Active);
    const ImRect inner = window->InnerRect;
    ImGui::GetIO().AddMousePosEvent(std::floor(inner.Min.x + inner.GetWidth() * x),
                                    std::floor(inner.Min.y + inner.GetHeight() * y));
  }

  Cost measure(const std::function<void(int frame)>& act) {
    Cost cost;
    for (int i = 0; i < kWarm + kMeasured; ++i) {
      act(i);
      frame();
      if (i < kWarm) continue;
      cost.allocations = std::max(cost.allocations, allocations_);
      const ImDrawData* data = ImGui::GetDrawData();
      int commands = 0;
      for (const ImDrawList* list : data->CmdLists) commands += list->CmdBuffer.Size;
      cost.draw_commands = std::max(cost.draw_commands, commands);
      cost.vertices = std::max(cost.vertices, data->TotalVtxCount);
      cost.zoomed += application_->panels().memory.lanes.at(core::kCpuDevice).view.units_per_px > 0 ? 1 : 0;
      cost.frames_with_focus += application_->focus().on_tensor() ? 1 : 0;
    }
    return cost;
  }

  app::Application& app() { return *application_; }

 private:
  FakeHost host_;
  ImGuiContext* context_;
  app::Fonts fonts_;
  std::unique_ptr<app::Application> application_;
  std::uint64_t allocations_ = 0;  // of the last frame
};

float swing(int frame, float period) { return 0.5F + 0.45F * std::sin(static_cast<float>(frame) / period); }
void leave() { ImGui::GetIO().AddMousePosEvent(kWidth - 1, kHeight - 1); }
void wheel(int frame, int period) { ImGui::GetIO().AddMouseWheelEvent(0, frame % period < period / 2 ? 1.0F : -1.0F); }

struct Scene {
  const char* name;
  app::LayoutPreset layout;
  bool focus;  // the mouse lights something in it
  bool zooms;  // the map then shows other tensors, not more of them: only the bounds can be compared
  Cost most;
  std::function<void(int)> act;
  app::TableView view = app::TableView::flat;
};

// The bounds: what is counted today, and room for a line of text more. The editor makes one allocation with every frame.
const std::vector<Scene>& scenes() {
  using app::LayoutPreset;
  static const std::vector<Scene> all{
      {"nothing moves", LayoutPreset::debug, false, false, {2, 40, 25'000}, [](int) { leave(); }},
      {"mouse over the table",
       LayoutPreset::debug,
       true,
       false,
       {40, 40, 25'000},
       [](int f) { DrawnWindow::point_at(app::title_of(app::ActionContext::tensors), swing(f, 17), swing(f, 11)); }},
      {"mouse over the values",
       LayoutPreset::debug,
       true,
       false,
       {40, 40, 25'000},
       [](int f) {
         DrawnWindow::point_at(app::title_of(app::ActionContext::values), 0.15F + 0.2F * swing(f, 17),
                               0.2F + 0.2F * swing(f, 11));
       }},
      {"mouse over the map",
       LayoutPreset::debug,
       true,
       true,
       {40, 40, 40'000},
       [](int f) {
         DrawnWindow::point_at(app::title_of(app::ActionContext::memory), f < 30 ? 0.5F : swing(f, 23), 0.5F);
         if (f < 30) ImGui::GetIO().AddMouseWheelEvent(0, 1);  // until single tensors can be told apart
       }},
      {"mouse over the layout",
       LayoutPreset::teach,
       true,
       false,
       {60, 40, 25'000},
       [](int f) {
         DrawnWindow::point_at(app::title_of(app::ActionContext::layout), 0.05F + 0.3F * swing(f, 17),
                               0.3F + 0.6F * swing(f, 11));
       }},
      {"scrolling the table",
       LayoutPreset::debug,
       true,
       false,
       {60, 40, 25'000},
       [](int f) {
         DrawnWindow::point_at(app::title_of(app::ActionContext::tensors), 0.4F, 0.6F);
         wheel(f, 40);
       }},
      {"mouse over the tree",
       LayoutPreset::debug,
       true,
       false,
       {40, 40, 25'000},
       [](int f) { DrawnWindow::point_at(app::title_of(app::ActionContext::tensors), swing(f, 17), swing(f, 11)); },
       app::TableView::tree},
      {"scrolling the tree",
       LayoutPreset::debug,
       true,
       false,
       {60, 40, 25'000},
       [](int f) {
         DrawnWindow::point_at(app::title_of(app::ActionContext::tensors), 0.4F, 0.6F);
         wheel(f, 40);
       },
       app::TableView::tree},
      {"zooming the map",
       LayoutPreset::debug,
       false,
       true,
       {30, 40, 40'000},
       [](int f) {
         DrawnWindow::point_at(app::title_of(app::ActionContext::memory), 0.4F, 0.5F);
         wheel(f, 60);
       }},
  };
  return all;
}

Cost cost_of(const Scene& scene, std::uint32_t tensors) {
  DrawnWindow window(tensors);
  window.app().commands().push(app::command::SetLayout{scene.layout});
  window.app().commands().push(app::command::AskRows{{.view = scene.view}});
  window.frames(2);
  window.app().finish_background_work();
  window.frames(10);
  const Cost cost = window.measure(scene.act);
  // What was measured is the window at work.
  const app::PanelStates& panels = window.app().panels();
  CHECK(window.app().tensors().row_count() == tensors);
  CHECK(window.app().tensors().query().view == scene.view);
  if (scene.view == app::TableView::tree) CHECK(window.app().tensors().line_count() > tensors);  // it is open, and has heads
  CHECK(panels.tensors.rows_drawn > 5);
  CHECK(panels.memory.shapes_drawn > 5);
  if (scene.layout == app::LayoutPreset::debug) CHECK(panels.values.cells_read > 0);
  if (scene.layout == app::LayoutPreset::teach) CHECK(panels.layout.drawn.grid_cells > 0);
  if (scene.focus) CHECK(cost.frames_with_focus > kMeasured / 4);
  CHECK((cost.zoomed > 0) == scene.zooms);
  return cost;
}

}  // namespace

TEST_CASE("a frame's cost is bounded, and 1e5 tensors cost what 1e3 cost", "[window]") {
  for (const Scene& scene : scenes()) {
    const Cost few = cost_of(scene, 1'000), many = cost_of(scene, 100'000);
    INFO(scene.name << ": allocations " << few.allocations << " / " << many.allocations << ", draw commands " << few.draw_commands
                    << " / " << many.draw_commands << ", vertices " << few.vertices << " / " << many.vertices);
    for (const Cost& cost : {few, many}) {
      CHECK(cost.allocations <= scene.most.allocations);
      CHECK(cost.draw_commands <= scene.most.draw_commands);
      CHECK(cost.vertices <= scene.most.vertices);
    }
    if (scene.zooms) continue;
    CHECK(many.allocations <= few.allocations + 4);
    CHECK(many.draw_commands <= few.draw_commands + 4);
    CHECK(many.vertices <= few.vertices + few.vertices / 4);
  }
}

TEST_CASE("a still ledger makes its rows once, however many copies were made", "[window]") {
  const auto cost_with = [](std::size_t copies) {
    DrawnWindow window(1'000);
    auto snapshot = std::make_shared<core::Snapshot>(*many_snapshot(1'000));
    snapshot->copies.assign(copies, core::CopyRecord{.bytes = 1 << 20, .ns = 1'000, .from = {}, .to = {}, .why = {}});
    window.app().show_snapshot(std::move(snapshot));
    window.app().finish_background_work();
    app::ExchangeState& exchange = window.app().panels().exchange;
    exchange.bring_up = app::ExchangeTab::ledger;
    window.frames(20);
    const Cost cost = window.measure([](int) { leave(); });
    CHECK(exchange.tab == app::ExchangeTab::ledger);
    CHECK(exchange.ledger.rows.size() == copies);
    return cost;
  };
  const Cost few = cost_with(100), many = cost_with(10'000);
  CHECK(many.allocations == few.allocations);
  CHECK(many.allocations <= 40);
}

TEST_CASE("a long paragraph allocates nothing in a frame that changes nothing", "[window]") {
  DrawnWindow window(1'000);
  const Cost before = window.measure([](int) { leave(); });
  std::string text = "It was written to pictures.npy";  // has words in which Dear ImGui would break
  while (text.size() < 6'000) text += ", as np.float32, to be opened with any program that knows such files";
  window.app().add_notice(app::Tone::warn, text);
  const Cost with_notice = window.measure([](int) { leave(); });
  CHECK(with_notice.vertices > before.vertices + 10'000);
  CHECK(with_notice.allocations <= before.allocations);
}

TEST_CASE("the line that loads a tensor file is made once", "[window]") {
  DrawnWindow window(1'000);
  app::ExchangeState& exchange = window.app().panels().exchange;
  exchange.bring_up = app::ExchangeTab::copy;
  window.frames(20);
  const TemporaryFolder folder;
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }";
  header.resize(117, ' ');
  const std::string path =
      folder.write("one.npy", std::string("\x93NUMPY\x01\0\x76\0", 10) + header + "\na");
  window.app().open_dropped({path});
  for (int i = 0; i < 20; ++i) {
    window.frames(1);
    window.app().finish_background_work();
  }
  REQUIRE(exchange.loading.last() != nullptr);
  REQUIRE(exchange.loading.last()->contains(path));
  const Cost with_line = window.measure([](int) { leave(); });
  exchange.bring_up = app::ExchangeTab::ledger;  // where it is not shown
  window.frames(20);
  const Cost without = window.measure([](int) { leave(); });
  INFO(with_line.allocations << " with the line, " << without.allocations << " without");
  CHECK(with_line.allocations <= without.allocations + 2);
}

TEST_CASE("what is counted is counted: an allocation in a frame, a rectangle in a picture", "[window]") {
  DrawnWindow window(1'000);
  const auto still = [](int) { leave(); };
  const Cost before = window.measure(still);
  window.app().add_notice(app::Tone::warn, "The notice stands in a window of its own, with a button.");
  const Cost with_notice = window.measure(still);
  CHECK(with_notice.vertices > before.vertices);
  CHECK(with_notice.draw_commands > before.draw_commands);
  const std::uint64_t counted = allocations_of_this_thread();
  const auto text = std::make_unique<std::string>(100, 'x');
  CHECK(allocations_of_this_thread() - counted == 2);
  CHECK(text->size() == 100);
}

}  // namespace dlscope::tests
