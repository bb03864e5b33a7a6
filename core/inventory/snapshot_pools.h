// The list of a snapshot's pools, for code that copies, sends or measures a snapshot as a whole.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "core/inventory/snapshot.h"

namespace dlscope::core {

// A tuple of references to the pools (const for a const snapshot). The order is the wire format's order of sections.
template <class S>
auto pools_of(S& s) {
  return std::tie(s.tensors, s.dims, s.names, s.refusals, s.remarks, s.deleters, s.spaces, s.groups, s.group_members,
                  s.group_libraries, s.pairs, s.statistics, s.allocations, s.driver_devices, s.events, s.copies, s.limits,
                  s.libraries, s.devices, s.item_types, s.item_fields, s.frames, s.not_entered, s.text);
}
inline constexpr std::size_t kPools = std::tuple_size_v<decltype(pools_of(std::declval<Snapshot&>()))>;

}  // namespace dlscope::core
