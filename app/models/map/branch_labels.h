// Labels with branch names ("net.layers[0]") over bars that are too close together for their own names.
#pragma once

#include "app/models/map/map_layout.h"

namespace dlscope::app {

// Adds outlines and labels over groups of out.merged, the bars that stand for many tensors. merge: width of such a bar in pixels.
void add_branch_labels(const SnapshotIndex& index, const LaneBox& box, const TextWidth& width, double merge, LanePicture& out);

}  // namespace dlscope::app
