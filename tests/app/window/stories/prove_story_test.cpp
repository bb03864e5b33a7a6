// The chain of the Prove tab, filled from the tensor table.
#include <catch2/catch_test_macros.hpp>
#include <imgui_internal.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/app/window/stories/drawn_text.h"
#include "tests/app/window/stories/story_windows.h"

namespace dlscope::tests {

TEST_CASE("what the table shows is added to the chain, each tensor once", "[window][exchange]") {
  HostWindow window;
  app::Application& app = window.story.app();
  app.panels().menu.show[app::ActionContext::exchange] = true;
  window.story.frames(3);
  bring_up(window.story, "//Exchange");
  app::ExchangeState& state = app.panels().exchange;
  state.bring_up = app::ExchangeTab::prove;
  window.story.frames(4);
  const auto add_all = [&] {
    window.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Exchange/**/Add all shown"); });
    window.story.frames(2);
  };
  REQUIRE(app.index() != nullptr);
  state.proving.chain = {"x"};
  add_all();
  CHECK(state.proving.chain.size() == app.index()->size());
  CHECK(state.proving.chain.front() == "x");
  std::vector<std::string> names = state.proving.chain;
  std::ranges::sort(names);
  CHECK(std::ranges::adjacent_find(names) == names.end());
  add_all();
  CHECK(state.proving.chain.size() == app.index()->size());
}

namespace {

core::Proof two_steps() {
  core::Proof proof;
  proof.verdict = core::HandOver::copied;
  for (const auto& [from, to, verdict] :
       {std::tuple("x", "t", core::HandOver::shared), std::tuple("t", "j", core::HandOver::copied)}) {
    core::ProofStep& step = proof.steps.emplace_back();
    step.from = from;
    step.to = to;
    step.verdict = verdict;
    step.from_address = 0x7f1200004000;
    step.to_address = verdict == core::HandOver::shared ? 0x7f1200004000 : 0x7f1200009000;
    step.why = std::string("the reason of ") + from + " to " + to;
  }
  return proof;
}

// The letters of the figure: what is drawn above all windows, without the spaces.
std::string figure_text() {
  std::string out;
  for (const DrawnGlyph& glyph : drawn_glyphs()) {
    if (std::string_view(glyph.window) != "##Foreground") continue;
    char bytes[5] = {};
    ImTextCharToUtf8(bytes, glyph.code_point);
    out += bytes;
  }
  return out;
}

bool has(const std::string& letters, std::string words) {
  std::erase(words, ' ');
  return letters.find(words) != std::string::npos;
}

// A window with the Prove tab in front.
struct ProveStory : HostWindow {
  ProveStory() {
    state().bring_up = app::ExchangeTab::prove;
    story.app().panels().menu.show[app::ActionContext::exchange] = true;
    story.frames(3);
    bring_up(story, "//Exchange");
    story.frames(4);
  }
  app::ExchangeState& state() { return story.app().panels().exchange; }
  [[nodiscard]] bool offers_picture() {
    bool offered = false;
    story.act([&](ImGuiTestContext* ui) { offered = ui->ItemExists("//Exchange/**/Save as PNG"); });
    return offered;
  }
};

}  // namespace

TEST_CASE("the proof is exported as a picture with the evidence of every step and a caption", "[window][exchange]") {
  ProveStory window;
  app::Application& app = window.story.app();
  CHECK_FALSE(window.offers_picture());
  window.state().proving.result.done = two_steps();
  window.state().proving.caption = "tour.py · 2026-11-28 13:40:05 · dlscope 0.1";
  window.state().proving.result.code_began = app.host().timeline().code_began();
  window.story.frames(2);
  constexpr int kSide = 2000;  // larger than the frame; each pixel says where it is
  std::vector<std::byte> frame(std::size_t{4} * kSide * kSide);
  for (std::uint32_t i = 0; i < kSide * kSide; ++i) std::memcpy(frame.data() + std::size_t{4} * i, &i, 4);
  for (const bool by_action : {false, true}) {
    if (by_action)
      app.commands().push(app::command::Ask{app::ActionId::export_proof});
    else
      window.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Exchange/**/Save as PNG"); });
    window.story.frames(by_action ? 3 : 1);
    REQUIRE(app.wants_figure());
    const app::ProofFigure drawn = window.state().proving.figure;
    REQUIRE(drawn.to.x > drawn.from.x);
    const std::string text = figure_text();
    INFO(text);
    for (const char* const part : {"Proof: x → t → j", "COPIED", "x → t", "SHARED", "the reason of x to t",
                                   "the reason of t to j", "0x7f12 0000 9000", "tour.py · 2026-11-28 13:40:05 · dlscope 0.1"})
      CHECK(has(text, part));
    CHECK_FALSE(has(text, "Code has run since"));
    CHECK_FALSE(has(text, "have room here"));
    const auto picture = app.take_figure(kSide, kSide, frame);
    REQUIRE(picture);
    CHECK_FALSE(app.wants_figure());
    CHECK(picture->path.ends_with(".png"));
    CHECK(picture->width == static_cast<int>(drawn.to.x) - static_cast<int>(drawn.from.x));
    REQUIRE(picture->rgba.size() ==
            std::size_t{4} * static_cast<std::size_t>(picture->width) * static_cast<std::size_t>(picture->height));
    std::uint32_t last = 0;
    std::memcpy(&last, picture->rgba.data() + picture->rgba.size() - 4, 4);
    CHECK(last == static_cast<std::uint32_t>((static_cast<int>(drawn.to.y) - 1) * kSide + static_cast<int>(drawn.to.x) - 1));
    CHECK(picture->text[0].second == "Proof: x → t → j");
    CHECK(picture->text[1].second.find("the reason of t to j") != std::string::npos);
    window.story.frames(2);
    CHECK_FALSE(has(figure_text(), "Proof: x → t → j"));
  }

  // An old proof says so, and a long one how much of it the picture has.
  window.state().proving.result.code_began = 0;
  auto& steps = window.state().proving.result.done->steps;
  for (int i = 0; i < 400; ++i) steps.push_back(steps.front());
  window.start();
  window.state().proving.figure.wanted = true;
  window.story.frames(1);
  const std::string text = figure_text();
  CHECK(has(text, "Code has run since"));
  CHECK(has(text, "of 402 steps have room here"));
  CHECK(has(text, "tour.py · 2026-11-28"));
}

TEST_CASE("without a proof the action shows where one is made, and a frame without the figure gives none", "[window][exchange]") {
  ProveStory window;
  app::Application& app = window.story.app();
  window.state().tab = app::ExchangeTab::life;
  app.commands().push(app::command::Ask{app::ActionId::export_proof});
  window.story.frames(4);
  CHECK_FALSE(app.wants_figure());
  CHECK(window.state().tab == app::ExchangeTab::prove);
  CHECK(window.story.text_of_frame().find("prove a chain first") != std::string::npos);
  window.state().proving.result.done = two_steps();
  window.state().proving.figure.wanted = true;  // no frame was drawn since
  const std::vector<std::byte> frame(std::size_t{4} * 100 * 100);
  CHECK_FALSE(app.take_figure(100, 100, frame));
  CHECK_FALSE(app.wants_figure());
}

TEST_CASE("the palette's entries for the parts of the exchange view open those parts", "[window][exchange]") {
  ProveStory window;
  for (const auto& [action, tab] : {std::pair(app::ActionId::life_selected, app::ExchangeTab::life),
                                    std::pair(app::ActionId::exchange_ledger, app::ExchangeTab::ledger),
                                    std::pair(app::ActionId::exchange_capsules, app::ExchangeTab::capsules),
                                    std::pair(app::ActionId::exchange_streams, app::ExchangeTab::streams)}) {
    window.story.app().panels().menu.show[app::ActionContext::exchange] = false;
    window.story.frames(2);
    window.story.app().commands().push(app::command::Ask{action});
    window.story.frames(6);
    CHECK(window.story.app().panels().menu.show[app::ActionContext::exchange]);
    CHECK(window.state().tab == tab);
  }
}

namespace {

// The Prove tab with a proof of x, t and j that the host has answered.
struct ProvedStory : ProveStory {
  ProvedStory() { prove(); }
  void prove() {
    state().proving.chain = {"x", "t", "j"};
    story.frames(2);
    story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Exchange/**/Prove the chain"); });
    story.frames(2);
    end_work(two_steps());
  }
  void end_work(core::wire::WorkResult result) {
    say(app::HostWorkEnded{story.host().work.size(), core::wire::WorkOutcome::done, {}, std::move(result)});
    story.frames(2);
  }
  [[nodiscard]] bool shows(const char* words) { return story.text_of_frame().find(words) != std::string::npos; }
};

}  // namespace

TEST_CASE("a proof from before code ran stays outdated when another act of the view is done", "[window][exchange]") {
  ProvedStory window;
  CHECK(window.shows("COPIED"));
  CHECK_FALSE(window.shows("Code has run since"));
  window.run();
  CHECK(window.shows("Code has run since"));
  core::wire::CopyTensor copy;
  copy.tensor = {window.story.app().index()->snapshot->info.revision, *window.story.app().index()->find("x")};
  window.story.app().commands().push(app::command::CopyTensor{copy});
  window.story.frames(2);
  core::wire::Copied copied;
  copied.name = "x_copy";
  window.end_work(copied);
  REQUIRE(window.state().copying.result.done);
  CHECK(window.shows("COPIED"));
  CHECK(window.shows("Code has run since"));
  window.state().proving.figure.wanted = true;
  window.story.frames(1);
  CHECK(has(figure_text(), "Code has run since"));
}

TEST_CASE("a proof that was made at a stop is outdated when the script goes on", "[window][exchange]") {
  ProveStory window;
  window.start();
  auto seen = std::make_shared<core::Snapshot>(*tour_snapshot());
  seen->info.run = window.story.host().runs.back().run;
  seen->info.revision = 500;
  seen->info.scanned = core::Scanned::stop;
  core::wire::Stopped at;
  at.stop = 1;
  at.frames = {{"step", "/home/u/train.py", 4, true}};
  window.story.host().stop_at(at, seen);
  window.story.frames(2);
  window.story.app().finish_background_work();
  window.story.frames(4);
  bring_up(window.story, "//Exchange");
  REQUIRE(window.story.app().host().state() == app::HostState::stopped);
  app::ActResult<core::Proof, std::vector<std::string>>& result = window.state().proving.result;
  result = {.code_began = window.story.app().host().timeline().code_began(), .done = two_steps()};
  window.story.frames(2);
  CHECK(window.story.text_of_frame().find("Code has run since") == std::string::npos);
  window.story.app().commands().push(app::command::ResumeScript{});
  window.story.frames(3);
  CHECK(window.story.text_of_frame().find("Code has run since") != std::string::npos);
}

TEST_CASE("a verdict is not shown for a chain that has been changed since", "[window][exchange]") {
  ProvedStory window;
  CHECK(window.offers_picture());
  window.story.app().select("w");
  window.story.app().commands().push(app::command::Ask{app::ActionId::prove_add});
  window.story.frames(4);
  CHECK(window.state().proving.chain.size() == 4);
  CHECK_FALSE(window.offers_picture());
  CHECK_FALSE(window.shows("the reason of t to j"));
  window.state().proving.chain.pop_back();
  window.story.frames(2);
  CHECK(window.shows("the reason of t to j"));
}

}  // namespace dlscope::tests
