// The exchange view with a host that answers as told: what it asks Python, when, and that an answer is shown only for the tensor
// it is about.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tests/app/window/stories/story_windows.h"

namespace dlscope::tests {
namespace {

// A window with the Life tab in front, x selected.
struct LifeStory : HostWindow {
  LifeStory() {
    story.app().panels().menu.show[app::ActionContext::exchange] = true;
    story.frames(3);
    bring_up(story, "//Exchange");
    story.app().panels().exchange.bring_up = app::ExchangeTab::life;
    story.frames(4);
  }
  [[nodiscard]] std::vector<FakeHost::Question> asked() {
    std::vector<FakeHost::Question> out;
    std::ranges::copy_if(story.host().questions, std::back_inserter(out),
                         [](const FakeHost::Question& question) { return question.kind == "life"; });
    return out;
  }
  void answer() {
    story.host().answer(asked().back(), R"({"found": true, "chain": [], "owner": "numpy.ndarray", "holders": []})");
    story.frames(3);
  }
  void select(const char* name) {
    story.app().select(name);
    story.frames(3);
  }
  // The last line of an answer is on the screen.
  [[nodiscard]] bool shows_an_answer() {
    bool shown = false;
    story.act([&](ImGuiTestContext* ui) { shown = ui->ItemExists("//Exchange/**/Ask again"); });
    return shown;
  }
};

}  // namespace

TEST_CASE("the life of a tensor is not shown for another one while code runs", "[window][exchange]") {
  LifeStory window;
  REQUIRE(window.asked().size() == 1);
  CHECK(window.asked()[0].text.find(R"("name":"x")") != std::string::npos);
  CHECK_FALSE(window.shows_an_answer());
  window.answer();
  CHECK(window.shows_an_answer());
  window.start();
  CHECK(window.shows_an_answer());  // of x, as of before
  CHECK(window.story.text_of_frame().find("this is what Python said before") != std::string::npos);
  window.select("w");
  CHECK(window.asked().size() == 1);
  CHECK_FALSE(window.shows_an_answer());
  window.select("x");
  CHECK(window.shows_an_answer());
}

TEST_CASE("a line is shown and copied with the imports that it needs", "[window][exchange]") {
  LifeStory window;
  app::ExchangeState& state = window.story.app().panels().exchange;
  state.bring_up = app::ExchangeTab::hand_over;
  state.hand.result.done = core::wire::HandedOver{};
  state.hand.result.done->verdict = "REFUSED";
  state.hand.result.done->error_type = "RuntimeError";
  state.hand.result.done->line = "x_torch = torch.from_dlpack(x)";
  state.hand.result.subject = "x";
  window.story.frames(4);
  CHECK(window.story.text_of_frame().find("import torch; x_torch = torch.from_dlpack(x)") != std::string::npos);
  std::string copied;
  window.story.act([&](ImGuiTestContext* ui) {
    ui->ItemClick("//Exchange/**/done/Copy line");
    const char* const text = ImGui::GetClipboardText();
    copied = text != nullptr ? text : "nothing";
  });
  CHECK(copied == "import torch; x_torch = torch.from_dlpack(x)");
}

TEST_CASE("at a stop the life of the selected tensor is asked about", "[window][exchange]") {
  LifeStory window;
  REQUIRE(window.asked().size() == 1);
  window.answer();
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
  REQUIRE(window.asked().size() == 2);  // of x again: it is another look
  CHECK_FALSE(window.shows_an_answer());
  window.answer();
  CHECK(window.shows_an_answer());
  window.select("w");
  REQUIRE(window.asked().size() == 3);
  CHECK(window.asked()[2].text.find(R"("name":"w")") != std::string::npos);
}

}  // namespace dlscope::tests
