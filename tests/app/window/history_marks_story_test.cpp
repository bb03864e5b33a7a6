// Looking back, and what stays true of it: the marks against a chosen moment, and pictures of what was remembered.
#include <catch2/catch_test_macros.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/inventory/kept_bytes.h"
#include "tests/app/window/history_story.h"

namespace dlscope::tests {
namespace {

// Answers the question what waits to be fetched: x of the second run, as it was then.
void announce_x(HistoryStory& window) {
  const auto& asked = window.story.host().questions;
  const auto question = std::ranges::find(asked.rbegin(), asked.rend(), "remember", &FakeHost::Question::kind);
  REQUIRE(question != asked.rend());
  const core::TensorRecord& x = window.app().index()->tensor(*window.app().index()->find("x"));
  const std::vector<std::byte> bytes(static_cast<std::size_t>(x.extent.size()), static_cast<std::byte>(window.memory->fill));
  window.story.host().answer(
      *question,
      fmt::format(R"({{"copies":[{{"id":1,"revision":{},"tensor":{},"name":"x","hashed":false,"begin":{},"at":4096,"size":{},)"
                  R"("check":{},"ran":"no","why":""}}]}})",
                  window.app().index()->snapshot->info.revision, *window.app().index()->find("x"), x.extent.begin, bytes.size(),
                  core::hash_of_bytes(bytes)));
  window.story.frames(2);
  window.settle();
}

}  // namespace

TEST_CASE("the heat map of a remembered tensor is exported as it was then", "[window][history][remember][heatmap]") {
  HistoryStory window;
  window.app().commands().push(app::command::RememberTensor{.how = app::Remember::bytes});
  window.story.frames(2);
  announce_x(window);
  window.run(kFirst);
  window.look_at(2);
  REQUIRE(window.app().held().contains(window.app().selected()));
  bring_up(window.story, "//Heat map");
  for (int i = 0; i < 4; ++i) window.settle();
  CHECK(window.app().panels().heatmap.said.starts_with("computed on all 6 values"));
  window.app().commands().push(app::command::ExportHeatmap{});
  window.story.frames(2);
  const auto picture = window.app().take_heatmap_picture();
  REQUIRE(picture);
  CHECK(picture->text[1].second.find("Then: as of run 2.\n") != std::string::npos);
}

}  // namespace dlscope::tests
