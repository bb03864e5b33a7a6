// SharingPair: what is known about two views whose extents meet. Plain data of 32 bytes, because there may be millions; a
// snapshot keeps the list as find_sharing() wrote it and is sent as bytes.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/sharing/overlap.h"

namespace dlscope::core {

inline constexpr std::uint64_t kUnknownBytes = ~std::uint64_t{0};

// The elements that contain the witness are not stored; element_at() finds them on demand.
struct SharingPair {
  std::uint64_t shared_bytes = kUnknownBytes;  // kUnknownBytes exactly if relation is unknown
  Address witness = 0;                         // the lowest shared address; valid if shared_bytes is known and > 0
  std::uint32_t a = 0, b = 0;                  // SharingItem::id, a < b
  Relation relation = Relation::disjoint;      // of a to b
  OverlapMethod method = OverlapMethod::extent;
  UnknownWhy why = UnknownWhy::none;  // the reason if relation is unknown, else none
};
static_assert(sizeof(SharingPair) == 32 && std::is_trivially_copyable_v<SharingPair>);

}  // namespace dlscope::core
