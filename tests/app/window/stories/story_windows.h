// Windows over memory that a story knows: of this process, as with a file; or with a host that answers as told.
#pragma once

#include <memory>
#include <utility>

#include "core/memory/memory_reader.h"
#include "tests/app/window/stories/story.h"
#include "tests/support/local_tensor.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {

inline void bring_up(Story& story, const char* panel) {
  story.act([&](ImGuiTestContext* ui) {
    ui->WindowFocus(panel);
    ui->Yield(2);
  });
}

// A window without a host over a tensor "x" of this process, one panel in front.
struct FileWindow {
  Story story{{}, false};

  FileWindow(const void* data, const char* dtype, const core::Layout& layout, const char* panel) {
    story.app().read_memory_with(core::process_reader(0).value());
    story.frames(3);
    story.show(local_tensor(data, *core::dtype_from_name(dtype), layout));
    story.app().select("x");
    story.frames(2);
    bring_up(story, panel);
  }
  // What was asked for is worked out, and shown.
  void finish() {
    for (int i = 0; i < 3; ++i) {
      story.app().finish_background_work();
      story.frames(3);
    }
  }
};

// A window whose script has left the tour's tensors, with "x" selected.
struct HostWindow {
  Story story;

  HostWindow() {
    story.host().found_python();
    story.host().ready();
    story.frames(3);
    run();
    story.app().select("x");
    story.frames(3);
  }
  void start() {
    story.app().commands().push(app::command::RunScript{});
    story.frames(3);
  }
  void run() {
    start();
    auto numbered = std::make_shared<core::Snapshot>(*tour_snapshot());
    numbered->info.run = story.host().runs.back().run;
    numbered->info.revision = numbered->info.run + 100;
    core::RunOutcome outcome;
    outcome.outcome = core::Outcome::finished;
    story.host().finish(outcome, numbered);
    story.frames(2);
    story.app().finish_background_work();
    story.frames(3);
  }
  template <class Event>
  void say(Event event) {
    story.host().events.emplace_back(app::HostEvent{std::move(event)});
    story.frames(3);
  }
  template <class Asked>
  [[nodiscard]] std::size_t asked() {
    std::size_t count = 0;
    for (const auto& work : story.host().work) count += std::holds_alternative<Asked>(work) ? 1 : 0;
    return count;
  }
};

}  // namespace dlscope::tests
