// Contradictions about where memory is, as events of a snapshot: a producer's claim beside the driver's or the map's answer.
// thread: any.
#pragma once

#include <cstddef>

#include "core/inventory/snapshot.h"

namespace dlscope::core {

inline constexpr std::size_t kMaxDeviceEvents = 1000;  // of one snapshot; further ones are summed up in one more

// Appends an event `device` for each tensor whose producer is contradicted (contradiction_about_device()). Call it before the
// snapshot is published.
void add_device_events(Snapshot& snapshot);

}  // namespace dlscope::core
