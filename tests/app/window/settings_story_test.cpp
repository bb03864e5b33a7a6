// Stories of what a person sets: keys, the interpreter, what is written where, and that nothing else is.
#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/app/window/story.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "dlscope-story-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
};

void ready(Story& story) {
  story.host().found_python();
  story.host().ready();
  story.frames(3);
}

}  // namespace

TEST_CASE("a key is changed in the settings, acts at once and in the next session", "[window][settings]") {
  const Folder folder;
  app::ApplicationOptions options;
  options.settings_file = (folder.path / "config" / "settings.json").string();
  {
    Story story(options);
    story.app().load_text("", "x = 1\n");
    ready(story);
    story.act([](ImGuiTestContext* ui) {
      ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Comma);
      ui->Yield(3);
      ui->ItemClick("//Settings/**/run.script/Change");
      ui->Yield(2);
      ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_R);
      ui->Yield(2);
    });
    CHECK(story.app().keys().text(app::ActionId::run_script) == "Ctrl+R");
    CHECK(story.host().runs.empty());  // while keys are listened for they do nothing else
    story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_R); });
    CHECK(story.host().runs.size() == 1);
    story.app().commands().push(app::command::SetTheme{app::ThemeChoice::light});
    story.frames(1);
    story.app().finish_background_work();
  }
  const app::LoadedSettings loaded = app::load_settings(options.settings_file);
  CHECK(loaded.notice.empty());
  CHECK(loaded.settings.keys.at("run.script") == "Ctrl+R");
  CHECK(loaded.settings.theme == app::ThemeChoice::light);
  app::ApplicationOptions next;
  next.settings = loaded.settings;
  next.settings.keys["no.such.action"] = "Ctrl+X";
  Story again(next);
  again.frames(1);
  CHECK(again.app().keys().text(app::ActionId::run_script) == "Ctrl+R");
  CHECK(again.app().notices().all().size() == 1);  // what means nothing is said
}

TEST_CASE("a session without a settings file writes none", "[window][settings]") {
  Story story;
  ready(story);
  story.app().commands().push(app::command::SetScale{2});
  story.app().commands().push(app::command::SetLayout{app::LayoutPreset::verify});
  story.frames(2);
  story.app().finish_background_work();
  CHECK(story.app().settings().scale == 2.0F);
}

TEST_CASE("another Python is chosen: it is remembered, and the host starts anew with it", "[window][settings]") {
  Story story;
  story.app().load_text("", "x = 1\n");
  ready(story);
  const int starts = story.host().starts;
  story.app().commands().push(app::command::Ask{app::ActionId::python_choose});
  story.act([](ImGuiTestContext* ui) {
    ui->Yield(3);
    ui->ItemClick("//Choose Python/##path");
    ui->KeyCharsReplace("/nowhere/bin/python3");
    ui->ItemClick("//Choose Python/Use it");
    ui->Yield(2);
  });
  REQUIRE(story.host().chosen.size() == 1);
  CHECK(story.host().chosen[0] == "/nowhere/bin/python3");
  CHECK(story.host().starts == starts + 1);
  CHECK(story.app().host().state == app::HostState::finding);
  CHECK(story.app().settings().python == "/nowhere/bin/python3");
  CHECK(app::editor_text(story.app().panels().script) == "x = 1\n");
  // The sheet looks for others, on another thread, and says of each whether it could be used.
  CHECK(story.wait_for([&] { return !story.app().pythons().looking; }));
  for (const app::PythonEntry& entry : story.app().pythons().entries) CHECK((entry.version.empty() != entry.refusal.empty()));
}

TEST_CASE("the report is saved where it is said, a picture is wished for", "[window][settings]") {
  const Folder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path);
  Story story;
  ready(story);
  story.show(tour_snapshot());
  story.app().commands().push(app::command::Ask{app::ActionId::report_save});
  story.app().commands().push(app::command::Ask{app::ActionId::picture_save});
  story.frames(3);
  story.app().finish_background_work();
  fs::current_path(before);
  REQUIRE(story.app().notices().all().size() == 1);
  CHECK(story.app().notices().all().front().text.starts_with("The report was saved as " + folder.path.string()));
  std::size_t reports = 0;
  for (const auto& entry : fs::directory_iterator(folder.path)) {
    std::ifstream file(entry.path());
    std::string text((std::istreambuf_iterator<char>(file)), {});
    CHECK(text.starts_with("{"));
    CHECK(text.find("\"x\"") != std::string::npos);
    ++reports;
  }
  CHECK(reports == 1);
  const auto wish = story.app().take_picture_wish();
  REQUIRE(wish.has_value());
  CHECK(wish->ends_with(".png"));
  CHECK_FALSE(story.app().take_picture_wish().has_value());
}

TEST_CASE("panels that were moved stand there again, a reset puts them back", "[window][settings]") {
  Story story;
  ready(story);
  story.show(tour_snapshot());
  story.app().commands().push(app::command::SetLayout{app::LayoutPreset::teach});
  story.frames(6);
  CHECK(app::is_arrangement(story.app().settings().arrangements[0]));
  story.app().commands().push(app::command::SetLayout{app::LayoutPreset::debug});
  story.frames(6);
  CHECK(story.vertices() > 100);
  const std::string debug = story.app().settings().arrangements[0];
  CHECK_FALSE(debug.empty());
  story.app().commands().push(app::command::SetLayout{app::LayoutPreset::debug});
  story.frames(6);
  CHECK(story.app().settings().arrangements[0].empty());
}

}  // namespace dlscope::tests
