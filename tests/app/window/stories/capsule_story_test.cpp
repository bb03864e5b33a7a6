// Capsules in a narrow view at 200 %, with a host that answers as told.
#include <catch2/catch_test_macros.hpp>

#include <imgui_internal.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/app/window/stories/story.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

constexpr const char* kCapsules =
    R"j({"alive": 3, "waiting": 0, "alive_bytes": 96, "capsules": [
      {"id": 1, "kind": "dltensor_versioned", "state": "consumed", "name": "used_dltensor_versioned", "tensor": "float32 (4, 6)",
       "held_by": ["first"], "watched_ns": 1, "events": [
         {"step": "watched", "t_ns": 0, "thread": 7, "main_thread": true, "noticed": false, "detail": ""},
         {"step": "consumed", "t_ns": 1500000, "thread": 7, "main_thread": true, "noticed": true, "detail": ""}]},
      {"id": 2, "kind": "dltensor", "state": "consumed", "name": "used_dltensor", "tensor": "float32 (4, 6)",
       "held_by": ["second"], "watched_ns": 1, "events": []},
      {"id": 3, "kind": "dltensor", "state": "consumed", "name": "used_dltensor", "tensor": "float32 (4, 6)",
       "held_by": ["third"], "watched_ns": 1, "events": []}]})j";

app::ApplicationOptions at_200_percent() {
  app::ApplicationOptions options;
  options.scale = 2;
  return options;
}

// The child of the Exchange view that the Capsules tab is drawn in.
const ImGuiWindow* body() {
  const ImGuiWindow* const panel = ImGui::FindWindowByName("Exchange");
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (window->Active && window->ParentWindow == panel && std::string(window->Name).find("body") != std::string::npos)
      return window;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("the question of a capsule's button that is far below comes into view, with whole answers", "[window][exchange]") {
  Story story(at_200_percent());
  story.resize(1600, 1000);
  story.host().found_python();
  story.host().ready();
  story.frames(3);
  story.show(snapshot_of({{.name = "x", .shape = {4, 6}}}));
  story.app().commands().push(app::command::SetLayout{app::LayoutPreset::teach});
  story.frames(10);
  story.app().select("x");
  story.app().panels().menu.show[app::ActionContext::exchange] = true;
  story.app().panels().exchange.bring_up = app::ExchangeTab::capsules;
  story.frames(20);
  const auto asked = [&] {
    return std::ranges::find(story.host().questions, std::string("capsules"), &FakeHost::Question::kind);
  };
  REQUIRE(story.wait_for([&] { return asked() != story.host().questions.end(); }));
  story.host().answer(*asked(), kCapsules);
  story.frames(5);
  app::CapsulesState& capsules = story.app().panels().exchange.capsules;
  REQUIRE(capsules.all.size() == 3);

  const std::string text = story.text_of_frame();
  CHECK(text.find("consumed: renamed used_dltensor_versioned, seen now") != std::string::npos);
  const ImGuiWindow* const shown = body();
  REQUIRE(shown != nullptr);
  // The newest capsule is on top, and the log below all of them: the first one's button is the lowest that is seen from the end on.
  story.act([&](ImGuiTestContext* ui) {
    ui->ScrollToBottom(shown->ID);
    ui->Yield(2);
    ImGuiTestItemList items;
    ui->GatherItems(&items, shown->ID);
    const ImGuiTestItemInfo* lowest = nullptr;
    for (const ImGuiTestItemInfo& each : items) {
      const bool is_one = std::string(each.DebugLabel) == "Drop the capsule";
      if (is_one && (lowest == nullptr || each.RectFull.Min.y > lowest->RectFull.Min.y)) lowest = &each;
    }
    IM_CHECK_SILENT(lowest != nullptr);
    ui->ItemClick(lowest->ID);
  });
  story.frames(3);
  REQUIRE(capsules.prediction);
  CHECK(capsules.prediction->capsule == 1);
  std::size_t met = 0;
  story.act([&](ImGuiTestContext* ui) {
    ImGuiTestItemList items;
    ui->GatherItems(&items, shown->ID);
    for (const ImGuiTestItemInfo& each : items) {
      const std::string label = each.DebugLabel;
      const bool is_answer = label.find("The capsule is") != std::string::npos ||
                             label.find("The deleter is") != std::string::npos || label == "Just run it";
      if (!is_answer) continue;
      INFO(label);
      ++met;
      CHECK(each.RectFull.Min.y >= shown->InnerClipRect.Min.y);
      CHECK(each.RectFull.Max.y <= shown->InnerClipRect.Max.y);
      CHECK(each.RectFull.Max.x <= shown->InnerClipRect.Max.x);
    }
  });
  CHECK(met == 4);
}

}  // namespace dlscope::tests
