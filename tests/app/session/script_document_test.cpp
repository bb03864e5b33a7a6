// A script that is opened, saved, watched and shown at a line.
#include <sys/stat.h>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>
#include <future>
#include <string>

#include "app/files/read_file.h"
#include "tests/app/session/document_bench.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::app {

TEST_CASE("a script is opened, typed into and saved, and the window hears of it", "[session][document]") {
  const tests::TemporaryFolder folder;
  write(folder / "a.py", "x = 1\r\n");
  DocumentBench bench;
  bench.document.open(folder / "a.py");
  bench.jobs.finish_all();
  CHECK(bench.model().text == "x = 1\n");
  CHECK(bench.used == std::vector<std::string>{folder / "a.py"});
  CHECK(bench.shown.size() == 1);
  CHECK(bench.replaced == 1);
  bench.type("x = 2\n");
  CHECK(bench.model().modified);
  CHECK(*bench.document.text() == "x = 2\n");
  bench.save();
  CHECK(bytes_of(folder / "a.py") == "x = 2\r\n");
  CHECK_FALSE(bench.model().modified);
  CHECK(bench.notices.all().empty());
}

TEST_CASE("without an editor the text is what was opened", "[session][document]") {
  DocumentBench bench;
  bench.document.load_text("", "a = 1\n");
  CHECK(*bench.document.text() == "a = 1\n");
  bench.load();
  bench.document.load_text("", "b = 1\n");  // the editor still has the other one
  CHECK(*bench.document.text() == "b = 1\n");
}

TEST_CASE("what is typed while a save is written stays unsaved", "[session][document]") {
  const tests::TemporaryFolder folder;
  DocumentBench bench;
  bench.type("one");
  bench.document.save({.path = folder / "a.py"});
  bench.text = std::make_shared<const std::string>("one two");
  bench.document.note_edit();
  bench.jobs.finish_all();
  CHECK(bytes_of(folder / "a.py") == "one");
  CHECK(bench.model().modified);
  CHECK(bench.model().saved_text == "one");
}

TEST_CASE("a save asked for during a save follows it and is no conflict with it", "[session][document]") {
  const tests::TemporaryFolder folder;
  write(folder / "a.py", "zero");
  DocumentBench bench;
  REQUIRE(bench.document.load_file(folder / "a.py"));
  bench.type("one");
  bench.document.save({});
  bench.type("two");
  bench.document.save({});
  CHECK(bench.document.saving());
  bench.jobs.finish_all();
  CHECK_FALSE(bench.document.saving());
  CHECK(bytes_of(folder / "a.py") == "two");
  CHECK_FALSE(bench.model().modified);
  CHECK(bench.notices.all().empty());
}

// A stalled disk: a job of the lane for files that does not end.
TEST_CASE("a disk that does not answer does not hold up who saves", "[session][document]") {
  const tests::TemporaryFolder folder;
  DocumentBench bench;
  bench.type("x = 1\n");
  std::promise<void> disk_answers;
  bench.jobs.post(Lane::files,
                  [answer = disk_answers.get_future().share()](const std::stop_token&) -> JobPool::Apply {
                    answer.wait();
                    return [] {};
                  },
                  {JobKind::open_script});
  bench.document.save({.path = folder / "a.py"});
  CHECK(bench.document.saving());  // and this line is reached
  CHECK(bytes_of(folder / "a.py").empty());
  disk_answers.set_value();
  bench.jobs.finish_all();
  CHECK(bytes_of(folder / "a.py") == "x = 1\n");
}

// Opening it would wait for somebody who writes.
TEST_CASE("a pipe is no script, and nobody waits for it", "[session][document]") {
  const tests::TemporaryFolder folder;
  const std::string fifo = folder / "pipe";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  DocumentBench bench;
  bench.document.open(fifo);
  bench.jobs.finish_all();
  CHECK(bench.last_notice().text == fifo + " is not a file.");
}

TEST_CASE("another file is not overwritten unasked, nor what another program wrote", "[session][document]") {
  const tests::TemporaryFolder folder;
  write(folder / "a.py", "mine\n");
  write(folder / "b.py", "theirs\n");
  DocumentBench bench;
  REQUIRE(bench.document.load_file(folder / "a.py"));
  bench.type("mine too\n");
  SECTION("save as") {
    bench.save({.path = folder / "b.py"});
    CHECK(bytes_of(folder / "b.py") == "theirs\n");
    CHECK(bench.last_notice().text.find("exists already") != std::string::npos);
    REQUIRE(bench.last_notice().command);
    bench.save(std::get<command::SaveScript>(*bench.last_notice().command));
    CHECK(bytes_of(folder / "b.py") == "mine too\n");
    CHECK(bench.model().path == folder / "b.py");
  }
  SECTION("save as, over what is no script") {
    using std::string_literals::operator""s;
    write(folder / "x.npy", "\x93NUMPY\0abc"s);
    bench.save({.path = folder / "x.npy"});
    CHECK(bytes_of(folder / "x.npy") == "\x93NUMPY\0abc"s);
    CHECK(bench.last_notice().text.find("exists already") != std::string::npos);
    const std::string large(kMaxTextBytes + 1, 'x');
    write(folder / "large.csv", large);
    bench.save({.path = folder / "large.csv"});
    CHECK(bytes_of(folder / "large.csv") == large);
    CHECK(bench.last_notice().text == (folder / "large.csv") + " exists already; nothing was saved.");
  }
  SECTION("its own file, in which another program wrote what is no script") {
    using std::string_literals::operator""s;
    write(folder / "a.py", "\0\0"s);
    bench.save();
    CHECK(bytes_of(folder / "a.py") == "\0\0"s);
    CHECK(bench.last_notice().text == (folder / "a.py") + " holds binary data, not a script. Nothing was saved.");
    CHECK(bench.model().modified);
  }
  SECTION("changed on disk, seen only when saving") {
    write(folder / "a.py", "from elsewhere\n");
    bench.save();
    CHECK(bytes_of(folder / "a.py") == "from elsewhere\n");
    CHECK(bench.model().on_disk == OnDisk::changed);
    CHECK(bench.model().save_held);
    bench.document.keep_mine();
    bench.save();
    CHECK(bytes_of(folder / "a.py") == "mine too\n");
  }
  SECTION("changed on disk, noticed") {
    write(folder / "a.py", "from elsewhere\n");
    REQUIRE(bench.wait_for([&] { return bench.model().on_disk == OnDisk::changed; }));
    bench.document.reload();
    CHECK(bench.model().text == "from elsewhere\n");
    CHECK(bench.model().keep_place);
  }
  SECTION("a folder that is not there") {
    bench.save({.path = (folder / "no") + "/a.py"});
    CHECK(bench.last_notice().tone == Tone::bad);
    CHECK(bench.model().modified);
  }
}

TEST_CASE("a script without a file asks where to, and a folder where from", "[session][document]") {
  const tests::TemporaryFolder folder;
  DocumentBench bench;
  bench.document.save({});
  bench.document.open("");
  bench.document.open(folder / "");
  bench.jobs.finish_all();
  CHECK(bench.browsed == std::vector<std::string>{"save ", "open ", "open " + (folder / "") + "/"});
}

TEST_CASE("a save that ends after another text was opened leaves that one alone", "[session][document]") {
  const tests::TemporaryFolder folder, state;
  write(folder / "a.py", "old\n");
  write(folder / "b.py", "b's\n");
  DocumentBench bench(state / "s");
  REQUIRE(bench.document.load_file(folder / "a.py"));
  bench.type("new\n");
  SECTION("a new script") {
    bench.document.save({});
    bench.document.start_new();
    bench.jobs.finish_all();
    CHECK(bench.model().path.empty());
    CHECK_FALSE(bench.model().modified);
    CHECK(bytes_of(folder / "a.py") == "new\n");
    CHECK(bench.used.back() == folder / "a.py");
    CHECK(bench.notices.all().empty());  // it is saved: there is nothing to restore
    bench.type("other\n");
    bench.save();
    CHECK(bench.browsed.back() == "save ");  // and nothing that the next save could overwrite unasked
    CHECK(bytes_of(folder / "a.py") == "new\n");
  }
  SECTION("a script whose opening was under way") {
    bench.document.open(folder / "b.py");
    bench.document.save({});
    bench.jobs.finish_all();
    CHECK(bench.model().path == folder / "b.py");
    CHECK(*bench.document.text() == "b's\n");
    CHECK_FALSE(bench.model().modified);
    CHECK(bytes_of(folder / "a.py") == "new\n");
    CHECK(bytes_of(folder / "b.py") == "b's\n");
  }
  SECTION("with another save asked for meanwhile") {
    bench.document.save({});
    bench.type("newer\n");
    bench.document.save({});
    bench.document.start_new();
    bench.jobs.finish_all();
    CHECK(bytes_of(folder / "a.py") == "new\n");
    CHECK(bench.model().path.empty());
    const std::string message = (folder / "a.py") + " was not saved: another script was opened meanwhile.";
    CHECK(std::ranges::count(bench.notices.all(), message, &Notice::text) == 1);
  }
  SECTION("where another file is in the way") {
    bench.document.save({.path = folder / "b.py"});
    bench.document.start_new();
    bench.jobs.finish_all();
    CHECK(bytes_of(folder / "b.py") == "b's\n");
    CHECK(bench.last_notice().text == (folder / "b.py") + " exists already; nothing was saved.");
    CHECK_FALSE(bench.last_notice().command);
  }
}

TEST_CASE("a file is replaced only by the text that was to replace it", "[session][document]") {
  const tests::TemporaryFolder folder;
  for (const char* name : {"b.py", "c.py"}) write(folder / name, std::string(name) + "'s\n");
  DocumentBench bench;
  bench.type("new\n");
  bench.save({.path = folder / "b.py"});
  REQUIRE(bench.last_notice().command);
  const auto replace = std::get<command::SaveScript>(*bench.last_notice().command);
  bench.open(folder / "c.py");
  bench.save(replace);
  CHECK(bytes_of(folder / "b.py") == "b.py's\n");
  CHECK(bench.model().path == folder / "c.py");
  CHECK(bench.last_notice().text == (folder / "b.py") + " was not saved: another script was opened meanwhile.");
}

TEST_CASE("a line of a traceback leads into this script, another one, or nowhere", "[session][document]") {
  const tests::TemporaryFolder folder;
  write(folder / "a.py", "a\n");
  write(folder / "b.py", "b\n");
  std::filesystem::create_symlink(folder / "a.py", folder / "link.py");
  DocumentBench bench;
  bench.document.go_to("<unsaved script>", 3);
  CHECK(bench.shown.back() == 3U);
  // Text that the script has run itself, and a line of the console.
  for (const char* const other : {"<string>", "<input 4>"}) {
    bench.document.go_to(other, 2);
    bench.jobs.finish_all();
    CHECK(bench.shown.back() == 3U);
    CHECK(bench.last_notice().text.starts_with(other));
    CHECK(bench.last_notice().text.find("not a file") != std::string::npos);
  }
  REQUIRE(bench.document.load_file(folder / "a.py"));
  bench.document.go_to(folder / "link.py", 4);
  bench.jobs.finish_all();
  CHECK(bench.shown.back() == 4U);
  CHECK(bench.model().path == folder / "a.py");
  bench.document.go_to(folder / "b.py", 5);
  bench.jobs.finish_all();
  CHECK(bench.model().path == folder / "b.py");
  CHECK(bench.shown.back() == 5U);
  CHECK(bench.last_notice().action == "Back to a.py");
  bench.document.go_to("<frozen importlib>", 1);
  bench.jobs.finish_all();
  CHECK(bench.model().path == folder / "b.py");
  CHECK(bench.last_notice().text.find("not a file") != std::string::npos);
}

}  // namespace dlscope::app
