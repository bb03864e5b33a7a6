// The verdicts on hand-overs, copies and proofs as text: colour, meaning, and what to beware of.
#pragma once

#include <string>
#include <string_view>

#include "app/models/tensors/badges.h"
#include "core/inventory/proof.h"
#include "core/wire/work.h"

namespace dlscope::app {

[[nodiscard]] Tone verdict_tone(std::string_view verdict);
// One plain sentence: "Both names reach the same memory: nothing was copied."
[[nodiscard]] std::string_view verdict_meaning(std::string_view verdict);
// The same, by what is known of this hand-over: an immutable result is not said to be written.
[[nodiscard]] std::string_view verdict_meaning(const core::wire::HandedOver& done);
// For the log: "x handed to jax: SHARED, bound to x_jax".
[[nodiscard]] std::string hand_over_log_text(const core::wire::HandedOver& done, std::string_view subject,
                                             std::string_view library);
// Whether one of the two has no elements, which is why there is no verdict.
[[nodiscard]] bool has_nothing_to_share(const core::ProofStep& step);
// Of two tensors that need not have been handed over: that the first must not be written and the second can be, where both show the
// same bytes. Else "".
[[nodiscard]] std::string unlike_writability(const core::ProofStep& step);
// After a hand-over. Where the second of the two shares memory that must not be written, and does not say so, or is immutable by
// contract and shares memory that can be written: that, in a sentence or two. Else "".
[[nodiscard]] std::string write_warning(const core::ProofStep& step);

}  // namespace dlscope::app
