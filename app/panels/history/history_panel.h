// The history: the strip of kept moments, what is different between two of them, and since when the selected tensor is as it is.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "app/models/actions/commands.h"
#include "app/models/jobs/kept.h"
#include "app/panels/frame_context.h"
#include "app/widgets/wrapped_rows.h"

namespace dlscope::app {

struct HistoryPanelState {
  std::uint64_t base = 0;  // the moment that the shown one is compared with, as chosen; 0: the one before it
  std::string filter;
  ChangeSet wanted;
  bool marks = false;  // the table's marks follow the comparison
  DifferenceQuery asked;
  SinceWhenQuery since_asked;
  std::uint64_t revealed = 0;  // the moment that the strip was scrolled to
  int chips_drawn = 0, rows_drawn = 0;  // in the last frame, for tests
  const SnapshotDifferences* texts_of = nullptr;             // the list whose rows `row_texts` has
  std::unordered_map<std::uint32_t, std::string> row_texts;  // of those that were on the screen
  WrappedRows rows{2};                                       // of the list of differences
  float differences_width = 0;                               // of its texts, in the last frame
  Kept<const SnapshotDifferences*, std::string> sentence;
};

void draw_history_panel(const FrameContext& context, HistoryPanelState& state, Commands& commands);

// A line over the panels while one looks back: which moment is shown, the way back, and that something newer is there.
void draw_past_bar(const FrameContext& context, Commands& commands);
// 0: it is not drawn.
[[nodiscard]] float past_bar_height(const FrameContext& context);

}  // namespace dlscope::app
