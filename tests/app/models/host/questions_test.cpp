#include "app/models/host/questions.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "core/wire/messages.h"

namespace dlscope::app {
namespace {

using Python = Questions::Python;

struct FakePython {
  std::vector<Question> asked;
  std::uint64_t next_id = 10;
  bool takes = true;
  auto ask() {
    return [this](const Question& question) -> std::uint64_t {
      if (!takes) return 0;
      asked.push_back(question);
      return next_id++;
    };
  }
};

Question question(std::uint64_t ticket, bool patient = false, const char* asker = "console") {
  return {.asker = asker, .ticket = ticket, .kind = "complete", .text = "{}", .patient = patient};
}

TEST_CASE("a question is asked when Python is idle and its answer kept", "[app][questions]") {
  Questions questions;
  FakePython python;
  CHECK(questions.reply("console") == nullptr);
  questions.want(question(1));
  CHECK(questions.waits("console"));
  CHECK_FALSE(questions.any_open());
  questions.put(Python::idle, python.ask());
  REQUIRE(python.asked.size() == 1);
  CHECK(questions.any_open());
  questions.put(Python::idle, python.ask());
  CHECK(python.asked.size() == 1);
  questions.answer({99, "complete", "not this one", ""});
  CHECK(questions.reply("console") == nullptr);
  questions.answer({10, "complete", "yes", ""});
  REQUIRE(questions.reply("console") != nullptr);
  CHECK(questions.reply("console")->ticket == 1);
  CHECK(questions.reply("console")->text == "yes");
  CHECK_FALSE(questions.waits("console"));
  CHECK_FALSE(questions.any_open());
}

TEST_CASE("a newer question replaces the one that waits and the answer to the one that is out", "[app][questions]") {
  Questions questions;
  FakePython python;
  questions.want(question(1));
  questions.put(Python::idle, python.ask());
  questions.want(question(2));
  questions.want(question(3));
  questions.put(Python::idle, python.ask());
  CHECK(python.asked.size() == 1);  // one at a time
  questions.answer({10, "complete", "old", ""});
  CHECK(questions.reply("console") == nullptr);
  questions.put(Python::idle, python.ask());
  REQUIRE(python.asked.size() == 2);
  CHECK(python.asked[1].ticket == 3);
  questions.answer({11, "complete", "new", ""});
  REQUIRE(questions.reply("console") != nullptr);
  CHECK(questions.reply("console")->ticket == 3);
  CHECK(questions.reply("console")->text == "new");
}

TEST_CASE("while Python is busy an impatient question is answered so and a patient one waits", "[app][questions]") {
  Questions questions;
  FakePython python;
  questions.want(question(1));
  questions.want(question(2, true, "inspector"));
  questions.put(Python::busy, python.ask());
  CHECK(python.asked.empty());
  REQUIRE(questions.reply("console") != nullptr);
  CHECK(questions.reply("console")->error == core::wire::kAnswerBusy);
  CHECK(questions.reply("inspector") == nullptr);
  CHECK(questions.waits("inspector"));
  questions.put(Python::idle, python.ask());
  REQUIRE(python.asked.size() == 1);
  CHECK(python.asked[0].asker == "inspector");
}

TEST_CASE("nobody to ask is an answer", "[app][questions]") {
  Questions questions;
  FakePython python;
  questions.want(question(1, true));
  questions.put(Python::gone, python.ask());
  REQUIRE(questions.reply("console") != nullptr);
  CHECK(questions.reply("console")->error == "gone");
  python.takes = false;
  questions.want(question(2));
  questions.put(Python::idle, python.ask());
  CHECK(questions.reply("console")->ticket == 2);
  CHECK(questions.reply("console")->error == "gone");
}

}  // namespace
}  // namespace dlscope::app
