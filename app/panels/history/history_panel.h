// The history: the strip of kept moments, the differences between two of them, and since when the selected tensor has been as it is.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "app/models/actions/commands.h"
#include "app/models/history/history_query.h"
#include "app/models/jobs/cached_value.h"
#include "app/panels/frame_context.h"
#include "app/widgets/wrapped_rows.h"

namespace dlscope::app {

struct SnapshotDifferences;

struct HistoryPanelState {
  std::uint64_t base = 0;  // the moment chosen to compare with; 0: the one before the shown one
  std::string filter;
  ChangeSet wanted;
  bool marks = false;  // the table's change marks follow this comparison
  std::pair<std::uint64_t, std::uint64_t> marks_asked;  // the index, by its generation, and the moment its marks were asked for
  DifferenceQuery asked;
  SinceWhenQuery since_asked;
  std::uint64_t revealed = 0;  // the moment that the strip was last scrolled to
  int chips_drawn = 0, rows_drawn = 0;  // in the last frame, for tests
  const SnapshotDifferences* texts_of = nullptr;             // the differences that `row_texts` was made for
  std::unordered_map<std::uint32_t, std::string> row_texts;  // of the rows drawn so far
  WrappedRows rows{2};                                       // heights of the rows in the list of differences
  float differences_width = 0;                               // of the texts, in the last frame
  CachedValue<const SnapshotDifferences*, std::string> sentence, compared;
};

void draw_history_panel(const FrameContext& context, HistoryPanelState& state, Commands& commands);

// A bar above the panels while looking back: which moment is shown, the way back, and whether a newer one exists.
void draw_past_bar(const FrameContext& context, Commands& commands);
// 0: the bar is not drawn.
[[nodiscard]] float past_bar_height(const FrameContext& context);

}  // namespace dlscope::app
