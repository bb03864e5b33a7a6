// Looking back: an earlier moment is shown as it was, nothing of it is read or asked, and what came meanwhile waits.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/models/focus/focus_text.h"
#include "app/models/panels/panel_facts.h"
#include "tests/app/window/stories/history_story.h"

namespace dlscope::tests {
namespace {

using app::Since;
using app::TensorState;

// The first one of the session.
void click_moment(ImGuiTestContext* ui) {
  ui->SetRef(ui->WindowInfo("//History/strip").Window);
  ui->ItemClick("$$1/##moment");
  ui->SetRef("");
}

// What was asked of Python about tensors; completions and the like are of the console.
std::size_t questions_about_tensors(const FakeHost& host) {
  return static_cast<std::size_t>(std::ranges::count_if(host.questions, [](const FakeHost::Question& q) {
    return q.kind != "complete" && q.kind != "is_complete" && q.kind != "watch";
  }));
}

}  // namespace

TEST_CASE("a stop and the end of its run that arrive within one frame are two moments", "[window][history]") {
  HistoryStory window;
  window.start();
  const std::size_t before = window.story.app().history().kept->moments().size();
  const auto seen = [&](const std::vector<SampleTensor>& tensors, core::Scanned scanned) {
    auto snapshot = std::make_shared<core::Snapshot>(*snapshot_of(tensors));
    snapshot->info.run = window.story.host().runs.back().run;
    snapshot->info.revision = ++window.revision;
    snapshot->info.scanned = scanned;
    return snapshot;
  };
  core::wire::Stopped at;
  at.stop = 1;
  at.frames = {{"<module>", "a.py", 1, true}};
  window.story.host().stop_at(at, seen(kFirst, core::Scanned::stop));
  window.story.host().events.emplace_back(app::HostEvent{app::HostResumed{1}});
  window.story.host().finish(finished(), seen(kSecond, core::Scanned::end));
  window.story.frames(1);
  window.settle();
  const app::KeptMoments& moments = window.story.app().history().kept->moments();
  REQUIRE(moments.size() == before + 2);
  CHECK(moments[before]->title == "run 3, at a stop");
  CHECK(moments[before + 1]->title == "run 3");
  CHECK(window.lists("fresh"));  // the newest is shown
  window.look_at(moments[before]->number);
  CHECK(window.lists("gone_later"));
}

TEST_CASE("going back shows the tensors as they were, labelled then; Escape and the command lead back to now",
          "[window][history]") {
  HistoryStory window;
  const app::IndexPtr now = window.app().index();
  CHECK(window.lists("fresh"));
  CHECK(window.since() == Since::nothing);
  window.story.act([](ImGuiTestContext* ui) {
    ui->WindowFocus("//Tensors");
    ui->KeyPress(ImGuiMod_Alt | ImGuiKey_LeftArrow);
  });
  window.settle();
  CHECK(window.since() == Since::looked_again);
  CHECK(window.lists("gone_later"));
  CHECK_FALSE(window.lists("fresh"));
  CHECK(app::moment_description(window.app().moment()) == "then: as of run 1");
  CHECK(window.app().held().empty());  // nothing of it was remembered, whatever is held now
  REQUIRE(window.app().selected() != core::kNone32);
  CHECK(window.app().index()->snapshot->dtype_name(window.app().index()->tensor(window.app().selected())) == "float32");
  CHECK(window.app().index()->pairs_of(window.app().selected()).size() == 1);  // x and y shared then

  window.story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_Escape); });
  window.story.frames(2);
  CHECK(window.app().index() == now);  // the very same: nothing had to be made anew
  CHECK(window.since() == Since::nothing);
  CHECK(window.app().index()->snapshot->dtype_name(now->tensor(window.app().selected())) == "int16");

  window.look_at(1);
  CHECK(window.since() == Since::looked_again);
  window.look_at(2);  // the newest moment is now
  CHECK(window.app().index() == now);
  CHECK(window.since() == Since::nothing);
}

TEST_CASE("Escape gives up a pin and a comparison before it leaves the past", "[window][history]") {
  HistoryStory window;
  window.look_at(1);
  const auto& index = *window.app().index();
  window.app().commands().push(app::command::Pin{app::focus_on(index, window.app().selected(), 5)});
  window.story.frames(2);
  REQUIRE(window.app().pinned().on_tensor());
  window.story.act([](ImGuiTestContext* ui) {
    ui->WindowFocus("//Tensors");
    ui->KeyPress(ImGuiKey_Escape);
  });
  window.story.frames(2);
  CHECK_FALSE(window.app().pinned().on_tensor());
  CHECK(window.since() == Since::looked_again);
  window.story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_Escape); });
  window.story.frames(2);
  CHECK(window.since() == Since::nothing);
}

TEST_CASE("no view reads memory and no action asks Python under a description of the past", "[window][history]") {
  HistoryStory window;
  FakeHost& host = window.story.host();
  const core::wire::TensorRef held{window.app().index()->snapshot->info.revision - 1, 0};  // of the first look
  host.events.emplace_back(app::HostEvent{app::HostLease{1, core::wire::LeaseState::held, true, held, {}}});
  window.story.frames(2);
  window.look_at(1);
  window.memory->fill = 77;  // the program goes on: what lies there now is not what was described
  window.settle();
  const int reads = window.memory->reads;
  const std::size_t questions = questions_about_tensors(host), work = host.work.size();
  REQUIRE(window.since() == Since::looked_again);
  const auto nothing_was_done = [&](const std::string& by) {
    INFO(by);
    CHECK(window.memory->reads == reads);
    CHECK(host.work.size() == work);
    CHECK(questions_about_tensors(host) == questions);
    CHECK(window.since() == Since::looked_again);
  };

  // Every view, with a tensor selected, compared and pinned.
  const auto& index = *window.app().index();
  const std::uint32_t x = *index.find("x"), y = *index.find("y");
  window.app().commands().push(app::command::SelectTensor{x});
  window.app().commands().push(app::command::CompareTensor{y});
  window.app().commands().push(app::command::Pin{app::focus_on(index, x, 5)});
  window.story.frames(3);
  for (const app::PanelFacts* panel : app::panels()) {
    window.app().panels().menu.show[panel->context] = true;
    window.story.frames(3);
    window.story.act([&](ImGuiTestContext* ui) { ui->WindowFocus(("//" + std::string(panel->title)).c_str()); });
    window.settle();
    nothing_was_done(panel->title);
  }
  // What stands in the values is what was read then, and nothing else: every byte was 0, and is 77 by now.
  CHECK(window.app().panels().values.cells_read == 0);
  for (const app::GridCell& cell : window.app().panels().values.cells) CHECK(cell.text == "0.0");

  // Every action there is, but those that end or begin something.
  using enum app::ActionId;
  const app::ActionId leaves[] = {
      quit,           run_script,     run_selection, rescan,       python_kill,   python_restart, history_earlier,
      history_later,  history_now,    deselect,      script_open,  tensors_open,  tour_open,      script_new,
      script_save,    script_save_as, picture_save,  layout_debug, layout_teach,  layout_verify,  layout_reset,
      settings_sheet, keys_sheet,     palette,       go_to,        python_choose, help_here};
  for (const app::Action& action : app::actions()) {
    if (std::ranges::find(leaves, action.id) != std::end(leaves) || action.shows_panel != app::ActionContext::global) continue;
    window.app().commands().push(app::command::Ask{action.id});
    window.story.frames(2);
    window.settle();
    nothing_was_done(action.name);
  }

  // The commands themselves, as if a view had overlooked where it is.
  namespace c = app::command;
  app::Commands& commands = window.app().commands();
  commands.push(c::HoldMemory{});
  commands.push(c::ReleaseMemory{});
  commands.push(c::SearchValues{});
  commands.push(c::ComputeStatistics{x});
  commands.push(c::SurveyTensors{});
  commands.push(c::DrawHeatmap{});
  commands.push(c::HandTo{});
  commands.push(c::CopyTensor{});
  commands.push(c::Prove{});
  commands.push(c::ExportTensor{});
  commands.push(c::WriteBytes{});
  commands.push(c::CompareValues{});
  commands.push(c::SaveReport{});
  window.story.frames(2);
  window.settle();
  nothing_was_done("commands");
  CHECK(std::ranges::any_of(window.app().notices().all(), [](const app::Notice& n) { return n.text == app::kSeenThen; }));

  // Back to now: the views read again, and what they read is of now.
  window.look_at(0);
  window.story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Values"); });
  window.settle();
  CHECK(window.memory->reads > reads);
}

TEST_CASE("values that were kept of a moment are shown with it, those of now with now, and none where none were",
          "[window][history]") {
  HistoryStory window;
  const auto texts = [&] {
    std::vector<std::string> out;
    for (const app::GridCell& cell : window.app().panels().values.cells) out.push_back(cell.text);
    return out;
  };
  window.story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Values"); });
  window.settle();
  const std::vector<std::string> now = texts();
  REQUIRE(now.size() == 6);
  window.memory->fill = 77;
  window.look_at(1);
  CHECK(texts() == std::vector<std::string>(12, "0.0"));
  CHECK_FALSE(window.app().panels().values.own);
  window.app().select("gone_later");  // was never looked at then
  window.settle();
  CHECK(texts().empty());
  window.app().select("x");
  window.settle();
  CHECK(texts().size() == 12);
  window.look_at(0);
  CHECK(texts().size() == 6);
  CHECK(texts() != now);  // read anew
  CHECK(window.app().panels().values.kept_before.bytes() > 0);
}

TEST_CASE("what comes while one looks back waits, is said, and is there afterwards", "[window][history]") {
  HistoryStory window;
  window.look_at(1);
  const app::IndexPtr then = window.app().index();
  window.app().commands().push(app::command::RunScript{});
  window.story.frames(3);
  CHECK(window.since() == Since::looked_again);  // a run that begins takes nothing away
  CHECK(window.app().history().newer == 0);
  window.finish({{.name = "third", .address = 0x558120005000, .shape = {7}}});
  CHECK(window.app().index() == then);
  CHECK(window.since() == Since::looked_again);
  CHECK(window.app().history().newer == 3);
  window.look_at(2);  // between moments of the past
  CHECK(window.lists("fresh"));
  CHECK(window.since() == Since::looked_again);
  window.look_at(0);
  CHECK(window.lists("third"));
  CHECK(window.since() == Since::nothing);
  CHECK(window.app().history().newer == 0);
  CHECK(window.app().index()->marks.before != nullptr);  // and it was held against the run before, not against the past
  CHECK(window.app().index()->marks.fresh == 1);
}

TEST_CASE("colours, marks and folded rows of a moment are those it had, and looking back changes none of now",
          "[window][history]") {
  HistoryStory window, other;
  const std::vector<std::uint32_t> now = window.app().index()->colours;
  window.look_at(1);
  CHECK(window.app().index()->marks.before == nullptr);  // it was the first
  window.look_at(2 - 1);
  const std::vector<std::uint32_t> first = window.app().index()->colours;
  window.look_at(0);
  CHECK(window.app().index()->colours == now);
  const std::vector<SampleTensor> third = {kSecond[1], {.name = "more", .address = 0x558120006000, .shape = {5}}, kFirst[2]};
  window.run(third);
  other.run(third);
  CHECK(window.app().index()->colours == other.app().index()->colours);
  window.look_at(1);
  CHECK(window.app().index()->colours == first);
  window.look_at(2);
  CHECK(window.app().index()->colours == now);
  CHECK(window.app().index()->marks.gone.size() == 1);  // "gone_later", as it was said then
  CHECK(window.app().index()->marks.against.message.empty());
}

TEST_CASE("statistics of now are neither shown in the past nor lost", "[window][history]") {
  HistoryStory window;
  window.app().commands().push(app::command::ComputeStatistics{window.app().selected()});
  window.story.frames(2);
  REQUIRE(window.story.host().work.size() >= 1);
  const std::uint32_t x = window.app().selected();
  REQUIRE(window.app().statistics().find(x) != nullptr);
  const std::size_t cancelled = window.story.host().cancelled.size();
  window.look_at(1);
  CHECK(window.story.host().cancelled.size() == cancelled);
  window.look_at(0);
  CHECK(window.app().statistics().find(x) != nullptr);
}

TEST_CASE("a tensor that was not there then is selected again when one is back", "[window][history]") {
  HistoryStory window;
  window.app().select("fresh");
  window.story.frames(2);
  window.look_at(1);
  CHECK(window.app().selected() == core::kNone32);
  window.look_at(0);
  REQUIRE(window.app().selected() != core::kNone32);
  CHECK(window.app().index()->snapshot->name(window.app().index()->tensor(window.app().selected())) == "fresh");
}

TEST_CASE("a process that ends, and one that starts, leave the past as it is", "[window][history]") {
  HistoryStory window;
  window.look_at(1);
  restart(window.app());
  window.story.frames(2);
  window.story.host().ready();
  window.story.frames(2);
  window.app().read_memory_with(window.memory);  // of the new process
  const int reads = window.memory->reads;
  window.settle();
  CHECK(window.memory->reads == reads);
  CHECK(window.since() == Since::looked_again);
  window.look_at(0);
  CHECK(window.since() == Since::ended);
  CHECK(window.memory->reads == reads);
  window.run(kFirst);
  window.look_at(2);  // of the process that has ended
  CHECK(window.since() == Since::looked_again);
  CHECK(window.lists("fresh"));
}

TEST_CASE("the strip shows every moment, a click goes there, Ctrl+click compares", "[window][history]") {
  HistoryStory window;
  bring_up(window.story, "//History");
  window.settle();
  auto& panel = window.app().panels().history;
  CHECK(panel.chips_drawn == 2);
  REQUIRE(window.app().history().answers->rows != nullptr);
  CHECK(window.app().history().answers->rows->size() == 4);  // x: shrunk, dtype; y: moved; fresh; gone_later
  CHECK(panel.rows_drawn > 0);
  window.story.act([](ImGuiTestContext* ui) { click_moment(ui); });
  window.settle();
  CHECK(window.since() == Since::looked_again);
  window.look_at(0);
  window.run(kFirst);
  window.story.act([](ImGuiTestContext* ui) {
    ui->KeyDown(ImGuiMod_Ctrl);
    click_moment(ui);
    ui->KeyUp(ImGuiMod_Ctrl);
  });
  window.settle();
  CHECK(window.since() == Since::nothing);  // it is compared with, not gone to
  CHECK(panel.base == 1);
  CHECK(panel.rows_drawn == 0);  // the third run left what the first did
  CHECK(*panel.sentence.last() == "Nothing that was compared is different.");
}

TEST_CASE("the marks of the table can be against any moment, and are the run's again afterwards", "[window][history]") {
  HistoryStory window;
  window.run(kSecond);
  CHECK(window.app().index()->marks.fresh == 0);
  window.app().commands().push(app::command::MarkAgainst{1});
  window.story.frames(1);
  window.settle();
  CHECK(window.app().index()->marks.fresh == 1);
  CHECK(window.app().index()->marks.gone.size() == 1);
  CHECK(app::change_sentence(window.app().index()->marks, *window.app().index()->snapshot, *window.app().index()->find("fresh"))
            .starts_with("None of its names was there then (run 1, "));
  window.app().commands().push(app::command::MarkAgainst{0});
  window.story.frames(1);
  window.settle();
  CHECK(window.app().index()->marks.fresh == 0);
  CHECK(window.app().index()->marks.against.message.empty());
  window.run(kFirst);  // the next run is held against the run before, whatever was chosen
  CHECK(window.app().index()->marks.run == 4);
  CHECK(window.app().index()->marks.gone.size() == 1);
}

TEST_CASE("since when two tensors share is searched over the strip", "[window][history]") {
  HistoryStory window;
  window.run(kFirst);
  window.run(kFirst);
  bring_up(window.story, "//History");
  window.app().select("x");
  window.app().commands().push(app::command::CompareTensor{*window.app().index()->find("y")});
  window.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//History/history tabs/Since when"); });
  window.settle();
  const app::TensorHistoryPtr since = window.app().history().answers->since;
  REQUIRE(since != nullptr);
  REQUIRE_FALSE(since->facts.empty());
  CHECK(since->facts[0].fact == app::TensorFact::shares);
  CHECK(since->facts[0].first == 3);
  CHECK(since->facts[0].end == app::SinceWhen::End::different);
}

TEST_CASE("two hundred moments cost the chips on the screen", "[window][history]") {
  HistoryStory window;
  for (int i = 0; i < 198; ++i) {
    auto numbered = std::make_shared<core::Snapshot>(*snapshot_of(i % 2 == 0 ? kFirst : kSecond));
    numbered->info.run = 2;
    numbered->info.revision = 100 + static_cast<std::uint64_t>(i);
    window.story.app().show_snapshot(numbered);
  }
  window.settle();
  bring_up(window.story, "//History");
  CHECK(window.app().history().kept->moments().size() == 200);
  CHECK(window.app().panels().history.chips_drawn < 40);
  CHECK(window.app().panels().history.chips_drawn > 2);
  for (std::uint64_t moment = 199; moment > 150; --moment) {
    window.app().commands().push(app::command::ShowMoment{moment});
    window.story.frames(1);
  }
  window.settle();
  CHECK(window.app().history().shown == 151);
}

}  // namespace dlscope::tests
