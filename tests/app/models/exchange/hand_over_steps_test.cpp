#include "app/models/exchange/hand_over_steps.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace dlscope;
using Catch::Matchers::ContainsSubstring;

namespace {

app::HandOverSteps steps_with(const char* members) {
  const auto steps = app::read_steps(std::string(R"({"number": 7, "calls": [], )") + members + "}");
  REQUIRE(steps);
  return *steps;
}

}  // namespace

TEST_CASE("the answer about a hand-over step by step is read, and one that is none is refused", "[models][exchange]") {
  const auto steps = app::read_steps(R"json({"number": 3, "left": 2, "next": "numpy.from_dlpack(x)", "capsule": "dltensor",
      "ended": "", "failed": false, "calls": [{"what": "x.__dlpack_device__()", "answer": "(1, 0)", "failed": false}]})json");
  REQUIRE(steps);
  CHECK((steps->number == 3 && steps->left == 2 && steps->capsule == "dltensor" && !steps->failed && steps->ended.empty()));
  REQUIRE(steps->calls.size() == 1);
  CHECK(steps->calls[0].answer == "(1, 0)");
  for (const char* const text : {"", "[]", "{}", R"({"calls": 3})"}) CHECK_FALSE(app::read_steps(text));
  CHECK(app::read_steps(R"({"calls": [], "left": 1000000000000})")->left == app::kHandOverSteps);
}

TEST_CASE("where a hand-over stands is told: what is next, and what is held until when", "[models][exchange]") {
  CHECK(steps_made_text(steps_with(R"("left": 3)")) == "1 of 4 steps made");
  const auto of_many_calls = app::read_steps(
      R"json({"left": 2, "calls": [{"what": "import numpy"}, {"what": "x.__dlpack_device__()"}, {"what": "x.__dlpack__()"}]})json");
  REQUIRE(of_many_calls);
  CHECK(steps_made_text(*of_many_calls) == "2 of 4 steps made, 3 entries in the list of calls");
  CHECK_THAT(next_step_text(steps_with(R"json("left": 3, "next": "x.__dlpack__()")json")),
             ContainsSubstring("x.__dlpack__()") && ContainsSubstring("is requested"));
  CHECK_THAT(next_step_text(steps_with(R"json("left": 2, "next": "f(x)")json")), ContainsSubstring("gets the capsule"));
  CHECK_THAT(next_step_text(steps_with(R"("left": 1)")), ContainsSubstring("is compared"));
  const auto refused = steps_with(R"("left": 0, "failed": true)");
  CHECK(steps_made_text(refused) == "refused");
  CHECK_THAT(next_step_text(refused), ContainsSubstring("verdict on the refusal"));
  CHECK(held_text(refused).empty());
  CHECK_THAT(held_text(steps_with(R"("capsule": "dltensor")")), ContainsSubstring("before any code of yours runs"));
  CHECK_THAT(held_text(steps_with(R"("capsule": "used_dltensor")")), ContainsSubstring("has taken what was in it"));
}

TEST_CASE("the questions of a hand-over step by step name it by its number", "[models][exchange]") {
  app::ExchangeChoice choice;
  choice.library = "torch";
  const std::string begin = app::begin_steps_question(choice, "main().x", "cache['x']");
  for (const char* const part : {R"("do":"begin")", R"("name":"main().x")", R"("subject":"cache['x']")", R"("library":"torch")",
                                 R"("copy":"if needed")"})
    CHECK_THAT(begin, ContainsSubstring(part));
  CHECK_THAT(app::next_step_question(4), ContainsSubstring(R"("do":"next")") && ContainsSubstring(R"("number":4)"));
  CHECK_THAT(app::look_at_steps_question(4), ContainsSubstring(R"("do":"look")"));
  CHECK_THAT(app::abandon_steps_question(4), ContainsSubstring(R"("do":"abandon")"));
}
