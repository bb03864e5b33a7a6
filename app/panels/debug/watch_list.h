// Watches: expressions that are evaluated at each stop in the chosen frame, never while code runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/models/actions/commands.h"
#include "app/models/debug/watch_values.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct WatchListState {
  std::string typed;               // the expression being typed
  bool keep_keyboard = false;      // Enter was pressed in the last frame: the next expression may follow
  std::uint64_t ticket = 0;        // of the newest question
  std::uint64_t asked_at = 0;      // StopView::revision at the last question; 0: never asked
  std::vector<std::string> asked;  // the expressions of that question
  double asked_since = 0;          // seconds, as ImGui::GetTime() counts them
  bool answered = false;
  std::vector<WatchValue> values;  // of `asked`; valid when answered
  std::string failure;             // why there are none
  WatchedStops stops;
  WatchedStops::Place place;       // of the question
  WatchHomes homes;
};

void draw_watch_list(const FrameContext& context, WatchListState& state, Commands& commands);

}  // namespace dlscope::app
