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

}  // namespace dlscope::tests
