// Stories of choosing another Python: it is looked at first, and nothing is lost unasked.
#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

#include "tests/app/window/stories/story.h"
#include "tests/support/fake_python.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

void ready(Story& story) {
  story.host().found_python();
  story.host().ready();
  story.frames(3);
}

// Types the path into the open sheet and presses the button.
void use(Story& story, const std::string& path) {
  story.act([&](ImGuiTestContext* ui) {
    ui->Yield(3);
    ui->ItemClick("//Choose Python/##path");
    ui->KeyCharsReplace(path.c_str());
    ui->ItemClick("//Choose Python/Use it");
    ui->Yield(2);
  });
}

}  // namespace

TEST_CASE("choosing another Python asks where variables would be lost, and the sheet goes when it is done",
          "[window][settings]") {
  Story story;
  story.app().load_text("", "x = 1\n");
  ready(story);
  story.app().run_script();
  story.frames(2);
  core::RunOutcome outcome;
  outcome.outcome = core::Outcome::finished;
  story.host().finish(outcome, empty_snapshot());
  story.frames(3);
  const auto starts = story.host().starts;
  const FakePython other;
  const std::string path = other.folder().string();
  story.app().panels().menu.show.pythons = true;
  story.frames(4);
  story.act([&](ImGuiTestContext* ui) { ui->KeyChars(path.c_str()); });  // no click: the field has the keyboard
  CHECK(story.app().panels().pythons.path == path);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Choose Python/Use it"); });
  REQUIRE(story.wait_for([&] { return !story.app().notices().all().empty(); }));
  CHECK(story.host().starts == starts);
  CHECK(story.app().notices().all().back().text.find("variables") != std::string::npos);
  CHECK(story.app().settings().python.empty());
  CHECK(story.app().panels().menu.show.pythons);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Choose Python/Use it"); });
  REQUIRE(story.wait_for([&] { return story.host().starts == starts + 1; }));
  CHECK(story.host().chosen == std::vector<std::string>{other.executable().string()});
  CHECK_FALSE(story.app().panels().menu.show.pythons);
}

TEST_CASE("another Python is chosen: it is remembered, and the host starts anew with it", "[window][settings]") {
  Story story;
  story.app().load_text("", "x = 1\n");
  ready(story);
  const int starts = story.host().starts;
  story.app().commands().push(app::command::Ask{app::ActionId::python_choose});
  const FakePython other;
  use(story, other.folder().string());
  REQUIRE(story.wait_for([&] { return !story.host().chosen.empty(); }));
  CHECK(story.host().chosen == std::vector<std::string>{other.executable().string()});
  CHECK(story.host().starts == starts + 1);
  CHECK(story.app().host().state() == app::HostState::starting);
  CHECK(story.app().settings().python == other.executable().string());
  CHECK(story.app().settings().recent_pythons.front() == other.executable().string());
  CHECK(app::editor_text(story.app().panels().script) == "x = 1\n");
  // The sheet looks for others, on another thread, and says of each whether it could be used.
  CHECK(story.wait_for([&] { return !story.app().pythons().looking; }));
  for (const app::PythonEntry& entry : story.app().pythons().entries) CHECK((entry.version.empty() != entry.refusal.empty()));
}

TEST_CASE("a path that is no Python costs nothing, and the sheet says why", "[window][settings]") {
  Story story;
  ready(story);
  const int starts = story.host().starts;
  story.app().commands().push(app::command::Ask{app::ActionId::python_choose});
  use(story, "/nowhere/bin/python3");
  REQUIRE(story.wait_for([&] { return !story.app().pythons().refusal.empty(); }));
  CHECK(story.app().pythons().refusal == "/nowhere/bin/python3 does not exist");
  CHECK(story.app().panels().menu.show.pythons);
  CHECK(story.app().notices().all().empty());  // the sheet says it
  CHECK(story.host().starts == starts);
  CHECK(story.host().chosen.empty());
  CHECK(story.app().host().state() == app::HostState::idle);
  CHECK(story.app().settings().python.empty());

  story.app().panels().menu.show.pythons = false;
  story.frames(2);
  story.app().commands().push(app::command::ChoosePython{"/nowhere/bin/python3"});
  REQUIRE(story.wait_for([&] { return !story.app().notices().all().empty(); }));
  CHECK(story.app().notices().all().front().text == "/nowhere/bin/python3 does not exist. The Python in use stays.");
}

TEST_CASE("Check says of a path that is no Python why", "[window][settings]") {
  Story story;
  ready(story);
  story.app().commands().push(app::command::Ask{app::ActionId::python_choose});
  story.act([](ImGuiTestContext* ui) {
    ui->Yield(3);
    ui->ItemClick("//Choose Python/##path");
    ui->KeyCharsReplace("/nowhere/venv");
    ui->ItemClick("//Choose Python/Check");
  });
  REQUIRE(story.wait_for([&] {
    const auto& entries = story.app().pythons().entries;
    return !entries.empty() && entries.front().because == "asked for";
  }));
  CHECK(story.app().pythons().entries.front().refusal == "/nowhere/venv does not exist");
  CHECK(story.wait_for([&] { return !story.app().pythons().looking; }));
}

}  // namespace dlscope::tests
