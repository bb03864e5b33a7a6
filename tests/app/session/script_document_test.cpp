#include "app/session/script_document.h"

#include <sys/stat.h>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <string>
#include <thread>

#include "app/files/read_file.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::app {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// A document with an editor that is one string, and what it asked of the window.
class Bench {
 public:
  explicit Bench(std::string state_folder = {})
      : document({.jobs = jobs,
                  .notices = notices,
                  .editor_text = [this](std::uint64_t revision) { return revision == loaded ? text : nullptr; },
                  .replaced = [this] { ++replaced; },
                  .used = [this](const std::string& path) { used.push_back(path); },
                  .show = [this](std::optional<std::size_t> line) { shown.push_back(line); },
                  .choose_file = [this](const std::string& start) { browsed.push_back("open " + start); },
                  .choose_target = [this](const std::string& start) { browsed.push_back("save " + start); }},
                 {.state_folder = std::move(state_folder), .wake = {}}) {}

  // The editor takes what the document has, and somebody types.
  void load() {
    loaded = document.model().text_revision;
    text = std::make_shared<const std::string>(document.model().text);
  }
  void type(std::string now) {
    load();
    text = std::make_shared<const std::string>(std::move(now));
    document.note_edit();
  }
  void save(const command::SaveScript& save = {}) {
    document.save(save);
    jobs.finish_all();
  }
  [[nodiscard]] bool wait_for(const std::function<bool()>& done) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!done()) {
      if (std::chrono::steady_clock::now() > give_up) return false;
      document.update();
      jobs.apply_finished();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }
  [[nodiscard]] const ScriptModel& model() const { return document.model(); }
  [[nodiscard]] const Notice& last_notice() const { return notices.all().back(); }
  void open(const std::string& path) {
    document.open(path);
    jobs.finish_all();
  }
  // Clicks the button of a notice that offers a text; the number counts from 0.
  void restore(std::size_t notice) {
    const Notice& offer = notices.all().at(notice);
    const std::uint64_t id = offer.id;
    document.restore(std::get<command::RestoreText>(*offer.command).id);
    document.give_up(id);  // as the button does with each notice
    notices.dismiss(id);
    jobs.finish_all();
  }

  JobPool jobs;
  Notices notices;
  std::shared_ptr<const std::string> text;
  std::uint64_t loaded = 0;
  int replaced = 0;
  std::vector<std::string> used, browsed;
  std::vector<std::optional<std::size_t>> shown;
  ScriptDocument document;
};

}  // namespace

TEST_CASE("a script is opened, typed into and saved, and the window hears of it", "[session][document]") {
  const tests::TemporaryFolder folder;
  write(folder / "a.py", "x = 1\r\n");
  Bench bench;
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
  Bench bench;
  bench.document.load_text("", "a = 1\n");
  CHECK(*bench.document.text() == "a = 1\n");
  bench.load();
  bench.document.load_text("", "b = 1\n");  // the editor still has the other one
  CHECK(*bench.document.text() == "b = 1\n");
}

TEST_CASE("what is typed while a save is written stays unsaved", "[session][document]") {
  const tests::TemporaryFolder folder;
  Bench bench;
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
  Bench bench;
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
  Bench bench;
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
  Bench bench;
  bench.document.open(fifo);
  bench.jobs.finish_all();
  CHECK(bench.last_notice().text == fifo + " is not a file.");
}

TEST_CASE("another file is not overwritten unasked, nor what another program wrote", "[session][document]") {
  const tests::TemporaryFolder folder;
  write(folder / "a.py", "mine\n");
  write(folder / "b.py", "theirs\n");
  Bench bench;
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
  Bench bench;
  bench.document.save({});
  bench.document.open("");
  bench.document.open(folder / "");
  bench.jobs.finish_all();
  CHECK(bench.browsed == std::vector<std::string>{"save ", "open ", "open " + (folder / "") + "/"});
}

TEST_CASE("changed text is put aside by another script, and restored", "[session][document]") {
  const tests::TemporaryFolder folder, state;
  write(folder / "a.py", "a = 1\n");
  Bench bench(state / "dlscope");
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

TEST_CASE("each text that was put aside is restored by its own notice", "[session][document]") {
  const tests::TemporaryFolder folder, state;
  for (const char* name : {"a.py", "b.py", "c.py"}) write(folder / name, "on disk\n");
  Bench bench(state / "s");
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

TEST_CASE("a text that was put aside is offered by the next session, unless it was given up", "[session][document]") {
  const tests::TemporaryFolder folder, state;
  for (const char* name : {"a.py", "b.py"}) write(folder / name, "on disk\n");
  {
    Bench bench(state / "s");
    REQUIRE(bench.document.load_file(folder / "a.py"));
    bench.type("a = 2\n");
    bench.open(folder / "b.py");
    bench.type("b = 2\n");
    bench.document.start_new();
    bench.document.give_up(bench.last_notice().id);
    bench.document.close();
  }
  {
    Bench bench(state / "s");
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

TEST_CASE("a text that cannot be stored is not left without a question", "[session][document]") {
  const tests::TemporaryFolder state;
  write(state / "file", "");
  Bench bench(state / "file/s");  // a folder that cannot be made, as on a disk that is full
  int left = 0;
  const auto leave = [&] {
    bench.document.leave([&] { ++left; });
    bench.jobs.finish_all();
  };
  SECTION("nothing typed: nothing to ask") {
    leave();
    CHECK(left == 1);
    CHECK(bench.document.close());
  }
  SECTION("typed") {
    bench.type("precious = 1\n");
    leave();
    CHECK(left == 0);
    const Notice asked = bench.last_notice();
    CHECK(asked.text.find("lost when the window closes") != std::string::npos);
    CHECK(asked.text.find("Not a directory") != std::string::npos);
    CHECK(asked.action == "Close without saving");
    SECTION("whoever goes on working is asked again") {
      bench.notices.dismiss(asked.id);
      leave();
      CHECK(left == 0);
      const auto closed = bench.document.close();
      REQUIRE_FALSE(closed);
      CHECK(closed.error().message.find("Not a directory") != std::string::npos);
    }
    SECTION("who answers the question leaves") {
      leave();
      CHECK(left == 1);
      CHECK(bench.document.close());
    }
  }
  SECTION("a text that was put aside") {
    bench.type("precious = 1\n");
    bench.document.start_new();
    bench.jobs.finish_all();
    leave();
    CHECK(left == 0);
    CHECK(bench.last_notice().action == "Close without saving");
    leave();
    CHECK(left == 1);
    CHECK(bench.document.close());
  }
  SECTION("a text that was put aside, and another one typed: one question names both, and means no later text") {
    bench.type("precious = 1\n");
    bench.document.start_new();
    bench.type("also precious\n");
    leave();
    CHECK(left == 0);
    const std::string asked = bench.last_notice().text;
    const std::size_t first = asked.find("lost when the window closes");
    CHECK(asked.find("lost when the window closes", first + 1) != std::string::npos);
    CHECK(asked.find("restore and save the other") != std::string::npos);
    leave();
    CHECK(left == 1);
    SECTION("the texts that were named") { CHECK(bench.document.close()); }
    SECTION("one that was typed since") {
      bench.type("typed since\n");
      CHECK_FALSE(bench.document.close());
    }
  }
  SECTION("closed without being asked: each text is tried, and named") {
    bench.type("precious = 1\n");
    bench.document.start_new();
    bench.type("also precious\n");
    bench.jobs.finish_all();
    SECTION("there is no room") {
      const auto closed = bench.document.close();
      REQUIRE_FALSE(closed);
      const std::size_t first = closed.error().message.find("lost when the window closes");
      CHECK(closed.error().message.find("lost when the window closes", first + 1) != std::string::npos);
    }
    SECTION("there is room by now") {
      std::filesystem::remove(state / "file");
      CHECK(bench.document.close());
      const std::filesystem::directory_iterator stored(state / "file/s");
      CHECK(std::count_if(begin(stored), end(stored), [](const auto& file) {
              return bytes_of(file.path()).find("precious") != std::string::npos;
            }) == 2);
    }
  }
  SECTION("there is room again") {
    bench.type("precious = 1\n");
    bench.document.start_new();
    bench.jobs.finish_all();
    std::filesystem::remove(state / "file");
    leave();
    CHECK(left == 1);
    CHECK(bench.document.close());
  }
}

TEST_CASE("a text that can be stored is, before the window closes", "[session][document]") {
  const tests::TemporaryFolder state;
  Bench bench(state / "s");
  bench.type("precious = 1\n");
  int left = 0;
  bench.document.leave([&] { ++left; });
  CHECK(bench.wait_for([&] { return left == 1; }));
  CHECK(bench.notices.all().empty());
  CHECK(bench.document.close());
}

TEST_CASE("of many texts that are put aside the newest can be restored", "[session][document]") {
  const tests::TemporaryFolder state;
  Bench bench(state / "s");
  for (std::size_t i = 0; i < PutAsideTexts::kMax + 2; ++i) {
    bench.type("text " + std::to_string(i));
    bench.document.start_new();
  }
  REQUIRE(bench.notices.all().size() == PutAsideTexts::kMax);
  bench.restore(0);
  CHECK(bench.model().text == "text 2");
}

TEST_CASE("a save that ends after another text was opened leaves that one alone", "[session][document]") {
  const tests::TemporaryFolder folder, state;
  write(folder / "a.py", "old\n");
  write(folder / "b.py", "b's\n");
  Bench bench(state / "s");
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
  Bench bench;
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

TEST_CASE("what was typed outlives the end; what was saved is not offered again", "[session][document]") {
  const tests::TemporaryFolder folder, state, other;
  {
    Bench bench(state / "s");
    bench.type("lost?");
    bench.document.close();
  }
  CHECK(std::filesystem::directory_iterator(state / "s") != std::filesystem::directory_iterator());
  {
    Bench bench(state / "s");
    REQUIRE(bench.wait_for([&] { return !bench.notices.all().empty(); }));
    bench.restore(0);
    CHECK(bench.model().text == "lost?");
  }
  {
    Bench bench(other / "s");
    bench.type("saved");
    bench.document.save({.path = folder / "a.py"});
    bench.document.close();  // while it is being written
    CHECK(bytes_of(folder / "a.py") == "saved");
  }
  CHECK(std::filesystem::directory_iterator(other / "s") == std::filesystem::directory_iterator());
}

TEST_CASE("a line of a traceback leads into this script, another one, or nowhere", "[session][document]") {
  const tests::TemporaryFolder folder;
  write(folder / "a.py", "a\n");
  write(folder / "b.py", "b\n");
  std::filesystem::create_symlink(folder / "a.py", folder / "link.py");
  Bench bench;
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
