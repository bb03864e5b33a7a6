// The selected tensor's bytes as they lie in memory: one cell per element-sized piece, in address order, each with the
// index that lives there. Holes stay empty, cells reached more than once say so. Hover ties it to every other view.
#pragma once

#include <memory>
#include <vector>

#include "app/models/commands.h"
#include "app/models/storage_tape.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct StoragePanelState {
  const core::Snapshot* snapshot = nullptr;  // which tensor the tape belongs to
  std::uint32_t tensor = core::kNone32;
  std::unique_ptr<StorageTape> tape;
  std::uint64_t first = 0;       // cell at the upper left
  std::uint64_t read_first = 0;  // what `cells` holds
  std::uint32_t read_count = 0;
  std::vector<TapeCell> cells;
};

void draw_storage_panel(const FrameContext& context, StoragePanelState& state, Commands& commands);

}  // namespace dlscope::app
