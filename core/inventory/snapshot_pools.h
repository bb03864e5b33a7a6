// The pools of a snapshot, one list of them for whatever copies, sends or keeps a snapshot as a whole.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "core/inventory/snapshot.h"

namespace dlscope::core {

// A tuple of references, of a const snapshot to const. The order is that in which they lie on the wire.
template <class S>
auto pools_of(S& s) {
  return std::tie(s.tensors, s.dims, s.names, s.refusals, s.remarks, s.deleters, s.spaces, s.groups, s.group_members,
                  s.group_libraries, s.pairs, s.statistics, s.allocations, s.driver_devices, s.events, s.copies, s.limits,
                  s.libraries, s.devices, s.item_types, s.item_fields, s.frames, s.not_entered, s.text);
}
inline constexpr std::size_t kPools = std::tuple_size_v<decltype(pools_of(std::declval<Snapshot&>()))>;

}  // namespace dlscope::core
