// Relates the address of a memory fault (SIGSEGV, SIGBUS) to the tensors of the last snapshot. Claims no more than the addresses
// prove: a tensor is called near only within a fixed distance.
// thread: any.
#pragma once

#include <cstdint>
#include <string>

#include "core/inventory/snapshot.h"
#include "core/memory/address_map.h"

namespace dlscope::core {

enum class FaultSide : std::uint8_t { none, inside, after, before };
struct FaultPlace {
  FaultSide side = FaultSide::none;
  std::uint32_t tensor = kNone32;  // the tensor that contains the address (of several the largest), or the nearest one
  std::uint64_t distance = 0;      // in bytes; inside: from its first byte; after: from its end; before: to its first byte
  friend bool operator==(const FaultPlace&, const FaultPlace&) = default;
};

// Code that runs past a tensor's end faults at the first inaccessible page. So a tensor is near if its end is less than a page
// away, or up to 1 MiB away with accessible memory between. map: the process's mappings at the fault; null: not known.
[[nodiscard]] FaultPlace place_of_fault(const Snapshot& snapshot, Address address, const AddressMap* map);

// "8 bytes past the end of x", "inside x, 24 bytes after its first byte", "near no known tensor".
[[nodiscard]] std::string fault_place_text(const Snapshot& snapshot, const FaultPlace& place);

}  // namespace dlscope::core
