// Stories of the memory map: zoom, click, double click, keys, bounded frames; and of the list of who shares with whom.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <string>

#include <imgui_internal.h>

#include "app/models/text/format.h"
#include "tests/app/window/stories/drawn_text.h"
#include "tests/app/window/stories/story_windows.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

std::string name_of(app::Application& app, std::uint32_t id) {
  return id == core::kNone32 ? std::string("nothing") : std::string(app.index()->snapshot->name(app.index()->tensor(id)));
}

// The first host lane's rectangle.
ImRect lane_rect(ImGuiTestContext* ui) {
  const ImGuiTestItemInfo lane = ui->ItemInfo("//Memory/$$1/lane");
  return lane.RectFull;
}

app::LaneView view_of(Story& story) { return story.app().panels().memory.lanes.at(core::kCpuDevice).view; }

}  // namespace

TEST_CASE("the wheel zooms the map at the cursor, F fits it again, 0 is one byte per pixel", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  CHECK(view_of(story).units_per_px == 0);
  story.act([](ImGuiTestContext* ui) {
    const ImRect lane = lane_rect(ui);
    ui->MouseMoveToPos({lane.Max.x - 30, lane.Min.y + 10});
    for (int i = 0; i < 8; ++i) ui->MouseWheelY(1);
    ui->Yield(2);
  });
  const double zoomed = view_of(story).units_per_px;
  CHECK(zoomed > 0);
  story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_0); });
  CHECK(view_of(story).units_per_px > 0);
  CHECK(view_of(story).units_per_px < zoomed);  // four MiB lie there
  story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_F); });
  story.frames(2);
  CHECK(view_of(story).units_per_px == 0);
}

TEST_CASE("+, - and 0 zoom the map without a mouse over it", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  const auto press = [&](ImGuiKeyChord key, int times) {
    story.act([&](ImGuiTestContext* ui) {
      ui->MouseMoveToPos({2, 2});
      ui->WindowFocus("//Memory");
      for (int i = 0; i < times; ++i) ui->KeyPress(key);
      ui->Yield(2);
    });
    return view_of(story).units_per_px;
  };
  const double once = press(ImGuiKey_Equal, 1), further = press(ImGuiKey_KeypadAdd, 3);
  CHECK(once > 0);
  CHECK(further < once / 1.5);
  CHECK(press(ImGuiKey_Minus, 1) > further);
  const auto type = [&](const char* text) {  // on a keyboard where + is a key of its own
    story.act([&](ImGuiTestContext* ui) {
      ui->KeyChars(text);
      ui->Yield(2);
    });
    return view_of(story).units_per_px;
  };
  const double before = view_of(story).units_per_px, nearer = type("+");
  CHECK(nearer < before);
  CHECK(type("-") > nearer);
  CHECK(press(ImGuiKey_F, 1) == 0);
  const double one = press(ImGuiKey_0, 1);  // one byte per pixel
  CHECK((one > 0 && one < once));
  press(ImGuiKey_F, 1);
  press(ImGuiMod_Ctrl | ImGuiKey_Equal, 1);  // the scale of the window
  CHECK(view_of(story).units_per_px == 0);
}

TEST_CASE("what is said of the byte under the mouse does not cover the status bar", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  float below = 0;
  bool said = false;
  story.act([&](ImGuiTestContext* ui) {
    const ImRect lane = lane_rect(ui);
    for (float x = lane.Min.x + 20; x < lane.Max.x; x += (lane.Max.x - lane.Min.x) / 8) {
      ui->MouseMoveToPos({x, lane.Max.y - 20});
      ui->Yield(3);
      for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
        if ((window->Flags & ImGuiWindowFlags_Tooltip) == 0 || !window->Active) continue;
        said = true;
        below = std::max(below, window->Rect().Max.y);
      }
    }
  });
  CHECK(said);
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  CHECK(below <= viewport->WorkPos.y + viewport->WorkSize.y);
}

TEST_CASE("memory that a tensor keeps alive and nothing names is drawn, and said when the mouse is on it", "[window]") {
  Story story;
  story.frames(2);
  const core::Address base = 0x558120001000;
  const std::uint64_t kept = (64U << 20) - 4096;
  story.show(snapshot_of({{.name = "row", .address = base, .shape = {1024}, .allocation = {base, base + (64U << 20)}}}));
  CHECK(story.text_of_frame().find(app::human_bytes(kept) + " kept alive unnamed") != std::string::npos);
  bool said = false;
  story.act([&](ImGuiTestContext* ui) {
    const ImRect lane = lane_rect(ui);
    ui->MouseMoveToPos({lane.Max.x - 8, lane.Min.y + 20});
    ui->Yield(3);
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
      said = said || ((window->Flags & ImGuiWindowFlags_Tooltip) != 0 && window->Active);
  });
  CHECK(said);
  CHECK(name_of(story.app(), story.app().focus().tensor) == "nothing");
}

TEST_CASE("a double click zooms to the tensor, again to the element, and a click there pins it", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  const auto at = [](ImGuiTestContext* ui, float part) {
    const ImRect lane = lane_rect(ui);
    ui->MouseMoveToPos({lane.Min.x + (lane.Max.x - lane.Min.x) * part, lane.Min.y + 10});
  };
  story.act([&](ImGuiTestContext* ui) {
    at(ui, 0.02F);
    ui->MouseDoubleClick();
    ui->Yield(2);
  });
  const double tensor = view_of(story).units_per_px;
  CHECK(tensor > 0);
  story.act([&](ImGuiTestContext* ui) {
    ui->SleepNoSkip(1, 0.5F);
    at(ui, 0.5F);
    ui->MouseDoubleClick();
    ui->Yield(2);
    ui->SleepNoSkip(1, 0.5F);
    at(ui, 0.5F);
    ui->MouseClick();
    ui->Yield(2);
  });
  CHECK(view_of(story).units_per_px < tensor);
  CHECK(name_of(story.app(), story.app().selected()) == "x");
  CHECK(story.app().panels().memory.labels_drawn > 4);  // elements have their numbers
  // A refresh does not move it.
  const double before = view_of(story).units_per_px;
  story.show(tour_snapshot());
  CHECK(view_of(story).units_per_px == before);
}

TEST_CASE("at the deepest zoom the map shows each byte in hex and each element's value", "[window]") {
  alignas(64) static const std::array<float, 4> numbers{1.5F, -2.0F, 0.25F, 3.0F};
  FileWindow window(numbers.data(), "float32", core::Layout::c_order({4}, 32), "//Memory");
  Story& story = window.story;
  ImRect lane;
  story.act([&](ImGuiTestContext* ui) {
    lane = lane_rect(ui);
    ui->MouseMoveToPos({lane.Min.x + 10, lane.Min.y + 10});
    for (int i = 0; i < 40; ++i) ui->MouseWheelY(1);
    ui->Yield(3);
    ui->MouseMoveToPos({4, 4});
    ui->Yield(2);
  });
  story.frames(3);
  const std::string text = drawn_text(lane.Min, lane.Max);
  INFO(text);
  CHECK(text.find("00 00 c0 3f") != std::string::npos);  // 1.5, the lowest byte first
  CHECK(text.find("1.5") != std::string::npos);
  CHECK(text.find("…") == std::string::npos);
}

TEST_CASE("the zoom of a device's memory stays with the device, whatever else is found before it", "[window]") {
  Story story;
  story.frames(2);
  const core::DeviceId first{2, 0}, second{2, 1};
  const SampleTensor b{.name = "b", .address = 0x558120001000, .shape = {4096}, .device = first};
  story.show(snapshot_of({b}, 1));
  story.act([](ImGuiTestContext* ui) {
    ui->WindowFocus("//Memory");
    const ImRect lane = ui->ItemInfo("//Memory/$$2/lane").RectFull;
    ui->MouseMoveToPos({(lane.Min.x + lane.Max.x) * 0.5F, lane.Min.y + 10});
    for (int i = 0; i < 8; ++i) ui->MouseWheelY(1);
    ui->Yield(2);
  });
  const auto& lanes = story.app().panels().memory.lanes;
  const double zoomed = lanes.at(first).view.units_per_px;
  REQUIRE(zoomed > 0);
  story.show(snapshot_of({{.name = "a", .address = 0x558120001000, .shape = {4096}, .device = second}, b}, 2));
  REQUIRE(story.app().index()->map.lanes.size() == 2);
  CHECK(lanes.at(first).view.units_per_px == zoomed);
  CHECK(lanes.at(second).view.units_per_px == 0);
}

TEST_CASE("what the map draws is bounded by its pixels, zoomed in or out, whatever the number of tensors", "[window]") {
  Story story;
  story.frames(2);
  story.show(many_snapshot(100'000));
  const auto& memory = story.app().panels().memory;
  CHECK(memory.shapes_drawn < 2000);
  story.act([&](ImGuiTestContext* ui) {
    const ImRect lane = lane_rect(ui);
    ui->MouseMoveToPos({(lane.Min.x + lane.Max.x) * 0.5F, lane.Min.y + 10});
    for (int i = 0; i < 40; ++i) {
      ui->MouseWheelY(1);
      IM_CHECK_LT(memory.shapes_drawn, 2000);
      IM_CHECK_LT(memory.labels_drawn, 400);
    }
  });
  CHECK(view_of(story).units_per_px > 0);
}

TEST_CASE("tensors without memory are named beside the map and can be selected there", "[window]") {
  Story story;
  story.frames(2);
  story.show(broken_snapshot());
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Memory/$$0/###beside"); });
  CHECK(name_of(story.app(), story.app().selected()) == "null");
}

TEST_CASE("the sharing list says who shares with the selected tensor, and pins the common byte", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  story.app().commands().push(app::command::SetLayout{app::LayoutPreset::verify});
  story.app().select("y");
  story.frames(6);
  const auto& sharing = story.app().panels().sharing;
  CHECK(sharing.rows_drawn == 3);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Sharing/**/$$0/Pin it"); });
  story.frames(2);
  CHECK(name_of(story.app(), story.app().selected()) == "y");
  story.app().commands().push(app::command::CompareTensor{9});
  story.frames(3);
  CHECK(sharing.comparison.sentence.find("“y” and “weights” share nothing") == 0);
  story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Sharing/**/Stop comparing");
    ui->ItemClick("//Sharing/All pairs");
  });
  story.frames(2);
  CHECK(story.app().compared() == core::kNone32);
  CHECK(sharing.rows_drawn > 3);
  CHECK(sharing.list_text.empty());
}

TEST_CASE("the sharing list says when the analysis was stopped, instead of that nobody shares", "[window]") {
  Story story;
  story.frames(2);
  story.show(snapshot_of(
      {{.name = "x", .address = 0x558120001000, .shape = {8}}, {.name = "y", .address = 0x558120001000, .shape = {4}}}, 1,
      stopped_limits()));
  story.app().commands().push(app::command::SetLayout{app::LayoutPreset::verify});
  story.app().select("x");
  story.frames(6);
  const auto& sharing = story.app().panels().sharing;
  CHECK(sharing.rows_drawn == 0);
  CHECK(sharing.partners.title.ends_with("what it shares is unknown: the analysis was stopped."));
  CHECK(sharing.list_text == "Which tensors share bytes is unknown: the analysis was stopped.");
}

}  // namespace dlscope::tests
