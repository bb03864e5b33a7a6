// The compare view in a low panel: what it was opened for, the pictures, are in view; the rest is a click away.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <vector>

#include <imgui_internal.h>

#include "tests/app/window/stories/story_windows.h"

namespace dlscope::tests {
namespace {

constexpr const char* kPanel = "//Compare";

struct Low {
  std::vector<float> a = std::vector<float>(64 * 64), b = a;
  Story story{{}, false};

  explicit Low(float scale) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = b[i] = static_cast<float>(i % 7);
    b[7 * 64 + 11] = 100;
    story.app().read_memory_with(core::process_reader(0).value());
    story.app().commands().push(app::command::SetScale{scale});
    story.frames(4);
    const core::Layout layout = core::Layout::c_order({64, 64}, 32);
    const core::DType f32 = *core::dtype_from_name("float32");
    story.show(local_tensors({{"a", a.data(), f32, layout}, {"b", b.data(), f32, layout}}));
    story.app().commands().push(app::command::SelectTensor{*story.app().index()->find("a")});
    story.app().commands().push(app::command::CompareTensor{*story.app().index()->find("b")});
    story.frames(2);
    bring_up(story, kPanel);
    REQUIRE(story.wait_for([&] {
      return panel().found.has_value() && std::ranges::all_of(panel().pictures.panes, [](const app::ComparisonPane& one) {
               return one.said.starts_with("computed on") && one.known.is_exact();
             });
    }));
    story.frames(3);
  }
  app::ComparePanelState& panel() { return story.app().panels().compare; }
};

}  // namespace

TEST_CASE("the pictures of a comparison are in view when it is opened, at every scale", "[window][compare]") {
  for (const float scale : {1.0F, 1.5F, 2.0F}) {
    Low low(scale);
    INFO("scale " << scale);
    const ImGuiWindow* const window = ImGui::FindWindowByName(app::title_of(app::ActionContext::compare));
    REQUIRE(window != nullptr);
    CHECK(window->ScrollMax.y == 0);
    const ImRect inside = window->InnerClipRect;
    for (const app::ComparisonPane& one : low.panel().pictures.panes) {
      CHECK((one.cells_from.y >= inside.Min.y && one.cells_to.y <= inside.Max.y));
      CHECK((one.cells_from.x >= inside.Min.x && one.cells_to.x <= inside.Max.x));
      CHECK(one.cells_to.y - one.cells_from.y >= 2 * ImGui::GetFontSize());  // two lines of text
    }
    CHECK_THAT(low.story.text_of_frame(), Catch::Matchers::ContainsSubstring("1 of 4 096 values differ"));
  }
}

TEST_CASE("in a low compare panel the figures, the tolerance and the choices are in popups", "[window][compare]") {
  Low low(2.0F);
  const auto contains = [](const char* text) { return Catch::Matchers::ContainsSubstring(text); };
  CHECK_THAT(low.story.text_of_frame(), !contains("largest ULP"));
  low.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Compare/**/Details …"); });
  const std::string details = low.story.text_of_frame();
  CHECK_THAT(details, contains("largest ULP") && contains("hash of A") && contains("relative"));
  low.story.act([](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiKey_Escape);
    ui->ItemClick("//Compare/**/View …");
    ui->ItemClick("//$FOCUSED/camera");
    ui->KeyPress(ImGuiKey_Escape);
  });
  CHECK_FALSE(low.panel().pictures.link_camera);
  low.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Compare/**/Go to the first"); });
  CHECK(low.story.app().pinned().element == 7U * 64 + 11);
}

}  // namespace dlscope::tests
