#include "app/models/exchange/capsule_prediction.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

namespace dlscope::tests {
namespace {

using app::CapsuleLife;
using app::CapsuleOutcome;
using app::CapsuleStep;

CapsuleLife capsule_with(std::uint64_t id, const char* state, std::vector<const char*> steps) {
  CapsuleLife capsule;
  capsule.id = id;
  capsule.state = state;
  capsule.held_by = {"c"};
  for (const char* const step : steps)
    capsule.events.push_back({.step = step, .t_ns = 0, .thread = {}, .noticed = false, .detail = {}});
  return capsule;
}

}  // namespace

TEST_CASE("each step has a question whose first choice is what DLPack does, and no two choices are alike", "[app][exchange]") {
  struct Row {
    CapsuleStep step;
    std::vector<const char*> before, after;
    const char* state;
  };
  const std::vector<Row> rows{{CapsuleStep::make, {}, {"watched"}, "waiting"},
                              {CapsuleStep::consume, {"watched"}, {"consumed"}, "consumed"},
                              {CapsuleStep::consume_again, {"watched", "consumed"}, {"refused"}, "consumed"},
                              {CapsuleStep::drop_unused, {"watched"}, {"destroyed", "deleted"}, "dropped"},
                              {CapsuleStep::drop_taken, {"watched", "consumed"}, {"destroyed"}, "consumed"},
                              {CapsuleStep::drop_consumer, {"watched", "consumed"}, {"deleted"}, "returned"}};
  for (const Row& row : rows) {
    INFO(app::capsule_question(row.step));
    const auto choices = app::capsule_choices(row.step);
    for (std::size_t i = 0; i < choices.size(); ++i)
      CHECK(std::ranges::count(choices, choices[i].outcome, &app::CapsuleChoice::outcome) == 1);
    const bool makes = row.step == CapsuleStep::make;
    const std::vector<CapsuleLife> before{capsule_with(3, "waiting", row.before)};
    app::CapsulePrediction prediction = app::prediction_for(row.step, "line", makes ? nullptr : &before[0], before);
    if (makes) CHECK_FALSE(app::outcome_of(prediction, before));
    std::vector<const char*> steps = row.before;
    steps.insert(steps.end(), row.after.begin(), row.after.end());
    std::vector<CapsuleLife> after{before[0]};
    if (makes)
      after.push_back(capsule_with(4, row.state, steps));
    else
      after[0] = capsule_with(3, row.state, steps);
    prediction.outcome = app::outcome_of(prediction, after);
    REQUIRE(prediction.outcome);
    CHECK(choices[0].outcome == *prediction.outcome);
    prediction.chosen = 0;
    CHECK(app::was_right(prediction));
    CHECK(app::prediction_text(prediction).starts_with("As you said: "));
    prediction.chosen = 1;
    CHECK_FALSE(app::was_right(prediction));
    CHECK(app::prediction_text(prediction).find(choices[0].message) != std::string::npos);
  }
}

TEST_CASE("what is not borne out by an event is not said to have happened", "[app][exchange]") {
  const std::vector<CapsuleLife> all{capsule_with(1, "waiting", {"watched"})};
  app::CapsulePrediction prediction = app::prediction_for(CapsuleStep::consume, "line", &all[0], all);
  prediction.chosen = 0;
  prediction.outcome = app::outcome_of(prediction, all);
  CHECK(prediction.outcome == CapsuleOutcome::nothing);
  CHECK_FALSE(app::was_right(prediction));
  prediction.chosen.reset();
  CHECK(app::prediction_text(prediction).find("said") == std::string::npos);
  CHECK_FALSE(app::outcome_of(prediction, {}));  // it is not there
  CapsuleLife held_twice = all[0];
  held_twice.held_by = {"c", "d"};
  CHECK_FALSE(app::drop_step(held_twice));
  CHECK(app::drop_step(all[0]) == CapsuleStep::drop_unused);
  CHECK_FALSE(app::drop_step(capsule_with(1, "returned", {})));
}

TEST_CASE("a consumer that was not the last holder is told as that, and no choice says what events cannot show",
          "[app][exchange]") {
  const std::vector<CapsuleLife> all{capsule_with(1, "consumed", {"watched", "consumed"})};
  app::CapsulePrediction prediction = app::prediction_for(CapsuleStep::drop_consumer, "del c_tensor", &all[0], all);
  prediction.chosen = 0;
  prediction.outcome = app::outcome_of(prediction, all);  // n2 = np.from_dlpack(c_tensor) holds it
  const std::string text = app::prediction_text(prediction);
  CHECK(text.find("What happened: The deleter is not called: something still holds the memory.") != std::string::npos);
  CHECK(text.find("until the capsule goes") == std::string::npos);
  CHECK(text.find("what another library made of it") != std::string::npos);
  prediction.chosen = 1;
  CHECK(app::was_right(prediction));
  for (const app::CapsuleChoice& choice : app::capsule_choices(CapsuleStep::make)) {
    CHECK(std::string(choice.message).find("copied") == std::string::npos);  // what __dlpack__ did inside is not seen
    CHECK(std::string(choice.message).find("copy") == std::string::npos);
  }
}

TEST_CASE("a second consumption that is refused is that, also where the deleter ran meanwhile", "[app][exchange]") {
  const std::vector<CapsuleLife> before{capsule_with(1, "consumed", {"watched", "consumed"})};
  const app::CapsulePrediction prediction = app::prediction_for(CapsuleStep::consume_again, "line", &before[0], before);
  const std::vector<CapsuleLife> after{capsule_with(1, "returned", {"watched", "consumed", "refused", "deleted"})};
  CHECK(app::outcome_of(prediction, after) == CapsuleOutcome::refused);
}

TEST_CASE("a question is withdrawn when the capsule is no longer as it was when it was asked", "[app][exchange]") {
  const std::vector<CapsuleLife> before{capsule_with(1, "waiting", {"watched"})};
  const auto why = [&](CapsuleStep step, const std::vector<CapsuleLife>& now) {
    const bool makes = step == CapsuleStep::make;
    return app::why_withdrawn(app::prediction_for(step, "line", makes ? nullptr : &before[0], before), now);
  };
  CHECK(why(CapsuleStep::consume, before).empty());
  CHECK(why(CapsuleStep::make, before).empty());
  CHECK(why(CapsuleStep::consume, {capsule_with(1, "consumed", {"watched", "consumed"})}).find("withdrawn") != std::string::npos);
  CHECK(why(CapsuleStep::consume, {capsule_with(1, "waiting", {"watched", "refused"})}).find("withdrawn") != std::string::npos);
  CHECK(why(CapsuleStep::consume, {}).find("no longer listed") != std::string::npos);
  CapsuleLife held_twice = before[0];
  held_twice.held_by = {"c", "d"};
  CHECK_FALSE(why(CapsuleStep::drop_unused, {held_twice}).empty());
  CHECK(why(CapsuleStep::make, {before[0], capsule_with(2, "waiting", {"watched"})}).find("another new capsule") !=
        std::string::npos);
}

}  // namespace dlscope::tests
