// Which tabs an arrangement from the settings has in front.
#pragma once

namespace dlscope::app {

// Frames until a new arrangement is complete: panels appear one frame after docking, their tabs in the frame after that.
inline constexpr int kSettlingFrames = 3;

// Brings these tabs to the front again: panels that appear with a loaded arrangement bring themselves there, the last one above
// all. The keyboard goes to the tensors, or, where they are behind another panel, to the first panel that is in front. Call when
// the panels were drawn in the new arrangement.
void bring_stored_to_front();

}  // namespace dlscope::app
