// ServedNumbers: the numbers of what is being served, by which an interruption or a cancellation says what it means.
#pragma once

#include <cstdint>

#include "core/wire/messages.h"

namespace dlscope::embed {

// 0: none. Not synchronised: ServedState::mutex guards it.
struct ServedNumbers {
  std::uint64_t act = 0, question = 0, frame_run = 0, scan = 0;
  std::uint64_t run = 0;  // the script or console line, also while it is stopped; not code in a stopped frame
  bool act_cancelled = false;

  // Before the next request. An act ends by end_act() alone. at_stop: the script is still being run.
  void forget_last(bool at_stop) {
    question = frame_run = scan = 0;
    if (!at_stop) run = 0;
  }
  // The interruption comes too late: it means something else than is served now.
  [[nodiscard]] bool means_another(const core::wire::Interrupt& interrupt) const {
    const bool runs = interrupt.run == frame_run || interrupt.run == run;
    return (interrupt.question != 0 && interrupt.question != question) || (interrupt.run != 0 && !runs) ||
           (interrupt.scan != 0 && interrupt.scan != scan);
  }
};

}  // namespace dlscope::embed
