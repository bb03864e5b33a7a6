// A window whose script has run twice, for stories about the history.
#pragma once

#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/app/window/stories/story_windows.h"

namespace dlscope::tests {

// The script's memory: says how often it was read, and holds other bytes whenever a story says so.
class WatchedMemory final : public core::MemoryReader {
 public:
  std::size_t read(core::Address, std::span<std::byte> out) const override {
    ++reads;
    std::memset(out.data(), fill, out.size());
    return out.size();
  }
  mutable std::atomic<int> reads = 0;
  int fill = 0;
};

inline const std::vector<SampleTensor> kFirst = {
    {.name = "x", .address = 0x558120001000, .shape = {3, 4}},
    {.name = "y", .address = 0x558120001000, .shape = {4, 3}, .strides = {1, 4}},
    {.name = "gone_later", .address = 0x558120002000, .shape = {8}}};
// The same address, another type and shape: bytes of now under the first description would be wrong numbers.
inline const std::vector<SampleTensor> kSecond = {
    {.name = "x", .dtype = "int16", .address = 0x558120001000, .shape = {6}},
    {.name = "y", .address = 0x558120003000, .shape = {4, 3}},
    {.name = "fresh", .address = 0x558120004000, .shape = {5}}};

// A window whose script has run twice, with "x" selected and every look kept.
struct HistoryStory {
  Story story;
  std::shared_ptr<WatchedMemory> memory = std::make_shared<WatchedMemory>();

  HistoryStory() {
    story.app().load_text("a.py", "x = 1\n");
    story.host().found_python();
    story.host().ready();
    story.frames(3);
    story.app().read_memory_with(memory);
    run(kFirst);
    story.app().select("x");
    story.frames(3);
    start();
    memory->fill = 9;
    finish(kSecond);
  }
  app::Application& app() { return story.app(); }
  void settle() {
    for (int i = 0; i < 3; ++i) {
      story.app().finish_background_work();
      story.frames(3);
    }
  }
  void finish(const std::vector<SampleTensor>& tensors) {
    auto numbered = std::make_shared<core::Snapshot>(*snapshot_of(tensors));
    numbered->info.run = story.host().runs.back().run;
    numbered->info.revision = ++revision;
    story.host().finish(finished(), numbered);
    story.frames(1);
    settle();
  }
  void start() {
    story.app().commands().push(app::command::RunScript{});
    story.frames(3);
  }
  void run(const std::vector<SampleTensor>& tensors) {
    start();
    finish(tensors);
  }
  void look_at(std::uint64_t moment) {
    story.app().commands().push(app::command::ShowMoment{moment});
    story.frames(1);
    settle();
  }
  [[nodiscard]] bool lists(const char* name) { return app().index()->find(name).has_value(); }
  [[nodiscard]] app::Since since() { return app().moment().since; }
  std::uint64_t revision = 0;
};

}  // namespace dlscope::tests
