// Predictions: before a step of a capsule's life is run, a learner chooses what will happen; afterwards the capsule's recorded
// events decide which choice was right: each choice is a statement that these events bear out or not. Nothing is assumed to have
// happened without an event.
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

// What the recorded events of a capsule say about a step.
enum class CapsuleOutcome : std::uint8_t {
  waiting,     // it was created, and nobody has taken it
  taken,       // a consumer took the struct
  refused,     // a consumer was refused
  given_back,  // the deleter was called
  freed_only,  // the capsule was freed, and the deleter was not called
  nothing,     // none of these events was recorded
};

struct CapsuleChoice {
  CapsuleOutcome outcome{};
  const char* message = "";
};

[[nodiscard]] const char* capsule_question(CapsuleStep step);
[[nodiscard]] std::span<const CapsuleChoice> capsule_choices(CapsuleStep step);
// The reason, by the rules of DLPack.
[[nodiscard]] const char* capsule_reason(CapsuleStep step, CapsuleOutcome outcome);
// The step of the button that drops a capsule in this state; nullopt: nothing worth a question would happen.
[[nodiscard]] std::optional<CapsuleStep> drop_step(const CapsuleLife& capsule);

// A step with a question, from the press of its button to its outcome.
struct CapsulePrediction {
  CapsuleStep step{};
  std::string line;                   // the Python code to run
  std::uint64_t capsule = 0;          // 0: the step creates it
  std::uint64_t last_capsule = 0;     // the highest id when the button was pressed
  std::size_t events_before = 0;      // of that capsule, when the button was pressed
  std::string state_before;           // likewise
  std::vector<std::string> held_by;   // likewise
  std::uint64_t run = 0;              // of the line, once it is chosen
  std::optional<std::size_t> chosen;  // index into capsule_choices(); once set, the line runs
  std::optional<CapsuleOutcome> outcome;
};
[[nodiscard]] CapsulePrediction prediction_for(CapsuleStep step, std::string line, const CapsuleLife* capsule,
                                               const std::vector<CapsuleLife>& all);
// The outcome by the events since the button was pressed; nullopt: the capsule is not there yet.
[[nodiscard]] std::optional<CapsuleOutcome> outcome_of(const CapsulePrediction& prediction, const std::vector<CapsuleLife>& all);
// Why the question is no longer one, because code has run since the button was pressed: a sentence; "": it still is.
[[nodiscard]] std::string why_withdrawn(const CapsulePrediction& prediction, const std::vector<CapsuleLife>& all);
// For a line that raised `error` ("NameError: ...") without an event: a sentence that says so, and nothing is scored.
[[nodiscard]] std::string line_raised_text(const std::string& error);
[[nodiscard]] bool was_right(const CapsulePrediction& prediction);
// "As you said: it is renamed ..." or "You said ... It was: ..."; with the reason.
[[nodiscard]] std::string prediction_text(const CapsulePrediction& prediction);

}  // namespace dlscope::app
