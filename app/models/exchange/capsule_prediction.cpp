#include "app/models/exchange/capsule_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace dlscope::app {
namespace {

using enum CapsuleOutcome;

// The first choice is what DLPack does where nothing else interferes. Each says only what the recorded events show.
constexpr std::array kMake{CapsuleChoice{waiting, "It waits for a consumer and keeps the memory until then"},
                           CapsuleChoice{taken, "A consumer has taken it already"},
                           CapsuleChoice{given_back, "Its deleter has been called: the memory is given back"}};
constexpr std::array kConsume{CapsuleChoice{taken, "The struct is taken, and the capsule is renamed used_..."},
                              CapsuleChoice{given_back, "The deleter is called: the memory is given back"},
                              CapsuleChoice{nothing, "The capsule stays as it is, and can be consumed again"}};
constexpr std::array kConsumeAgain{CapsuleChoice{refused, "It is refused with an exception, and nothing changes"},
                                   CapsuleChoice{taken, "It is taken a second time"},
                                   CapsuleChoice{given_back, "The deleter is called: the memory is given back"}};
constexpr std::array kDropUnused{CapsuleChoice{given_back, "Its destructor calls the deleter: the memory is given back"},
                                 CapsuleChoice{freed_only, "The capsule is freed, and the deleter is not called"},
                                 CapsuleChoice{nothing, "The capsule is not freed: something still refers to it"}};
constexpr std::array kDropTaken{CapsuleChoice{freed_only, "The capsule is freed; the consumer keeps the memory"},
                                CapsuleChoice{given_back, "The deleter is called: the memory is given back"},
                                CapsuleChoice{nothing, "The capsule is not freed: something still refers to it"}};
constexpr std::array kDropConsumer{CapsuleChoice{given_back, "The consumer calls the deleter: the memory is given back"},
                                   CapsuleChoice{nothing, "The deleter is not called: something still holds the memory"},
                                   CapsuleChoice{freed_only, "The capsule is freed, and the deleter is not called"}};

struct StepRow {
  const char* question;
  std::span<const CapsuleChoice> choices;
};
constexpr std::array kSteps{StepRow{"What will the new capsule be?", kMake},
                            StepRow{"What happens to the capsule when it is consumed?", kConsume},
                            StepRow{"It was consumed. What happens the second time?", kConsumeAgain},
                            StepRow{"No consumer took it. What happens when its last name goes?", kDropUnused},
                            StepRow{"It was consumed. What happens when the capsule's last name goes?", kDropTaken},
                            StepRow{"What happens when the tensor that took it goes?", kDropConsumer}};

const char* outcome_text(const CapsulePrediction& prediction) {
  const auto choices = capsule_choices(prediction.step);
  const auto found = std::ranges::find(choices, *prediction.outcome, &CapsuleChoice::outcome);
  if (found != choices.end()) return found->message;
  static constexpr std::array kOthers{"It waits for a consumer",
                                      "A consumer took the struct",
                                      "It was refused with an exception",
                                      "The deleter was called: the memory is given back",
                                      "The capsule was freed, and the deleter was not called",
                                      "No event was recorded"};
  return kOthers[static_cast<std::size_t>(*prediction.outcome)];
}

}  // namespace

const char* capsule_question(CapsuleStep step) { return kSteps[static_cast<std::size_t>(step)].question; }
std::span<const CapsuleChoice> capsule_choices(CapsuleStep step) { return kSteps[static_cast<std::size_t>(step)].choices; }

const char* capsule_reason(CapsuleStep step, CapsuleOutcome outcome) {
  switch (outcome) {
    case waiting:
      return "A capsule carries a pointer to a struct that describes the tensor. Until a consumer takes it, its destructor is "
             "responsible.";
    case taken:
      return "A consumer takes the struct and renames the capsule, so that neither its destructor nor another consumer gives it "
             "back a second time.";
    case refused:
      return "The name says that the struct already has an owner. A second owner would call the deleter a second time.";
    case given_back:
      return "The owner of the struct calls its deleter exactly once, when it lets go: the consumer, or, of an unused capsule, "
             "the destructor.";
    case freed_only:
      return "A consumed capsule owns nothing any more: the consumer does, and calls the deleter when it lets go.";
    case nothing:
      return step == CapsuleStep::drop_consumer ? "The deleter is called when the last one that holds the struct lets go, and "
                                                  "the dropped name was not the last: "
                                                  "another name for the same tensor, a view of it, or what another library made "
                                                  "of it. Select the tensor that the "
                                                  "capsule was made of: Life lists the names that keep its memory."
                                                : "No event of this capsule was recorded. While a name, a container or a frame "
                                                  "refers to it, neither its destructor "
                                                  "nor its deleter is called.";
  }
  return "";
}

std::optional<CapsuleStep> drop_step(const CapsuleLife& capsule) {
  if (capsule.held_by.size() != 1) return std::nullopt;  // another name holds it
  if (capsule.state == "waiting") return CapsuleStep::drop_unused;
  return capsule.state == "consumed" ? std::optional(CapsuleStep::drop_taken) : std::nullopt;
}

CapsulePrediction prediction_for(CapsuleStep step, std::string line, const CapsuleLife* capsule,
                                 const std::vector<CapsuleLife>& all) {
  CapsulePrediction made;
  made.step = step;
  made.line = std::move(line);
  for (const CapsuleLife& each : all) made.last_capsule = std::max(made.last_capsule, each.id);
  if (capsule == nullptr) return made;
  made.capsule = capsule->id;
  made.events_before = capsule->events.size();
  made.state_before = capsule->state;
  made.held_by = capsule->held_by;
  return made;
}

std::optional<CapsuleOutcome> outcome_of(const CapsulePrediction& prediction, const std::vector<CapsuleLife>& all) {
  const auto found = std::ranges::find_if(all, [&](const CapsuleLife& each) {
    return prediction.capsule != 0 ? each.id == prediction.capsule : each.id > prediction.last_capsule;
  });
  if (found == all.end()) return std::nullopt;
  const auto noted = [&](std::string_view step) {
    const auto since =
        found->events.begin() + static_cast<std::ptrdiff_t>(std::min(prediction.events_before, found->events.size()));
    return std::any_of(since, found->events.end(), [&](const CapsuleLifeEvent& event) { return event.step == step; });
  };
  if (prediction.step == CapsuleStep::consume_again && noted("refused")) return refused;
  if (noted("deleted")) return given_back;
  if (noted("refused")) return refused;
  if (noted("consumed")) return taken;
  if (noted("destroyed")) return freed_only;
  return prediction.capsule == 0 && found->state == "waiting" ? waiting : nothing;
}

std::string why_withdrawn(const CapsulePrediction& prediction, const std::vector<CapsuleLife>& all) {
  constexpr const char* kAgain = "Code has run since, so this question is withdrawn: {}. Press the button again.";
  if (prediction.capsule == 0) {
    const bool another = std::ranges::any_of(all, [&](const CapsuleLife& each) { return each.id > prediction.last_capsule; });
    return another ? fmt::format(kAgain, "there is another new capsule by now") : std::string();
  }
  const auto found = std::ranges::find(all, prediction.capsule, &CapsuleLife::id);
  if (found == all.end()) return fmt::format(kAgain, "the capsule is no longer listed");
  const bool changed = found->state != prediction.state_before || found->events.size() != prediction.events_before ||
                       found->held_by != prediction.held_by;
  return changed ? fmt::format(kAgain, "the capsule is no longer as it was when it was asked") : std::string();
}

std::string line_raised_text(const std::string& error) {
  return fmt::format("The line raised {}, and nothing happened to the capsule. This answer is not counted.", error);
}

bool was_right(const CapsulePrediction& prediction) {
  return prediction.chosen && prediction.outcome &&
         capsule_choices(prediction.step)[*prediction.chosen].outcome == *prediction.outcome;
}

std::string prediction_text(const CapsulePrediction& prediction) {
  if (!prediction.outcome) return {};
  const char* const happened = outcome_text(prediction);
  const char* const reason = capsule_reason(prediction.step, *prediction.outcome);
  if (!prediction.chosen) return fmt::format("What happened: {}. {}", happened, reason);
  if (was_right(prediction)) return fmt::format("As you said: {}. {}", happened, reason);
  return fmt::format("You said: {}. What happened: {}. {}", capsule_choices(prediction.step)[*prediction.chosen].message,
                     happened, reason);
}

}  // namespace dlscope::app
