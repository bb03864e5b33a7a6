// The bar above the script: find, replace, go to a line. Searching happens on a worker; the bar asks with a command and is
// given what was found.
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
  enum class Then : std::uint8_t { stay, from_anchor, next, previous };  // what to select when something was found

  Shown shown = Shown::nothing;
  bool take_keyboard = false;
  FindQuery query;
  std::string replacement, line;
  FindQuery asked;  // what the last search was asked for, and in which text
  std::uint64_t asked_revision = 0, found_revision = 0;
  bool waiting = false;
  Then then = Then::stay;
  std::uint32_t anchor_line = 0, anchor_column = 0;  // where searching while typing begins
  FindResult found;
  std::string said;  // "17 replaced."

  [[nodiscard]] bool finding() const { return shown == Shown::find || shown == Shown::replace; }
};

// With the script window current.
void draw_find_bar(const FrameContext& context, ScriptPanelState& state, Commands& commands);
void handle_find_actions(const FrameContext& context, ScriptPanelState& state, Commands& commands);

void open_find_bar(ScriptPanelState& state, FindBarState::Shown what);
// What the worker found or would replace in the text of that revision.
void take_found(ScriptPanelState& state, std::uint64_t revision, const FindQuery& query, FindResult found);
void take_replacements(ScriptPanelState& state, std::uint64_t revision, const ReplacePlan& plan);

}  // namespace dlscope::app
