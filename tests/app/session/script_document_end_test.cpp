// The end of a session: what is changed is stored, or named as lost.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/app/session/document_bench.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::app {

TEST_CASE("a text that cannot be stored is not left without a question", "[session][document]") {
  const tests::TemporaryFolder state;
  write(state / "file", "");
  DocumentBench bench(state / "file/s");  // a folder that cannot be made, as on a disk that is full
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
  SECTION("what came after the question is asked about, before it is lost") {
    bench.type("precious = 1\n");
    leave();
    CHECK(left == 0);
    SECTION("a text that was put aside since") {
      bench.document.start_new();
      bench.type("also precious\n");
      bench.document.start_new();
      bench.jobs.finish_all();
    }
    SECTION("one that was typed since") { bench.type("precious = 2\n"); }
    leave();  // the answer to the question about the first text
    CHECK(left == 0);
    CHECK(bench.last_notice().action == "Close without saving");
    leave();
    CHECK(left == 1);
    CHECK(bench.document.close());
  }
  SECTION("a text that was put aside after the answer is named at the end") {
    bench.type("precious = 1\n");
    leave();
    leave();
    CHECK(left == 1);
    bench.document.start_new();
    bench.jobs.finish_all();
    CHECK_FALSE(bench.document.close());
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
  DocumentBench bench(state / "s");
  bench.type("precious = 1\n");
  int left = 0;
  bench.document.leave([&] { ++left; });
  CHECK(bench.wait_for([&] { return left == 1; }));
  CHECK(bench.notices.all().empty());
  CHECK(bench.document.close());
}

TEST_CASE("what was typed outlives the end; what was saved is not offered again", "[session][document]") {
  const tests::TemporaryFolder folder, state, other;
  {
    DocumentBench bench(state / "s");
    bench.type("lost?");
    bench.document.close();
  }
  CHECK(std::filesystem::directory_iterator(state / "s") != std::filesystem::directory_iterator());
  {
    DocumentBench bench(state / "s");
    REQUIRE(bench.wait_for([&] { return !bench.notices.all().empty(); }));
    bench.restore(0);
    CHECK(bench.model().text == "lost?");
  }
  {
    DocumentBench bench(other / "s");
    bench.type("saved");
    bench.document.save({.path = folder / "a.py"});
    bench.document.close();  // while it is being written
    CHECK(bytes_of(folder / "a.py") == "saved");
  }
  CHECK(std::filesystem::directory_iterator(other / "s") == std::filesystem::directory_iterator());
}

}  // namespace dlscope::app
