// The command palette: type a few letters and pick an action, a recent file or a tensor with the keyboard. Not modal.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/models/actions/commands.h"
#include "app/models/actions/palette_model.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct PaletteState {
  enum class Looks { nowhere, for_actions, for_places };
  Looks looks = Looks::nowhere;
  std::string query;
  std::vector<ActionId> actions;              // that match the query, best first
  std::vector<std::string> files;             // the recent ones among them
  std::shared_ptr<const FoundPlaces> places;  // found by a worker; null: none yet
  RecentActions recent;
  unsigned int had_keyboard = 0;  // the window that gets it back; 0: none
  int picked = 0;                 // the line that Enter chooses
  bool opened = false;            // in this frame: the query gets the keyboard
  bool moved = false;             // keep the picked line in view
};

// Opens it with an empty query.
void show_palette(PaletteState& state, PaletteState::Looks looks);

void draw_palette(const FrameContext& context, PaletteState& state, const ViewSwitches& show, AskedActions& asked,
                  Commands& commands);

}  // namespace dlscope::app
