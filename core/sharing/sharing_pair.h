// SharingPair: what is known about two views whose extents meet. Plain and 32 bytes: there are millions of them, they travel
// as bytes, and the snapshot keeps the list as find_sharing() wrote it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/sharing/overlap.h"

namespace dlscope::core {

inline constexpr std::uint64_t kUnknownBytes = ~std::uint64_t{0};

// Which elements contain the witness is not kept: element_at() says so for the few pairs that somebody looks at.
struct SharingPair {
  std::uint64_t shared_bytes = kUnknownBytes;  // kUnknownBytes exactly when relation is unknown
  Address witness = 0;                         // the lowest shared address; when shared_bytes > 0 and known
  std::uint32_t a = 0, b = 0;                  // the caller's numbers, a < b
  Relation relation = Relation::disjoint;      // of a to b
  OverlapMethod method = OverlapMethod::extent;
  UnknownWhy why = UnknownWhy::none;  // another reason exactly when relation is unknown
};
static_assert(sizeof(SharingPair) == 32 && std::is_trivially_copyable_v<SharingPair>);

}  // namespace dlscope::core
