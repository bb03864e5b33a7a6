// What a learner says will happen before a step of a capsule's life is run, and what did: a question with choices for each step, and the
// choice that the capsule's own events bear out. Nothing here is assumed to have happened.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/exchange/capsule_life.h"

namespace dlscope::app {

enum class CapsuleStep : std::uint8_t { make, consume, consume_again, drop_unused, drop_taken, drop_consumer };

// What the events of a capsule say about a step.
enum class CapsuleOutcome : std::uint8_t {
  waiting,     // it was made, and nobody has taken it
  taken,       // a consumer took the struct
  refused,     // a consumer was refused
  given_back,  // the deleter was called
  freed_only,  // the capsule was freed, and the deleter was not called
  nothing,     // nothing of it was noted
};

struct CapsuleChoice {
  CapsuleOutcome outcome{};
  const char* message = "";
};

[[nodiscard]] const char* capsule_question(CapsuleStep step);
[[nodiscard]] std::span<const CapsuleChoice> capsule_choices(CapsuleStep step);
// Why it is so, as DLPack has it.
[[nodiscard]] const char* capsule_reason(CapsuleOutcome outcome);
// Of the button that drops a capsule in this state; nullopt: nothing worth a question happens.
[[nodiscard]] std::optional<CapsuleStep> drop_step(const CapsuleLife& capsule);

// A step that somebody is asked about, from the press of its button to what came of it.
struct CapsulePrediction {
  CapsuleStep step{};
  std::string line;           // of Python
  std::uint64_t capsule = 0;  // 0: one that is made by it
  std::uint64_t last_capsule = 0;  // of those there were when it was pressed
  std::size_t events_before = 0;
  std::optional<std::size_t> chosen;  // of capsule_choices(); then the line runs
  std::optional<CapsuleOutcome> outcome;
};
[[nodiscard]] CapsulePrediction prediction_for(CapsuleStep step, std::string line, const CapsuleLife* capsule,
                                               const std::vector<CapsuleLife>& all);
// What has been noted since its button was pressed; nullopt: the capsule is not there yet.
[[nodiscard]] std::optional<CapsuleOutcome> outcome_of(const CapsulePrediction& prediction, const std::vector<CapsuleLife>& all);
[[nodiscard]] bool was_right(const CapsulePrediction& prediction);
// "As you said: it is renamed ..." or "You said ... It was: ..."; with the reason.
[[nodiscard]] std::string prediction_text(const CapsulePrediction& prediction);

}  // namespace dlscope::app
