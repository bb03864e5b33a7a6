// Changed texts that another script took the place of: each is offered, stored, restored or given up.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "tests/app/session/document_bench.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::app {

TEST_CASE("changed text is put aside by another script, and restored", "[session][document]") {
  const tests::TemporaryFolder folder, state;
  write(folder / "a.py", "a = 1\n");
  DocumentBench bench(state / "dlscope");
  REQUIRE(bench.document.load_file(folder / "a.py"));
  bench.type("a = 2\n");
  bench.document.start_new();
  CHECK(bench.model().path.empty());
  CHECK(bench.last_notice().action == "Restore");
  bench.restore(0);
  CHECK(bench.notices.all().empty());
  CHECK(bench.model().path == folder / "a.py");
  CHECK(bench.model().text == "a = 2\n");
  CHECK(bench.model().modified);
  CHECK(bench.model().saved_text == "a = 1\n");
  CHECK(bench.model().on_disk == OnDisk::same);
}

TEST_CASE("a text that is restored does not replace unasked what another program wrote since", "[session][document]") {
  const tests::TemporaryFolder folder, state;
  for (const char* name : {"a.py", "b.py"}) write(folder / name, "on disk\n");
  const bool in_later_session = GENERATE(false, true);
  auto bench = std::make_unique<DocumentBench>(state / "s");
  REQUIRE(bench->document.load_file(folder / "a.py"));
  bench->type("mine\n");
  if (in_later_session) {
    REQUIRE(bench->document.close());
    bench.reset();
    bench = std::make_unique<DocumentBench>(state / "s");
    REQUIRE(bench->wait_for([&] { return !bench->notices.all().empty(); }));
  } else {
    bench->open(folder / "b.py");
  }
  SECTION("another program wrote the file: saving asks, and either text can be had") {
    write(folder / "a.py", "on disk\n# by another program\n");
    bench->restore(0);
    CHECK(bench->model().on_disk == OnDisk::changed);
    CHECK(bench->model().modified);
    bench->save();
    CHECK(bytes_of(folder / "a.py") == "on disk\n# by another program\n");
    CHECK(bench->model().save_held);
    SECTION("the other program's") {
      bench->document.reload();
      CHECK(bench->model().text == "on disk\n# by another program\n");
    }
    SECTION("mine") {
      bench->document.keep_mine();
      bench->save();
      CHECK(bytes_of(folder / "a.py") == "mine\n");
    }
    SECTION("still so when the text is put aside and restored once more") {
      bench->document.start_new();
      bench->restore(0);
      bench->save();
      CHECK(bytes_of(folder / "a.py") == "on disk\n# by another program\n");
    }
  }
  SECTION("another program wrote the same") {
    write(folder / "a.py", "mine\n");
    bench->restore(0);
    CHECK(bench->model().on_disk == OnDisk::same);
    CHECK_FALSE(bench->model().modified);
  }
  SECTION("nobody wrote it") {
    bench->restore(0);
    CHECK(bench->model().on_disk == OnDisk::same);
    bench->save();
    CHECK(bytes_of(folder / "a.py") == "mine\n");
  }
  SECTION("it was removed: the text is changed, is said to be nowhere else, and outlives the end") {
    std::filesystem::remove(folder / "a.py");
    bench->restore(0);
    CHECK(bench->model().modified);
    REQUIRE(bench->wait_for([&] { return bench->model().on_disk == OnDisk::gone; }));
    REQUIRE(bench->document.close());
    bench.reset();
    bench = std::make_unique<DocumentBench>(state / "s");
    REQUIRE(bench->wait_for([&] { return !bench->notices.all().empty(); }));
    bench->restore(0);
    CHECK(bench->model().text == "mine\n");
  }
}

TEST_CASE("each text that was put aside is restored by its own notice", "[session][document]") {
  const tests::TemporaryFolder folder, state;
  for (const char* name : {"a.py", "b.py", "c.py"}) write(folder / name, "on disk\n");
  DocumentBench bench(state / "s");
  REQUIRE(bench.document.load_file(folder / "a.py"));
  bench.type("a = 2\n");
  bench.open(folder / "b.py");
  bench.type("b = 2\n");
  bench.open(folder / "c.py");
  REQUIRE(bench.notices.all().size() == 2);
  bench.restore(0);
  CHECK(bench.model().path == folder / "a.py");
  CHECK(bench.model().text == "a = 2\n");
  REQUIRE(bench.notices.all().size() == 1);
  bench.restore(0);  // a.py, which is still changed, is put aside for it
  CHECK(bench.model().path == folder / "b.py");
  CHECK(bench.model().text == "b = 2\n");
  REQUIRE(bench.notices.all().size() == 1);
  bench.restore(0);
  CHECK(bench.model().text == "a = 2\n");
}

TEST_CASE("the breakpoints of a script that was never saved go and come with its text", "[session][document]") {
  const tests::TemporaryFolder folder, state;
  write(folder / "a.py", "a = 1\n");
  const auto on_line = [](std::uint32_t line) {
    KeptBreakpoint b;
    b.path = kUnsavedScript;
    b.line = line;
    b.condition = "x > " + std::to_string(line);
    return b;
  };
  {
    DocumentBench bench(state / "s");
    bench.type("x = 1\n");
    bench.breakpoints = {on_line(1)};  // set after the last edit
    bench.document.note_breakpoints();
    bench.document.start_new();
    CHECK(bench.breakpoints.empty());
    bench.type("y = 1\n");
    bench.restore(0);
    CHECK(bench.model().text == "x = 1\n");
    CHECK(bench.breakpoints == std::vector{on_line(1)});
    bench.load();
    bench.breakpoints.push_back(on_line(2));
    bench.restore(0);
    CHECK(bench.model().text == "y = 1\n");
    CHECK(bench.breakpoints.empty());
    bench.load();
    bench.breakpoints = {on_line(3)};
    bench.document.close();  // the text of y is stored at the end, that of x when it was put aside
  }
  DocumentBench bench(state / "s");
  REQUIRE(bench.wait_for([&] { return bench.notices.all().size() == 2; }));
  for (int both = 0; both < 2; ++both) {
    bench.restore(0);
    bench.load();
    const bool is_x = bench.model().text == "x = 1\n";
    CHECK(bench.breakpoints == (is_x ? std::vector{on_line(1), on_line(2)} : std::vector{on_line(3)}));
  }
  // A script in a file has its own in the settings.
  bench.breakpoints = {on_line(4)};
  REQUIRE(bench.document.load_file(folder / "a.py"));
  bench.breakpoints = {on_line(4)};
  bench.type("a = 2\n");
  bench.document.start_new();
  bench.breakpoints = {on_line(5)};
  bench.restore(bench.notices.all().size() - 1);
  CHECK(bench.model().path == folder / "a.py");
  CHECK(bench.breakpoints.empty());
}

TEST_CASE("a text that was put aside is offered by the next session, unless it was given up", "[session][document]") {
  const tests::TemporaryFolder folder, state;
  for (const char* name : {"a.py", "b.py"}) write(folder / name, "on disk\n");
  {
    DocumentBench bench(state / "s");
    REQUIRE(bench.document.load_file(folder / "a.py"));
    bench.type("a = 2\n");
    bench.open(folder / "b.py");
    bench.type("b = 2\n");
    bench.document.start_new();
    bench.document.give_up(bench.last_notice().id);
    bench.document.close();
  }
  {
    DocumentBench bench(state / "s");
    REQUIRE(bench.wait_for([&] { return !bench.notices.all().empty(); }));
    REQUIRE(bench.notices.all().size() == 1);
    CHECK(bench.last_notice().text.starts_with("An earlier session left unsaved text of a.py, stored 2"));
    CHECK(bench.last_notice().text.ends_with(", which ends with “a = 2”."));
    // Another text that is put aside meanwhile has a way back of its own.
    bench.type("new\n");
    bench.document.start_new();
    bench.restore(0);
    CHECK(bench.model().path == folder / "a.py");
    CHECK(bench.model().text == "a = 2\n");
    REQUIRE(bench.notices.all().size() == 1);
    bench.restore(0);
    CHECK(bench.model().text == "new\n");
    bench.restore(0);
    bench.save();  // a.py is saved now, and "new" is put aside
    CHECK(bytes_of(folder / "a.py") == "a = 2\n");
    REQUIRE(bench.notices.all().size() == 1);
    bench.document.give_up(bench.last_notice().id);
    bench.document.close();
  }
  CHECK(std::filesystem::directory_iterator(state / "s") == std::filesystem::directory_iterator());
}

TEST_CASE("a text that was removed comes back with Undo, whole and stored, until the window closes", "[session][document]") {
  const tests::TemporaryFolder folder, state;
  for (const char* name : {"a.py", "b.py"}) write(folder / name, "on disk\n");
  const bool of_earlier_session = GENERATE(false, true);
  auto bench = std::make_unique<DocumentBench>(state / "s");
  REQUIRE(bench->document.load_file(folder / "a.py"));
  bench->type("a = 2\n");
  if (of_earlier_session) {
    REQUIRE(bench->document.close());
    bench.reset();
    bench = std::make_unique<DocumentBench>(state / "s");
    REQUIRE(bench->wait_for([&] { return !bench->notices.all().empty(); }));
  } else {
    bench->open(folder / "b.py");
  }
  bench->document.give_up(bench->last_notice().id);
  bench->jobs.finish_all();
  REQUIRE(bench->notices.all().size() == 1);
  CHECK(bench->last_notice().text == "Removed the unsaved text of a.py.");
  CHECK(bench->last_notice().action == "Undo");
  SECTION("it is offered again, and restored") {
    bench->restore(0);  // the button: Undo
    REQUIRE(bench->notices.all().size() == 1);
    CHECK(bench->last_notice().action == "Restore");
    CHECK(bench->model().text != "a = 2\n");
    bench->restore(0);
    CHECK(bench->model().text == "a = 2\n");
  }
  SECTION("or left to the next session") {
    bench->restore(0);
    REQUIRE(bench->document.close());
    bench.reset();
    bench = std::make_unique<DocumentBench>(state / "s");
    REQUIRE(bench->wait_for([&] { return !bench->notices.all().empty(); }));
    bench->restore(0);
    CHECK(bench->model().text == "a = 2\n");
  }
  SECTION("without Undo it is gone at the end") {
    REQUIRE(bench->document.close());
    bench.reset();
    CHECK(std::filesystem::directory_iterator(state / "s") == std::filesystem::directory_iterator());
  }
}

TEST_CASE("of many texts that are put aside the newest can be restored", "[session][document]") {
  const tests::TemporaryFolder state;
  DocumentBench bench(state / "s");
  for (std::size_t i = 0; i < PutAsideTexts::kMax + 2; ++i) {
    bench.type("text " + std::to_string(i));
    bench.document.start_new();
  }
  REQUIRE(bench.notices.all().size() == PutAsideTexts::kMax);
  bench.restore(0);
  CHECK(bench.model().text == "text 2");
}

TEST_CASE("of many texts that cannot be stored none is lost: those without room are offered again", "[session][document]") {
  const tests::TemporaryFolder state;
  write(state / "file", "");
  DocumentBench bench(state / "file/s");  // a folder that cannot be made, as on a disk that is full
  constexpr std::size_t kTexts = PutAsideTexts::kMax + 3;
  for (std::size_t i = 0; i < kTexts; ++i) {
    bench.type("text " + std::to_string(i));
    bench.document.start_new();
    bench.jobs.finish_all();
  }
  const auto offer = [&] { return std::ranges::find(bench.notices.all(), "Restore", &Notice::action); };
  CHECK(std::ranges::count(bench.notices.all(), "Restore", &Notice::action) == PutAsideTexts::kMax);
  CHECK(std::ranges::any_of(bench.notices.logged(), [](const LoggedEvent& event) {
    return event.text.find("There is no room to offer it now") != std::string::npos;
  }));
  int left = 0;
  bench.document.leave([&] { ++left; });
  bench.jobs.finish_all();
  CHECK(left == 0);
  std::size_t named = 0;
  for (std::size_t at = 0; (at = bench.last_notice().text.find("is lost when", at)) != std::string::npos; ++at) ++named;
  CHECK(named == kTexts);
  std::set<std::string> restored;
  for (auto next = offer(); next != bench.notices.all().end(); next = offer()) {
    bench.restore(static_cast<std::size_t>(next - bench.notices.all().begin()));
    restored.insert(bench.model().text);
    bench.document.load_text("", "");
  }
  CHECK(restored.size() == kTexts);
}

TEST_CASE("a text that finds no room and is stored after all is left to the next session", "[session][document]") {
  const tests::TemporaryFolder state;
  DocumentBench bench(state / "s");
  for (std::size_t i = 0; i < PutAsideTexts::kMax + 2; ++i) {
    bench.type("text " + std::to_string(i));
    bench.document.start_new();
  }
  bench.jobs.finish_all();
  CHECK(bench.notices.all().size() == PutAsideTexts::kMax);
  REQUIRE(bench.document.close());
  const std::filesystem::directory_iterator stored(state / "s");
  CHECK(std::count_if(begin(stored), end(stored), [](const auto& file) {
          return bytes_of(file.path()).find("text ") != std::string::npos;
        }) == PutAsideTexts::kMax + 2);
}

}  // namespace dlscope::app
