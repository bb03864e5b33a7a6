// As of when: whatever happens to the script and its process, no view shows something as current that is not.
#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "app/models/focus/focus_text.h"
#include "app/models/text/format.h"
#include "tests/app/window/stories/moment_story.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {
namespace {

namespace fs = std::filesystem;

using app::Since;
using app::TensorState;

}  // namespace

TEST_CASE("while code runs, what the run before left is not live and compared with nothing", "[window][moment]") {
  MomentStory window;
  CHECK(window.state() == TensorState::current);
  CHECK(window.values().own);
  window.memory->still = false;  // while nothing runs, a change is a change
  window.story.frames(3);
  CHECK(window.values().changes.size() > 0);
  window.memory->still = true;

  window.start();
  CHECK(window.state() == TensorState::not_held);
  CHECK(app::moment_description(window.app().moment()) == "as of run 1; run 2 is running");
  CHECK_FALSE(window.values().own);
  const std::size_t marked = window.values().changes.size();
  window.memory->still = false;  // freed, and written to by somebody else
  window.story.frames(5);
  CHECK(window.values().changes.size() == marked);
  window.memory->still = true;
  window.story.frames(2);

  window.finish(tour_snapshot());
  CHECK(window.state() == TensorState::current);
  CHECK(window.values().own);
  CHECK(window.values().changes.size() == marked);  // the bytes are those of before the run: nothing in between counts
}

TEST_CASE("what was last seen stands where other data may lie, until one asks for what lies there now", "[window][moment]") {
  MomentStory window;
  const auto texts = [&] {
    std::vector<std::string> out;
    for (const app::GridCell& cell : window.values().cells) out.push_back(cell.text);
    return out;
  };
  const std::vector<std::string> seen = texts();
  REQUIRE(seen.size() == 12);
  window.start();
  window.memory->fill = 9;  // freed, and written to by somebody else
  window.story.frames(3);
  CHECK(texts() == seen);
  CHECK(window.values().cells_read == 0);
  CHECK(window.values().kept.bytes() > 0);
  CHECK(window.values().kept.bytes() <= app::KeptValues::kMaxBytes);
  window.story.act([](ImGuiTestContext* ui) {  // what is searched would not be what is shown
    ui->WindowFocus("//Values");
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_G);
    ui->Yield(2);
    ui->KeyCharsReplaceEnter("= 9");
    ui->Yield(2);
    ui->KeyPress(ImGuiKey_Escape);
  });
  CHECK(window.values().go_to_problem.starts_with("Not searched: the values shown are those of then."));
  window.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Values/present bytes"); });
  window.story.frames(2);
  CHECK(texts() != seen);
  CHECK(window.values().cells_read == 12);
  CHECK_FALSE(window.values().own);
  window.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Values/then"); });
  window.story.frames(2);
  CHECK(texts() == seen);

  window.finish(tour_snapshot());  // of the new tensors nothing is kept but what is read now
  CHECK(window.state() == TensorState::current);
  CHECK(texts() != seen);
}

TEST_CASE("the ledger has what is kept of the shown values in one row with its bound, and counts it as no copy", "[window][moment]") {
  MomentStory window;
  app::ExchangeState& exchange = window.app().panels().exchange;
  exchange.bring_up = app::ExchangeTab::ledger;
  window.story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Exchange"); });
  window.story.frames(5);
  const std::size_t kept = window.values().kept.bytes();
  REQUIRE(kept > 0);
  REQUIRE(exchange.ledger.last_known.last() != nullptr);
  CHECK(exchange.ledger.last_known.last()->size == app::exact_bytes(kept));
  CHECK(exchange.ledger.last_known.last()->rate == app::human_bytes(kept) + ", at most 34.0 MiB");
  CHECK(exchange.ledger.rows.empty());
}

TEST_CASE("what is held stays live while code runs", "[window][moment]") {
  MomentStory window;
  const core::wire::TensorRef ref{window.app().index()->snapshot->info.revision, window.app().selected()};
  window.story.host().events.emplace_back(
      app::HostEvent{app::HostLease{1, core::wire::LeaseState::held, true, ref, {}}});
  window.story.frames(2);
  window.start();
  CHECK(window.state() == TensorState::held);
  CHECK(window.values().own);
}

TEST_CASE("a report that is saved while another run goes on tells of the run that was seen, of what came since, and what is held",
          "[window][moment]") {
  const TemporaryFolder folder;
  MomentStory window;
  const core::wire::TensorRef ref{window.app().index()->snapshot->info.revision, window.app().selected()};
  const auto saved = [&] {
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    window.app().commands().push(app::command::Ask{app::ActionId::report_save});
    window.story.frames(3);
    window.app().finish_background_work();
    fs::current_path(before);
    const fs::directory_iterator written(folder.path());
    REQUIRE(written != fs::directory_iterator());
    const fs::path path = written->path();
    std::ifstream file(path);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    fs::remove(path);
    return text;
  };
  const auto times = [](const std::string& text, std::string_view part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
  };
  const std::string at_rest = saved();
  CHECK(times(at_rest, "after the tensors were seen") == 0);
  CHECK(times(at_rest, R"("held_by_dlscope": true)") == 0);
  REQUIRE(times(at_rest, R"("held_by_dlscope": false)") > 1);

  window.story.host().events.emplace_back(
      app::HostEvent{app::HostLease{1, core::wire::LeaseState::held, true, ref, {}}});
  window.story.frames(2);
  window.start();
  const std::string running = saved();
  INFO(running);
  CHECK(times(running, "after the tensors were seen: run 2 is running") == 1);
  CHECK(times(running, R"("held_by_dlscope": true)") == 1);
  CHECK(times(running, R"("outcome": "finished")") == 1);
  CHECK(times(running, "\"name\": \"x\"") == 1);
}

TEST_CASE("after a restart nothing of the process before is read", "[window][moment]") {
  MomentStory window;
  restart(window.app());
  window.story.frames(2);
  window.story.host().ready();
  window.story.frames(2);
  window.app().read_memory_with(window.memory);  // of the new process
  const int before = window.memory->reads;
  window.app().commands().push(app::command::Pin{app::focus_on(*window.app().index(), window.app().selected(), 5)});
  window.story.frames(5);
  CHECK(window.memory->reads == before);
  CHECK(window.state() == TensorState::dead);
  CHECK(app::moment_description(window.app().moment()) == "as of run 1; that Python has ended");
  CHECK(window.values().cells_read == 0);
  CHECK(window.values().cells.size() == 12);  // what was last seen of it
}

TEST_CASE("a crash in a later run does not pass the old description off as what the crash left", "[window][moment]") {
  MomentStory window;
  window.start();
  window.story.host().events.emplace_back(app::HostEvent{app::HostCrashed{11, 0, "libc.so.6", {}}});
  window.story.frames(3);
  CHECK(window.app().moment().since == Since::crashed);
  CHECK(window.state() == TensorState::not_held);
  CHECK(app::moment_description(window.app().moment()) == "as of run 1; run 2 crashed");
  CHECK_FALSE(window.values().own);
}

TEST_CASE("what a run changed is told of one script in one process only", "[window][moment]") {
  MomentStory window;
  const auto other = snapshot_of({{.name = "q", .shape = {4}}, {.name = "x", .address = 0x7000, .shape = {5}}}, 2);
  window.run(other);
  CHECK(window.app().index()->marks.gone.size() == 10);
  CHECK(window.app().index()->marks.fresh == 1);

  window.app().load_text("b.py", "q = 1\n");  // another script
  window.story.frames(2);
  window.run(snapshot_of({{.name = "alone", .address = 0x558120009000, .shape = {4}},
                          {.name = "one", .address = 0x55812000a000, .shape = {4}},
                          {.name = "two", .address = 0x55812000a000, .shape = {2}}}));
  CHECK(window.app().index()->marks.before == nullptr);
  CHECK(window.app().selected() == 1);  // there is no x: what shares is looked at
  window.run(other);  // the same script once more
  CHECK(window.app().index()->marks.before != nullptr);

  restart(window.app());  // another process
  window.story.frames(2);
  window.story.host().ready();
  window.story.frames(2);
  window.run(tour_snapshot());
  CHECK(window.app().index()->marks.before == nullptr);
  CHECK(window.state() == TensorState::current);
}

}  // namespace dlscope::tests
