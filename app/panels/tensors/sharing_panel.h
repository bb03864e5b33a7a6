// Sharing of memory: the partners of the selected tensor with evidence, the relation of two chosen tensors, and, with one click,
// every pair of tensors whose memory meets.
#pragma once

#include <string>

#include "app/models/actions/commands.h"
#include "app/models/focus/partners.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct SharingPanelState {
  bool all_pairs = false;
  int rows_drawn = 0;  // in the last frame, for tests
  // The shown texts, and what they were made for.
  std::uint64_t generation = 0;
  std::uint32_t selected = core::kNone32, compared = core::kNone32;
  Partners partners;
  Comparison comparison;
  std::string list_text;  // about the list of pairs: that it is empty, or that some are missing
};

void draw_sharing_panel(const FrameContext& context, SharingPanelState& state, Commands& commands);

}  // namespace dlscope::app
