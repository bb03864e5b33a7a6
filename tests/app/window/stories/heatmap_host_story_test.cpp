// The heat map in the window of a host that answers as told: a sample before the exact picture, what is asked for by itself and what is not.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <memory>
#include <string>

#include "app/widgets/value_marks.h"
#include "tests/app/window/stories/heatmap_window.h"

namespace dlscope::tests {

TEST_CASE("with a host: a sample that says so, then exact texels, and no second question for the same picture",
          "[window][heatmap]") {
  HostWindow window;
  bring_up(window.story, kHeatmap);
  REQUIRE(window.asked<core::wire::ReduceTensor>() == 1);
  const std::uint64_t id = window.story.host().work.size();
  const auto asked = std::get<core::wire::ReduceTensor>(window.story.host().work.back());
  CHECK(asked.tensor ==
        core::wire::TensorRef{window.story.app().index()->snapshot->info.revision, window.story.app().selected()});
  core::Texels texels;
  texels.resize(
      {0, 0, static_cast<std::uint32_t>(asked.window.texel_rows()), static_cast<std::uint32_t>(asked.window.texel_columns())});
  std::ranges::fill(texels.flags, core::kTexelFinite);
  window.say(app::HostPart{id, texels});
  CHECK(window.story.app().panels().heatmap.said == "sample: a few values of each pixel; a lone NaN may be missing");
  texels.method = core::TexelMethod::exact;
  texels.flags[0] = core::kTexelNan;
  window.say(app::HostPart{id, texels});
  window.say(app::HostWorkEnded{id, core::wire::WorkOutcome::done, {}, {}});
  CHECK(window.story.app().panels().heatmap.said == "computed on all 12 values");
  CHECK((window.story.app().panels().heatmap.range.flags & core::kTexelNan) != 0);
  window.story.frames(5);
  CHECK(window.asked<core::wire::ReduceTensor>() == 1);
  // Looking around is no work to look back at: only the statistics, for the counts above the picture, are in the list.
  CHECK(window.asked<core::wire::ComputeStatistics>() == 1);
  CHECK(window.story.app().tasks().all().size() == 1);
  // While code runs nothing is asked for by itself, and what is shown says of when it is.
  window.start();
  CHECK(window.asked<core::wire::ReduceTensor>() == 1);
  CHECK(window.story.app().panels().heatmap.said == "read as of run 1; run 2 is running");
  window.run();
  bring_up(window.story, kHeatmap);
  CHECK(window.asked<core::wire::ReduceTensor>() == 2);  // anew, by itself
  window.say(app::HostWorkEnded{
      window.story.host().work.size(), core::wire::WorkOutcome::failed, "the byte at 0x10 cannot be read", {}});
  CHECK(window.story.app().panels().heatmap.said.find("cannot be read") != std::string::npos);
  window.story.frames(5);
  CHECK(window.asked<core::wire::ReduceTensor>() == 2);  // not again by itself
}

TEST_CASE("with a host: all values of a large tensor are read once in the background, of a still larger one none",
          "[window][heatmap]") {
  const struct {
    const char* dtype;
    std::int64_t side;
    std::uint64_t exact;
  } cases[] = {{"float32", 16'384, std::uint64_t{1} << 28}, {"uint8", 33'000, 0}};
  for (const auto& one : cases) {
    HostWindow window;
    window.start();
    auto left = std::make_shared<core::Snapshot>(*snapshot_of({{.name = "x", .dtype = one.dtype, .shape = {one.side, one.side}}}));
    left->info.run = window.story.host().runs.back().run;
    left->info.revision = 300;
    window.story.host().finish(finished(), left);
    window.story.frames(2);
    window.story.app().finish_background_work();
    bring_up(window.story, kHeatmap);
    std::uint64_t exact = 0;
    std::size_t answered = 0;
    for (; answered < window.story.host().work.size() && answered < 300; ++answered) {
      const auto* const asked = std::get_if<core::wire::ReduceTensor>(&window.story.host().work[answered]);
      if (asked == nullptr) continue;
      core::Texels texels;
      texels.resize({0, 0, static_cast<std::uint32_t>(asked->window.texel_rows()),
                     static_cast<std::uint32_t>(asked->window.texel_columns())});
      std::ranges::fill(texels.flags, core::kTexelFinite);
      if (asked->most_exact > 0) {
        exact += static_cast<std::uint64_t>(asked->window.rows) * static_cast<std::uint64_t>(asked->window.columns);
        texels.method = core::TexelMethod::exact;
        texels.flags[0] |= core::kTexelNan;
      }
      window.say(app::HostPart{answered + 1, texels});
      window.say(app::HostWorkEnded{answered + 1, core::wire::WorkOutcome::done, {}, {}});
      window.story.frames(2);
    }
    CHECK(answered < 300);
    CHECK(exact == one.exact);
    const app::HeatmapPanelState& panel = window.story.app().panels().heatmap;
    CHECK(panel.said == (one.exact > 0 ? "sample: a few values of each pixel; every NaN and infinity marked"
                                       : "sample: a few values of each pixel; a lone value may be missing"));
    const std::uint32_t corner = panel.texture.pixel(1, 1);
    CHECK((corner == ImGui::GetColorU32(app::value_colour(app::theme_for(window.story.app().theme()), core::ValueClass::nan))) ==
          (one.exact > 0));
    // While code runs nothing more is asked for.
    const std::size_t before = window.asked<core::wire::ReduceTensor>();
    window.start();
    window.story.frames(5);
    CHECK(window.asked<core::wire::ReduceTensor>() == before);
  }
}

TEST_CASE("nothing of one tensor is painted for another whose values are not read by themselves", "[window][heatmap]") {
  HostWindow window;
  window.start();
  auto seen = std::make_shared<core::Snapshot>(
      *snapshot_of({{.name = "x", .shape = {4, 4}}, {.name = "z", .address = 0x558120001000, .shape = {4, 4}}}));
  seen->info.run = window.story.host().runs.back().run;
  seen->info.revision = 300;
  window.story.host().finish(finished(), seen);
  window.story.frames(2);
  window.story.app().finish_background_work();
  bring_up(window.story, kHeatmap);
  const auto asked = std::get<core::wire::ReduceTensor>(window.story.host().work.back());
  core::Texels texels;
  texels.resize(
      {0, 0, static_cast<std::uint32_t>(asked.window.texel_rows()), static_cast<std::uint32_t>(asked.window.texel_columns())});
  std::ranges::fill(texels.flags, core::kTexelFinite);
  window.say(app::HostPart{window.story.host().work.size(), texels});
  window.say(app::HostWorkEnded{window.story.host().work.size(), core::wire::WorkOutcome::done, {}, {}});
  const app::HeatmapPanelState& panel = window.story.app().panels().heatmap;
  const ImU32 of_x = panel.texture.pixel(4, 4);
  window.start();
  const std::size_t before = window.asked<core::wire::ReduceTensor>();
  window.story.app().select("z");
  window.story.frames(4);
  REQUIRE(panel.name == "z");
  CHECK(window.asked<core::wire::ReduceTensor>() == before);
  CHECK(panel.texture.pixel(4, 4) != of_x);
}

}  // namespace dlscope::tests
