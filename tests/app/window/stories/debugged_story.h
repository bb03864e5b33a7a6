// A window with a script of two functions whose host does what the story says: breakpoints, stops, steps.
#pragma once

#include <TextEditor.h>
#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/app/window/stories/story.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {

inline constexpr const char* kDebuggedText =
    "import numpy as np\n\ndef step(i):\n    x = np.zeros(i)\n    return x\n\nfor i in range(100):\n    step(i)\n";

// A window with a script whose host is up.
class DebuggedStory {
 public:
  explicit DebuggedStory(app::ApplicationOptions options = {}) : story(std::move(options)) {
    story.app().load_text("/home/u/train.py", kDebuggedText);
    story.host().found_python();
    story.host().ready();
    story.frames(4);
  }
  void press(ImGuiKeyChord chord) {
    story.act([=](ImGuiTestContext* ui) { ui->KeyPress(chord); });
    story.frames(2);
  }
  void put_cursor(std::size_t line) {
    panel().reveal_line = line - 1;
    story.frames(4);
    REQUIRE(panel().typing);
  }
  // The middle of the gutter beside a line.
  [[nodiscard]] ImVec2 gutter(std::size_t line) {
    const TextEditor& editor = *panel().editor;
    const ImVec2 text = editor.DocPos2ScreenPos({line - 1, 0});
    return {text.x - editor.GetGlyphWidth() * (static_cast<float>(editor.GetTextLeftMargin()) + 1),
            text.y + editor.GetLineHeight() * 0.5F};
  }
  void click_gutter(std::size_t line, ImGuiMouseButton button = ImGuiMouseButton_Left) {
    const ImVec2 at = gutter(line);
    story.act([=](ImGuiTestContext* ui) {
      ui->MouseMoveToPos(at);
      ui->MouseClick(button);
    });
    story.frames(2);
  }
  void run() {
    press(ImGuiKey_F5);
    REQUIRE_FALSE(story.host().runs.empty());
  }
  // The script stands in step(), called from the module, with a library's frames between when `deep`.
  void stop(std::uint64_t number = 1, std::uint32_t line = 4, core::wire::StopReason reason = core::wire::StopReason::breakpoint) {
    core::wire::Stopped at;
    at.stop = number;
    at.reason = reason;
    at.thread = "MainThread";
    at.frames = {{"step", "/home/u/train.py", line, true},
                 {"call", "/lib/io.py", 3, false},
                 {"map", "/lib/io.py", 9, false},
                 {"<module>", "/home/u/train.py", 8, true}};
    auto seen = std::make_shared<core::Snapshot>(*snapshot_of({{.name = "x", .shape = {4}}}));
    seen->info.run = story.host().runs.front().run;
    seen->info.revision = ++revision;
    seen->info.scanned = core::Scanned::stop;
    story.host().stop_at(std::move(at), std::move(seen));
    story.frames(1);
    story.app().finish_background_work();
    story.frames(8);
  }
  [[nodiscard]] const std::vector<core::wire::Breakpoint>& sent() {
    REQUIRE_FALSE(story.host().breakpoints.empty());
    return story.host().breakpoints.back().all;
  }
  app::ScriptPanelState& panel() { return story.app().panels().script; }
  const app::HostSession& session() { return story.app().host(); }

  Story story;
  std::uint64_t revision = 10;
};


}  // namespace dlscope::tests
