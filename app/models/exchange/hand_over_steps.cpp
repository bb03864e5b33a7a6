#include "app/models/exchange/hand_over_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/models/text/format.h"
#include "app/models/text/json_members.h"

namespace dlscope::app {
namespace {

std::string question_about(const char* what, std::uint64_t number) { return json_text({{"do", what}, {"number", number}}); }

}  // namespace

core::Result<HandOverSteps> read_steps(std::string_view text) {
  const nlohmann::json value = json_of(text);
  const JsonMembers given(value);
  if (value.is_discarded() || !given.has_list("calls"))
    return core::fail(core::ErrorKind::invalid, "Python's answer is not the expected JSON object");
  HandOverSteps steps;
  steps.number = given.number("number");
  steps.left = static_cast<int>(std::min<std::uint64_t>(given.number("left"), kHandOverSteps));
  steps.next = given.text("next");
  steps.capsule = given.text("capsule");
  steps.ended = given.text("ended");
  steps.failed = given.truth("failed");
  given.each("calls", core::wire::kMaxExchangeCalls, [&](const JsonMembers& call) {
    steps.calls.push_back({call.text("what"), call.text("answer"), call.truth("failed")});
  });
  return steps;
}

std::string begin_steps_question(const ExchangeChoice& choice, std::string_view name, std::string_view subject) {
  return json_text({{"do", "begin"},
                    {"name", name},
                    {"library", choice.library},
                    {"device", choice.device},
                    {"copy", core::wire::copy_policy_name(choice.copy)},
                    {"stream", choice.stream},
                    {"subject", subject}});
}
std::string next_step_question(std::uint64_t number) { return question_about("next", number); }
std::string look_at_steps_question(std::uint64_t number) { return question_about("look", number); }
std::string abandon_steps_question(std::uint64_t number) { return question_about("abandon", number); }

std::string steps_made_text(const HandOverSteps& steps) {
  if (steps.failed) return "refused";
  std::string text = fmt::format("{} of {} steps made", kHandOverSteps - steps.left, kHandOverSteps);
  // One step may take several calls, which are numbered below.
  if (!steps.calls.empty()) text += ", " + counted(steps.calls.size(), "entry", "entries") + " in the list of calls";
  return text;
}

std::string next_step_text(const HandOverSteps& steps) {
  if (steps.failed) return "Next: the verdict on the refusal, and what helps.";
  switch (steps.left) {
    case 4:
      return fmt::format("Next: {}. The producer says where its memory is.", steps.next);
    case 3:
      return fmt::format("Next: {}. The capsule is requested, and dlscope holds it.", steps.next);
    case 2:
      return fmt::format("Next: {}. The library gets the capsule that dlscope holds.", steps.next);
    default:
      return "Next: the capsule is looked at again, and the memory of both tensors is compared.";
  }
}

std::string held_text(const HandOverSteps& steps) {
  if (steps.capsule.empty()) return {};
  if (steps.capsule.starts_with("used_"))
    return fmt::format("The capsule is now named '{}': the library has taken what was in it.", steps.capsule);
  return fmt::format(
      "dlscope holds the capsule '{}', and the capsule keeps the memory. It is given back, and its deleter called, before any "
      "code of yours runs.",
      steps.capsule);
}

}  // namespace dlscope::app
