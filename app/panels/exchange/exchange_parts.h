// What several tabs of the exchange view draw: the tensor, buttons that act, the Python line, calls, evidence, verdicts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/panels/exchange/exchange_panel.h"
#include "app/panels/exchange/exchange_tabs.h"

namespace dlscope::app {

void draw_subject(const FrameContext& context, const ExchangeSubject& subject);

// As much of the name as a button may show, so that the button stays in the panel; `words`: what else is on the button.
[[nodiscard]] std::string button_name(std::string_view name, const char* words);

// Why nothing can be asked of Python now, as a sentence; null: it can.
[[nodiscard]] const char* why_not_now(const FrameContext& context, const ExchangeState& state);
// The button of an act. why_not: a reason against it besides Python's state; "": none.
[[nodiscard]] bool draw_go(const FrameContext& context, const ExchangeState& state, const char* label,
                           std::string_view why_not = {});

// Before another hand-over is begun.
void forget_handed(ExchangeState& state);

// The Python line that does the same, with a button to copy it; "": no Python expression leads to the tensor. raises: what is
// said above a line that is known to raise; "": it is not.
void draw_line(const FrameContext& context, const std::string& line, std::string_view raises = {});
void draw_calls(const FrameContext& context, const std::vector<core::wire::ExchangeCall>& calls, bool with_answers);
void draw_evidence(const FrameContext& context, const std::vector<EvidenceLine>& lines);
// What the verdict was found on may have changed since: then its colour, which says how the memory is, is not shown.
enum class VerdictAge : std::uint8_t { of_now, outdated };
void draw_verdict(const FrameContext& context, std::string_view verdict, std::string_view meaning,
                  VerdictAge age = VerdictAge::of_now);
// What was drawn since the cursor was at `top` (its y in the window) has just come. In a low panel it is below the last visible line, as if
// nothing had been done: as far as that needs, the panel scrolls down.
void scroll_into_view(float top);
inline constexpr const char* kCodeHasRun = "Code has run since: this is how it was before.";
// Whether code has run, or went on from a stop, since a result of that ActResult::code_began.
[[nodiscard]] VerdictAge age_of(const FrameContext& context, std::uint64_t code_began);
// The same, and says so where it has.
VerdictAge draw_age(const FrameContext& context, std::uint64_t code_began);

}  // namespace dlscope::app
