// Names of branches ("net.layers[0]") over bars that stand too close for names of their own.
#pragma once

#include "app/models/map/map_layout.h"

namespace dlscope::app {

// Outlines and labels over stretches of out.merged, the bars that stand for many; merge: the width of such a bar, in pixels.
void add_branch_labels(const SnapshotIndex& index, const LaneBox& box, const TextWidth& width, double merge, LanePicture& out);

}  // namespace dlscope::app
