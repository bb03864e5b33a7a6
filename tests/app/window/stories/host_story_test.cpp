// What the window says and does about the host: stopping a scan, runs that cannot be handed over, keys in tooltips, tasks.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include <imgui_internal.h>

#include "app/widgets/marks.h"
#include "tests/app/window/stories/story.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

void ready(Story& story) {
  story.host().found_python();
  story.host().ready();
  story.frames(2);
}

void end_scan(Story& story) {
  story.host().events.emplace_back(app::HostEvent{app::HostSnapshot{tour_snapshot(), core::Scanned::request}});
  story.host().events.emplace_back(
      app::HostEvent{app::HostScanFinished{story.host().last_scan, core::wire::ScanResult::stopped, {}}});
  story.frames(2);
}

// The tooltip of what the mouse is over, as the help card would read it.
std::string tooltip(Story& story, const char* item) {
  std::string text;
  story.act([&](ImGuiTestContext* ui) {
    ui->MouseMove(item);
    ui->SleepNoSkip(1.5F, 0.1F);
    text = ImGui::GetIO().WantCaptureMouse ? std::string(app::meaning_under_mouse()) : std::string();
  });
  return text;
}

// The lower edge of the tooltips that are shown; 0: none is.
float lowest_tooltip() {
  float lowest = 0;
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if ((window->Flags & ImGuiWindowFlags_Tooltip) != 0 && window->Active && !window->Hidden)
      lowest = std::max(lowest, window->Rect().Max.y);
  }
  return lowest;
}

}  // namespace

TEST_CASE("a scan is stopped from the window", "[window][host]") {
  Story story;
  ready(story);
  story.app().commands().push(app::command::Rescan{});
  story.frames(2);
  CHECK(story.host().scans == 1);
  CHECK(story.app().host().state() == app::HostState::scanning);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Script/■ Stop"); });
  CHECK(story.host().stops == 1);
  CHECK(story.app().host().state() == app::HostState::stopping);
  end_scan(story);
  CHECK(story.app().host().state() == app::HostState::idle);
}

TEST_CASE("a key that comes in the frame in which its action becomes possible, or in the first one, is not lost", "[window][host]") {
  Story story;
  ImGui::GetIO().AddKeyEvent(ImGuiKey_F5, true);
  ready(story);
  ImGui::GetIO().AddKeyEvent(ImGuiKey_F5, false);
  story.frames(2);
  CHECK(story.host().runs.size() == 1);
  story.host().finish(finished(), tour_snapshot());
  story.frames(2);
  story.app().commands().push(app::command::Rescan{});
  story.frames(3);
  REQUIRE(story.app().host().state() == app::HostState::scanning);
  story.host().events.emplace_back(app::HostEvent{app::HostScanFinished{story.host().last_scan, {}, {}}});
  ImGui::GetIO().AddKeyEvent(ImGuiKey_F5, true);
  story.frames(1);
  ImGui::GetIO().AddKeyEvent(ImGuiKey_F5, false);
  story.frames(2);
  CHECK(story.host().runs.size() == 2);
}

TEST_CASE("a look again while a question hangs, then Stop: the window is idle when the scan is over", "[window][host]") {
  Story story;
  ready(story);
  story.app().commands().push(app::command::AskPython{{.asker = "test", .ticket = 1, .kind = "complete", .text = "{}"}});
  story.frames(2);
  REQUIRE(story.host().questions.size() == 1);
  REQUIRE(story.wait_for([&] { return story.app().host().can_stop(); }));  // it hangs for 300 ms
  story.app().commands().push(app::command::Rescan{});
  story.app().commands().push(app::command::InterruptScript{});
  story.frames(2);
  CHECK(story.app().host().state() == app::HostState::stopping);
  story.host().answer(story.host().questions.back(), "", core::wire::kAnswerStopped);
  end_scan(story);
  CHECK(story.app().host().state() == app::HostState::idle);
  CHECK_FALSE(story.app().host().can_stop());
}

TEST_CASE("a script of more than 4 MiB is refused in words, during the start and after it", "[window][host]") {
  Story story;
  story.app().load_text("", std::string(5u << 20, '#'));
  story.frames(2);
  for (int i = 0; i < 2; ++i) {
    story.app().run_script();
    story.frames(2);
    REQUIRE(story.app().notices().all().size() == 1);
    CHECK(story.app().notices().all().front().text.find("4 MiB") != std::string::npos);
    CHECK(story.app().notices().all().front().text.find("busy") == std::string::npos);
    story.app().commands().push(app::command::DismissNotice{story.app().notices().all().front().id});
    ready(story);
  }
  CHECK(story.host().runs.empty());
}

TEST_CASE("a tooltip names the keys that are set", "[window][host]") {
  Story story;
  ready(story);
  CHECK(tooltip(story, "//Script/▶ Run").starts_with("F5: runs the text"));
  story.app().commands().push(app::command::Rebind{app::ActionId::run_script, app::parse_chords("F9").value()});
  story.frames(2);
  CHECK(tooltip(story, "//Script/▶ Run").starts_with("F9: runs the text"));
  story.app().commands().push(app::command::Rebind{app::ActionId::run_script, std::vector<app::KeyChord>{}});
  story.frames(2);
  CHECK(tooltip(story, "//Script/▶ Run").starts_with("Runs the text"));
}

TEST_CASE("a tooltip goes with a click, and comes again when the mouse has been elsewhere", "[window][host]") {
  Story story;
  ready(story);
  const auto is_shown = [](ImGuiTestContext* ui) {
    ui->SleepNoSkip(1.5F, 0.1F);
    const ImGuiWindow* const window = ImGui::FindWindowByName("##Tooltip_00");
    return window && window->Active;
  };
  bool before = false, after = true, again = false;
  story.act([&](ImGuiTestContext* ui) {
    ui->MouseMove("//Script/▶ Run");
    before = is_shown(ui);
    ui->MouseClick();
    after = is_shown(ui);
    ui->MouseMove("//Script/■ Stop");
    ui->SleepNoSkip(0.3F, 0.1F);
    ui->MouseMove("//Script/▶ Run");
    again = is_shown(ui);
  });
  CHECK(before);
  CHECK_FALSE(after);
  CHECK(again);
  CHECK(story.host().runs.size() == 1);
}

TEST_CASE("no tooltip stays after a press, whatever the press put under the mouse", "[window][host]") {
  Story story;
  ready(story);
  story.show(tour_snapshot());
  const auto rested = [](ImGuiTestContext* ui) {
    ui->SleepNoSkip(1.5F, 0.1F);
    return lowest_tooltip() == 0;
  };
  bool after_restart = false, after_head = false, again = true;
  story.act([&](ImGuiTestContext* ui) {
    ui->ItemClick("//Script/Restart");
    after_restart = rested(ui);
    ui->ItemClick("//Tensors/**/Library");
    after_head = rested(ui);
    ui->MouseMove("//Script/■ Stop");
    again = rested(ui);
  });
  CHECK(after_restart);
  CHECK(after_head);
  CHECK_FALSE(again);
  // This press takes the comparison away, and something else with a tooltip comes under the mouse.
  story.app().commands().push(app::command::SelectTensor{0});
  story.app().commands().push(app::command::CompareTensor{1});
  story.frames(3);
  bool after_other = false;
  std::string other;
  story.act([&](ImGuiTestContext* ui) {
    ui->ItemClick("//Tensors/×##compared");
    after_other = rested(ui);
    other = app::meaning_under_mouse();
  });
  CHECK(after_other);
  CHECK_FALSE(other.empty());
  CHECK(other.find("No longer compare") == std::string::npos);
}

TEST_CASE("a tooltip covers neither the status bar nor the rows below the head that it is of", "[window][host]") {
  Story story;
  ready(story);
  story.show(tour_snapshot());
  for (const float scale : {1.0F, 2.0F}) {
    INFO(scale);
    story.app().set_scale(scale);
    story.frames(4);
    float lowest = 0, below_head = 0, head = 0;
    int seen = 0;
    story.act([&](ImGuiTestContext* ui) {
      const ImGuiViewport* viewport = ImGui::GetMainViewport();
      const ImVec2 size = viewport->Size;
      const float bar = viewport->WorkPos.y + viewport->WorkSize.y;
      for (float y = bar - 80 * scale; y < size.y; y += 16 * scale) {
        for (float x = 40; x < size.x; x += size.x / 8) {
          ui->MouseMoveToPos({x, y});
          ui->SleepNoSkip(0.7F, 0.175F);
          seen += lowest_tooltip() > 0 ? 1 : 0;
          lowest = std::max(lowest, lowest_tooltip() - bar);
        }
      }
      const ImGuiTestItemInfo item = ui->ItemInfo("//Tensors/**/Name");
      ui->MouseMoveToPos(item.RectFull.GetCenter());
      ui->SleepNoSkip(1.5F, 0.1F);
      head = item.RectFull.Min.y;
      below_head = lowest_tooltip();
    });
    CHECK(seen > 4);
    CHECK(lowest <= 0);
    CHECK(below_head > 0);
    CHECK(below_head <= head);
  }
}

TEST_CASE("long work is listed with its progress, and cancelled in the panel or the status bar", "[window][host]") {
  std::atomic<int> rounds{0};
  Story story;
  const struct EndsTheWork {
    std::atomic<int>& rounds;
    ~EndsTheWork() { rounds = 1; }  // also where a check fails: the window waits for its work
  } ends_the_work{rounds};
  ready(story);
  const auto endless = [&]() -> core::Result<void> {
    while (rounds < 1) std::this_thread::yield();
    return core::fail(core::ErrorKind::environment, "the disk is full");
  };
  story.app().save_picture(endless, "/tmp/a.png");
  story.app().save_picture([]() -> core::Result<void> { return {}; }, "/tmp/b.png");
  story.frames(2);
  REQUIRE(story.app().tasks().open_count() == 2);
  // The second waits for the first: cancelled at once.
  story.act([](ImGuiTestContext* ui) {
    ui->WindowFocus("//Tasks");
    ui->ItemClick("//Tasks/$$2/Cancel");
  });
  CHECK(story.app().tasks().find(2)->state == app::TaskState::cancelled);
  REQUIRE(story.wait_for([&] { return story.app().tasks().shown(app::TaskList::Clock::now()) != nullptr; }));
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//##status/**/Cancel"); });
  CHECK(story.app().tasks().find(1)->cancel_asked);
  rounds = 1;
  story.app().finish_background_work();
  story.frames(2);
  CHECK(story.app().tasks().find(1)->state == app::TaskState::cancelled);
  CHECK(story.app().notices().all().empty());
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Tasks/Clear what has ended"); });
  CHECK(story.app().tasks().all().empty());
}

TEST_CASE("a task that failed says why, in the panel and in a notice", "[window][host]") {
  Story story;
  ready(story);
  story.app().save_picture([]() -> core::Result<void> { return core::fail(core::ErrorKind::environment, "the disk is full"); },
                           "/tmp/a.png");
  story.app().finish_background_work();
  story.frames(3);
  CHECK(story.app().tasks().find(1)->state == app::TaskState::failed);
  CHECK(story.app().tasks().find(1)->message == "the disk is full");
  CHECK(story.app().notices().all().front().text == "the disk is full");
}

TEST_CASE("holding a tensor says what it costs, shows as held, and is given up again", "[window][host]") {
  Story story;
  ready(story);
  story.show(tour_snapshot());
  story.app().select("x");
  story.frames(2);
  const std::uint32_t x = story.app().selected();
  const core::wire::TensorRef ref{story.app().index()->snapshot->info.revision, x};
  story.app().commands().push(app::command::HoldMemory{});
  story.frames(2);
  REQUIRE(story.host().work.size() == 1);
  CHECK(std::get<core::wire::Hold>(story.host().work[0]).tensor == ref);
  CHECK(story.app().tasks().open_count() == 1);

  story.host().events.emplace_back(app::HostEvent{app::HostLease{1, core::wire::LeaseState::held, false, ref, {}}});
  story.host().events.emplace_back(
      app::HostEvent{app::HostWorkEnded{1, core::wire::WorkOutcome::done, "While it is held, it cannot be resized.", {}}});
  story.frames(2);
  CHECK(story.app().held().contains(x));
  CHECK(story.app().tasks().open_count() == 0);
  REQUIRE_FALSE(story.app().notices().all().empty());
  CHECK(story.app().notices().all().back().text == "x is held between runs. While it is held, it cannot be resized.");
  // Its row says so, also while another tensor is selected.
  story.app().commands().push(app::command::DismissNotice{story.app().notices().all().back().id});
  story.app().select("w");
  story.frames(2);
  INFO(story.text_of_frame());
  CHECK(story.text_of_frame().find("| x +1 name held |") != std::string::npos);
  story.app().select("x");
  story.frames(2);

  story.app().commands().push(app::command::ReleaseMemory{});
  story.frames(2);
  REQUIRE(story.host().work.size() == 2);
  CHECK(std::get<core::wire::Release>(story.host().work[1]).lease == 1);
  story.host().events.emplace_back(app::HostEvent{app::HostLease{1, core::wire::LeaseState::gone, false, ref, {}}});
  story.host().events.emplace_back(app::HostEvent{app::HostWorkEnded{2, core::wire::WorkOutcome::done, {}, {}}});
  story.frames(2);
  CHECK_FALSE(story.app().held().contains(x));
}

TEST_CASE("a held tensor whose name went away has a line with Release in the tensors panel", "[window][host]") {
  Story story;
  ready(story);
  const auto look = [&](core::SnapshotPtr snapshot) {
    story.host().events.emplace_back(app::HostEvent{app::HostSnapshot{std::move(snapshot), core::Scanned::end}});
    story.frames(2);
    story.app().finish_background_work();
    story.frames(3);
  };
  look(tour_snapshot());
  story.app().select("x");
  story.frames(2);
  const std::uint64_t revision = story.app().index()->snapshot->info.revision;
  const core::wire::TensorRef ref{revision, story.app().selected()};
  story.host().events.emplace_back(app::HostEvent{app::HostLease{7, core::wire::LeaseState::held, true, ref, {}}});
  story.frames(2);
  const char* const kSaid = "x, 48 B: held by dlscope, no name of the program leads to it";
  CHECK(story.text_of_frame().find("no name of the program leads to it") == std::string::npos);
  core::Snapshot without_x = *snapshot_of({{.name = "other", .shape = {4}}});
  without_x.info.revision = revision + 1;
  look(std::make_shared<const core::Snapshot>(std::move(without_x)));
  const std::string text = story.text_of_frame();
  INFO(text);
  CHECK(text.find(kSaid) != std::string::npos);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Tensors/**/Release"); });
  story.frames(2);
  REQUIRE_FALSE(story.host().work.empty());
  CHECK(std::get<core::wire::Release>(story.host().work.back()).lease == 7);
  story.host().events.emplace_back(app::HostEvent{app::HostLease{7, core::wire::LeaseState::gone, true, ref, {}}});
  story.frames(2);
  CHECK(story.text_of_frame().find("no name of the program leads to it") == std::string::npos);
}

TEST_CASE("Release beside what was said of a tensor releases that one, whichever is selected", "[window][host]") {
  Story story;
  ready(story);
  story.show(tour_snapshot());
  for (const char* const name : {"x", "w"}) {
    story.app().select(name);
    story.frames(2);
    const core::wire::TensorRef ref{story.app().index()->snapshot->info.revision, story.app().selected()};
    story.app().commands().push(app::command::HoldMemory{});
    story.frames(2);
    const std::uint64_t id = story.host().work.size();
    story.host().events.emplace_back(app::HostEvent{app::HostWorkEnded{id, core::wire::WorkOutcome::done, {}, {}}});
    story.host().events.emplace_back(app::HostEvent{app::HostLease{id, core::wire::LeaseState::held, false, ref, {}}});
    story.frames(2);
  }
  REQUIRE(story.app().notices().all().size() == 2);
  const app::Command release = *story.app().notices().all()[0].command;
  story.app().commands().push_copy(release);
  story.frames(2);
  REQUIRE(story.host().work.size() == 3);
  CHECK(std::get<core::wire::Release>(story.host().work[2]).lease == 1);
  story.host().events.emplace_back(app::HostEvent{app::HostLease{1, core::wire::LeaseState::gone, false, {}, {}}});
  story.frames(2);
  story.app().commands().push_copy(release);
  story.frames(2);
  CHECK(story.host().work.size() == 3);
  CHECK(story.app().notices().all().back().text == "x is not held by dlscope.");
}

TEST_CASE("what a search found is gone to by the tensor's name, and only among the tensors that were searched",
          "[window][host]") {
  Story story;
  ready(story);
  story.show(tour_snapshot());
  story.app().select("x");
  story.frames(2);
  story.app().commands().push(app::command::SearchValues{});
  story.frames(2);
  story.host().events.emplace_back(
      app::HostEvent{app::HostWorkEnded{1, core::wire::WorkOutcome::done, {}, core::ValueMatches{2, 5, 5, 12, 0}}});
  story.frames(2);
  REQUIRE_FALSE(story.app().notices().all().empty());
  const app::Command go_there = *story.app().notices().all().back().command;
  // Another look: x has another number now.
  auto later = std::make_shared<core::Snapshot>(*snapshot_of({{.name = "first", .shape = {9}},
                                                              {.name = "second", .address = 0x558120001000, .shape = {9}},
                                                              {.name = "x", .address = 0x558120002000, .shape = {3, 4}}}));
  later->info.revision = 2;
  story.show(later);
  story.app().commands().push_copy(go_there);
  story.frames(2);
  CHECK(story.app().pinned().tensor == story.app().index()->find("x"));
  CHECK(story.app().pinned().element == 5U);
  story.app().commands().push(app::command::Deselect{});
  story.app().commands().push(app::command::ShowMoment{1});
  story.frames(1);
  story.app().finish_background_work();
  story.frames(2);
  REQUIRE(story.app().moment().since == app::Since::looked_again);
  story.app().commands().push_copy(go_there);
  story.frames(2);
  CHECK_FALSE(story.app().pinned().on_tensor());
  CHECK(story.app().notices().all().back().text.find("another moment") != std::string::npos);
}

TEST_CASE("what a search found is told when other tensors are shown by now, and that it may have been other data",
          "[window][host]") {
  Story story;
  story.app().load_text("a.py", tour_script());
  ready(story);
  story.show(tour_snapshot());
  story.app().select("x");
  story.frames(2);
  const auto told = [&](std::uint64_t work) {
    story.host().events.emplace_back(
        app::HostEvent{app::HostWorkEnded{work, core::wire::WorkOutcome::done, {}, core::ValueMatches{2, 5, 5, 12, 0}}});
    story.frames(2);
    return story.app().notices().all().empty() ? std::string() : story.app().notices().all().back().text;
  };
  story.app().commands().push(app::command::SearchValues{});
  story.frames(2);
  auto later = std::make_shared<core::Snapshot>(*tour_snapshot());
  later->info.revision = 2;
  story.show(later);
  const std::string first = told(1);
  CHECK(first.starts_with("x: 2 of 12 values are NaN"));
  CHECK(first.find("Other tensors are shown by now than those that were searched") != std::string::npos);

  story.app().select("x");
  story.frames(2);
  story.app().commands().push(app::command::RunScript{});
  story.frames(3);
  REQUIRE(story.app().moment().since == app::Since::running);
  story.app().commands().push(app::command::SearchValues{});
  story.frames(2);
  const std::string second = told(2);
  CHECK(second.find("It was not held") != std::string::npos);
  CHECK(second.find("these may be other values.") != std::string::npos);
}

TEST_CASE("a search through all values is a task that can be cancelled, and leads to what it found", "[window][host]") {
  Story story;
  ready(story);
  story.show(tour_snapshot());
  story.app().select("x");
  story.frames(2);
  story.app().commands().push(app::command::SearchValues{});
  story.frames(2);
  story.host().events.emplace_back(app::HostEvent{app::HostProgress{1, 10, 100, core::wire::ProgressUnit::bytes}});
  story.frames(2);
  REQUIRE(story.app().tasks().open_count() == 1);
  story.app().commands().push(app::command::CancelTask{story.app().tasks().all().back().id});
  story.frames(2);
  CHECK(story.host().cancelled == std::vector<std::uint64_t>{1});
  story.host().events.emplace_back(app::HostEvent{app::HostWorkEnded{1, core::wire::WorkOutcome::cancelled, {}, {}}});
  story.frames(2);
  CHECK(story.app().tasks().open_count() == 0);

  story.app().commands().push(app::command::SearchValues{});
  story.frames(2);
  story.host().events.emplace_back(
      app::HostEvent{app::HostWorkEnded{2, core::wire::WorkOutcome::done, {}, core::ValueMatches{2, 5, 5, 12, 0}}});
  story.frames(2);
  REQUIRE_FALSE(story.app().notices().all().empty());
  CHECK(story.app().notices().all().back().text.find("2 of 12 values are NaN, infinite or subnormal; the first is x[") !=
        std::string::npos);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//##notices/**/Go there"); });
  CHECK(story.app().pinned().element == 5);
}

}  // namespace dlscope::tests
