// A scan whose sharing takes long, in the window: the tensors are shown before it is known, and until then every place that
// speaks of sharing says so. A pair that is not known yet never looks like two tensors that share nothing.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

#include "tests/app/window/stories/story_windows.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

constexpr const char* kNotYet = "sharing is still being worked out";

// The same tensors, before anybody knows which of them share bytes.
core::SnapshotPtr before_sharing(const core::Snapshot& whole) {
  auto found = std::make_shared<core::Snapshot>(whole);
  found->pairs.clear();
  found->groups.clear();
  found->group_members.clear();
  found->group_libraries.clear();
  for (core::TensorRecord& tensor : found->tensors) tensor.group = core::kNone32;
  found->info.missing_pairs = found->info.open_groups = core::UnknownWhy::not_yet;
  return found;
}

std::size_t moments(Story& story) { return story.app().history().kept->moments().size(); }

// A window whose script has ended and whose tensors are being scanned.
struct ScanWindow {
  Story story;
  core::SnapshotPtr whole;

  ScanWindow() {
    story.host().found_python();
    story.host().ready();
    story.frames(3);
    run();
  }
  void run() {
    story.app().commands().push(app::command::RunScript{});
    story.frames(3);
    auto numbered = std::make_shared<core::Snapshot>(*tour_snapshot());
    numbered->info.run = story.host().runs.back().run;
    numbered->info.revision = numbered->info.run + 100;
    whole = numbered;
    say(app::HostRunFinished{numbered->info.run, finished()});
  }
  void say(app::HostEvent event) {
    story.host().events.emplace_back(std::move(event));
    story.frames(2);
    story.app().finish_background_work();
    story.frames(3);
  }
  void find() { say(app::HostSnapshot{before_sharing(*whole), core::Scanned::end}); }
  void end() {
    say(app::HostSnapshot{whole, core::Scanned::end});
    say(app::HostScanFinished{});
  }
  std::string text(const char* panel) {
    bring_up(story, panel);
    return story.text_of_frame();
  }
  bool says(const std::string& part) { return story.text_of_frame().find(part) != std::string::npos; }
  std::vector<std::string> badges(const char* name) {
    std::vector<app::Badge> all;
    app::append_badges(*story.app().index(), story.app().index()->find(name).value(), all);
    std::vector<std::string> texts;
    for (const app::Badge& badge : all) texts.emplace_back(badge.text);
    return texts;
  }
  bool has_badge(const char* name, const char* text) { return std::ranges::count(badges(name), text) > 0; }
};

}  // namespace

TEST_CASE("what was found is shown before its sharing is known, and nothing looks as if it shared nothing",
          "[window][unfinished]") {
  ScanWindow window;
  Story& story = window.story;
  window.find();
  REQUIRE(story.app().index() != nullptr);
  CHECK(story.app().index()->size() == window.whole->tensors.size());
  CHECK(story.app().host().state() == app::HostState::scanning);
  story.app().select("x");
  story.frames(3);

  CHECK(window.has_badge("x", "sharing not yet known"));
  CHECK(window.has_badge("y", "sharing not yet known"));
  for (const char* const panel : {"//Sharing", "//Inspector", "//Memory"}) {
    INFO(panel);
    const std::string text = window.text(panel);
    INFO(text);
    CHECK(text.find("still being worked out") != std::string::npos);
    for (const char* const wrong : {"shares no byte", "No two tensors", "at most 0", "in 0 groups", "cut short"}) {
      INFO(wrong);
      CHECK(text.find(wrong) == std::string::npos);
    }
  }
  CHECK(window.text("//Inspector").find(std::string("what it shares is unknown: ") + kNotYet) != std::string::npos);
  CHECK(window.text("//Sharing").find(std::string("so what it shares is unknown: ") + kNotYet) != std::string::npos);
  CHECK(window.says("sharing still being worked out"));  // the status bar, and the map's lane
  CHECK(moments(story) == 0);          // one scan, one moment: the final one
  // Nor does the filter claim that nothing shares.
  bring_up(story, "//Tensors");
  story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Tensors/##filter");
    ui->KeyCharsReplace("shares:x");
    ui->Yield(2);
  });
  story.frames(2);
  story.app().finish_background_work();
  CHECK(story.app().tensors().complaint().starts_with("Pairs are not listed yet: sharing is still being worked out."));
}

TEST_CASE("the final snapshot takes its place: one moment, the same selection, the marks and colours of an ordinary scan",
          "[window][unfinished]") {
  ScanWindow window;
  Story& story = window.story;
  window.find();
  window.end();
  CHECK(moments(story) == 1);
  window.run();  // the same tensors again
  window.find();
  CHECK(moments(story) == 1);
  story.app().select("y");
  story.frames(2);
  window.end();
  CHECK(story.app().host().state() == app::HostState::idle);
  CHECK(moments(story) == 2);
  CHECK(story.app().selection().selected_name() == "y");
  CHECK_FALSE(window.says("still being worked out"));
  CHECK(story.app().index()->snapshot->pairs.size() == window.whole->pairs.size());
  CHECK_FALSE(window.has_badge("x", "sharing not yet known"));

  ScanWindow plain;  // without the snapshot in between
  plain.end();
  plain.run();
  plain.end();
  CHECK(plain.story.app().index()->marks.fresh == story.app().index()->marks.fresh);
  CHECK(plain.story.app().index()->marks.changed == story.app().index()->marks.changed);
  CHECK(plain.story.app().index()->marks.gone.size() == story.app().index()->marks.gone.size());
  CHECK(plain.story.app().index()->colours == story.app().index()->colours);
}

TEST_CASE("a process that ends in between leaves words that are true: nobody works it out any more", "[window][unfinished]") {
  ScanWindow window;
  Story& story = window.story;
  window.find();
  story.app().select("x");
  SECTION("it ends") { window.say(app::HostEnded{1, {}, {}}); }
  SECTION("it crashes") {
    app::HostCrashed crash;
    crash.signal = 11;
    window.say(std::move(crash));
  }
  SECTION("the scan fails") {
    window.say(app::HostScanFinished{0, core::wire::ScanResult::failed, "The scan did not end: no memory is left for it"});
  }
  story.app().finish_background_work();
  story.frames(3);
  CHECK(story.app().index()->snapshot->info.missing_pairs == core::UnknownWhy::stopped);
  for (const char* const panel : {"//Sharing", "//Inspector", "//Memory"}) {
    const std::string text = window.text(panel);
    INFO(text);
    CHECK(text.find("still being worked out") == std::string::npos);
    CHECK(text.find("shares no byte") == std::string::npos);
  }
  CHECK(window.text("//Sharing").find("so what it shares is unknown: the analysis was stopped.") != std::string::npos);
  CHECK(window.has_badge("x", "sharing unknown"));
  CHECK(moments(story) == 1);
}

TEST_CASE("a script that goes on before the sharing of its stop is known leaves one moment of that stop, with its sharing",
          "[window][unfinished][stops]") {
  ScanWindow window;
  Story& story = window.story;
  window.end();
  story.app().commands().push(app::command::RunScript{});
  story.frames(3);
  const std::uint64_t run = story.host().runs.back().run;
  auto numbered = std::make_shared<core::Snapshot>(*tour_snapshot());
  numbered->info.run = run;
  numbered->info.revision = run + 100;
  numbered->info.scanned = core::Scanned::stop;
  window.whole = numbered;
  window.say(app::HostRunStarted{run});
  core::wire::Stopped at;
  at.stop = 1;
  at.frames = {{"main", "/train.py", 3, true}};
  window.say(app::HostAtStop(at));
  window.say(app::HostSnapshot{before_sharing(*window.whole), core::Scanned::stop});
  story.app().commands().push(app::command::ResumeScript{});
  story.frames(2);
  story.app().finish_background_work();
  story.frames(3);
  CHECK(story.app().index()->snapshot->info.missing_pairs == core::UnknownWhy::not_yet);
  CHECK(moments(story) == 1);
  window.say(app::HostSnapshot{window.whole, core::Scanned::stop});
  window.say(app::HostScanFinished{});
  CHECK(story.app().index()->snapshot->info.missing_pairs == core::UnknownWhy::none);
  CHECK(moments(story) == 2);
}

}  // namespace dlscope::tests
