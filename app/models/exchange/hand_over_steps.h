// A hand-over that is made step by step: what Python says of it after each step (the answer to the question "exchange_step"), and
// the sentences about where it stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/exchange/exchange_choice.h"
#include "core/base/result.h"

namespace dlscope::app {

inline constexpr int kHandOverSteps = 4;

struct HandOverSteps {
  std::uint64_t number = 0;  // Python's, for the questions that follow
  int left = kHandOverSteps;
  std::string next;     // what the next step calls: "x.__dlpack__(max_version=(1, 0))"
  std::string capsule;  // the name of the one that dlscope holds; "": it holds none
  std::string ended;    // why it is over, as a sentence; "": it is not
  bool failed = false;  // a step was refused; the last one says what that means
  std::vector<core::wire::ExchangeCall> calls;
};
[[nodiscard]] core::Result<HandOverSteps> read_steps(std::string_view text);

// The one that the exchange view makes.
struct StepsState {
  std::optional<HandOverSteps> made;  // while it is under way
  std::string tensor, name;           // of the source; for the result, as typed
  ExchangeChoice choice;
  std::string ended;            // why the last one is over, or could not begin
  std::uint64_t ticket = 0;     // of the open question; 0: none
  std::uint64_t looked_at = 0;  // the snapshot generation for which Python was asked how it stands
};

// The questions. The last step is no question but the act itself (core::wire::HandTo).
[[nodiscard]] std::string begin_steps_question(const ExchangeChoice& choice, std::string_view name, std::string_view subject);
[[nodiscard]] std::string next_step_question(std::uint64_t number);
[[nodiscard]] std::string look_at_steps_question(std::uint64_t number);
[[nodiscard]] std::string abandon_steps_question(std::uint64_t number);

// "2 of 4 steps made, 3 entries in the list of calls"
[[nodiscard]] std::string steps_made_text(const HandOverSteps& steps);
// "Next: numpy.from_dlpack(x) is called. What it asks for is answered with the capsule that dlscope holds."
[[nodiscard]] std::string next_step_text(const HandOverSteps& steps);
// What is held meanwhile, and until when; "": nothing but the tensor.
[[nodiscard]] std::string held_text(const HandOverSteps& steps);

}  // namespace dlscope::app
