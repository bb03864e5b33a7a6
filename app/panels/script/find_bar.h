// The bar above the script: find, replace, go to a line. A worker searches: the bar asks with a command, and gets the result by
// take_found().
#pragma once

#include <cstdint>
#include <string>

#include "app/models/actions/commands.h"
#include "app/models/text/text_search.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct ScriptPanelState;

struct FindBarState {
  enum class Shown : std::uint8_t { nothing, find, replace, go_to_line };
  enum class Then : std::uint8_t { stay, from_anchor, next, previous };  // what to select when the result comes

  Shown shown = Shown::nothing;
  bool take_keyboard = false;
  FindQuery query;
  std::string replacement, line;
  FindQuery asked;  // the last requested search; asked_revision: of the text
  std::uint64_t asked_revision = 0, found_revision = 0;
  bool waiting = false;
  Then then = Then::stay;
  std::uint32_t anchor_line = 0, anchor_column = 0;  // where incremental search begins
  FindResult found;
  std::string said;  // "17 replaced."

  [[nodiscard]] bool finding() const { return shown == Shown::find || shown == Shown::replace; }
};

// Call with the script's window current.
void draw_find_bar(const FrameContext& context, ScriptPanelState& state, Commands& commands);
void handle_find_actions(const FrameContext& context, ScriptPanelState& state, Commands& commands);

void open_find_bar(ScriptPanelState& state, FindBarState::Shown what);
// Takes the worker's result for the text of that revision.
void take_found(ScriptPanelState& state, std::uint64_t revision, const FindQuery& query, FindResult found);
void take_replacements(ScriptPanelState& state, std::uint64_t revision, const ReplacePlan& plan);

}  // namespace dlscope::app
