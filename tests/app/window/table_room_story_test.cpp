// How the table's panel shares its room: buttons that stay where they are, columns in a narrow window.
#include <catch2/catch_test_macros.hpp>

#include <imgui_internal.h>

#include <algorithm>
#include <vector>

#include "tests/app/window/story.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

// Waits until the worker's rows are on the screen.
void settle(Story& story) {
  story.frames(2);
  story.app().finish_background_work();
  story.frames(2);
}

}  // namespace

TEST_CASE("the buttons of the views stay where they are when another view is chosen", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  std::vector<float> before, after;
  const auto places = [&](std::vector<float>& out) {
    story.act([&](ImGuiTestContext* ui) {
      for (const char* label : {"//Tensors/List", "//Tensors/Tree", "//Tensors/Groups", "//Tensors/Columns"})
        out.push_back(ui->ItemInfo(label).RectFull.Min.x);
    });
  };
  places(before);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Tensors/Tree"); });
  settle(story);
  places(after);
  CHECK(before == after);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Tensors/###fold"); });
  settle(story);
  after.clear();
  places(after);
  CHECK(before == after);
}

}  // namespace dlscope::tests
