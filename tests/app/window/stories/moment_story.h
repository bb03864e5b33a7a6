// MomentStory: a window whose script has run once, over memory that the story lets be freed and written to by somebody else.
#pragma once

#include <cstring>
#include <memory>

#include "core/memory/memory_reader.h"
#include "tests/app/window/stories/story.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {

// Every byte is the number of times it was asked for memory: a view that compares two reads sees a change each time.
class RestlessMemory final : public core::MemoryReader {
 public:
  std::size_t read(core::Address, std::span<std::byte> out) const override {
    ++reads;
    std::memset(out.data(), still ? fill : reads % 200, out.size());
    return out.size();
  }
  mutable int reads = 0;
  bool still = true;
  int fill = 1;
};

// A window whose script has run once and left the tour's tensors, with "x" selected.
struct MomentStory {
  Story story;
  std::shared_ptr<RestlessMemory> memory = std::make_shared<RestlessMemory>();

  MomentStory() {
    story.app().load_text("a.py", tour_script());
    story.host().found_python();
    story.host().ready();
    story.frames(3);
    story.app().read_memory_with(memory);
    run(tour_snapshot());
    story.app().select("x");
    story.frames(3);
  }
  app::Application& app() { return story.app(); }
  void start() {
    story.app().commands().push(app::command::RunScript{});
    story.frames(3);
  }
  void finish(core::SnapshotPtr snapshot) {
    auto numbered = std::make_shared<core::Snapshot>(*snapshot);
    numbered->info.run = story.host().runs.back().run;
    story.host().finish(finished(), numbered);
    story.frames(1);
    story.app().finish_background_work();
    story.frames(3);
  }
  void run(core::SnapshotPtr snapshot) {
    start();
    finish(std::move(snapshot));
  }
  [[nodiscard]] app::TensorState state() {
    return app::state_of(story.app().moment(), story.app().held().contains(story.app().selected()));
  }
  app::ValuesPanelState& values() { return story.app().panels().values; }
};

}  // namespace dlscope::tests
