// Where the address of a memory fault lies among the tensors of the last look. Says nothing that the addresses do not carry: what is
// near is near within a bound, what is far is near nothing.
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
  std::uint32_t tensor = kNone32;  // the one it lies in, the largest of several; or the nearest
  std::uint64_t distance = 0;      // in bytes; inside: from its first byte; after: from its end; before: to its first byte
  friend bool operator==(const FaultPlace&, const FaultPlace&) = default;
};

// A walk past an end meets the first page that cannot be touched. So a tensor is near when it ends less than a page away, or up to
// 1 MiB away where all between could be touched. map: of the process as the fault left it; null: not known.
[[nodiscard]] FaultPlace place_of_fault(const Snapshot& snapshot, Address address, const AddressMap* map);

// "8 bytes past the end of x", "inside x, 24 bytes behind its first", "near no tensor that was looked at".
[[nodiscard]] std::string fault_place_text(const Snapshot& snapshot, const FaultPlace& place);

}  // namespace dlscope::core
