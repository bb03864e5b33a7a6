// Exact sharing of two strided views: the bytes they really touch, not their extents.
// Order of tests (reference: performance.md section 4): extents -> equal or nested layouts -> gcd residue -> bounded
// search -> the intersection window bit by bit, swept in rows or as a whole. Residue and search only say yes or no; counts and
// the lowest witness come from closed forms or the bits.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "core/base/address.h"
#include "core/sharing/unknown_why.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

// One view in one address space. `layout` passed validate(); `extent` is extent_of() of it at `address`.
struct MemoryView {
  Address address = 0;  // of element [0,...,0]
  LayoutView layout;
  ByteRange extent;  // empty when the view has no elements
};

enum class Relation : std::uint8_t { disjoint, identical, contains, contained, overlaps, interleaved, unknown };
enum class OverlapMethod : std::uint8_t { extent, layout, residue, search, bitset, sweep };
[[nodiscard]] const char* relation_name(Relation relation);
// The same relation, told from the other side.
[[nodiscard]] constexpr Relation mirrored(Relation relation) {
  if (relation == Relation::contains) return Relation::contained;
  return relation == Relation::contained ? Relation::contains : relation;
}
[[nodiscard]] const char* overlap_method_name(OverlapMethod method);

// The lowest shared address, and for each view the C-order number of an element that contains it
// (the smallest such number, so that the answer is reproducible).
struct Witness {
  Address address = 0;
  std::uint64_t a_flat = 0;
  std::uint64_t b_flat = 0;
};

struct Overlap {
  Relation relation = Relation::disjoint;  // disjoint: the extents do not meet. interleaved: they meet, no byte is shared
  OverlapMethod method = OverlapMethod::extent;
  UnknownWhy why = UnknownWhy::none;          // another reason exactly when relation is unknown; the method means nothing then
  std::optional<std::uint64_t> shared_bytes;  // nullopt exactly when relation is unknown
  std::optional<Witness> witness;             // set exactly when shared_bytes > 0
};

struct OverlapBudget {
  // The widest window a bit set may span, in units of what all strides, items and the distance of the views have in
  // common: 2^32 float32 elements, or as many bytes where nothing is common.
  std::uint64_t window_bytes = std::uint64_t{1} << 32;
  std::uint64_t scratch_bytes = std::uint64_t{1} << 30;
  // Words of bit sets written, or as much time in searches and lists: one to five billion a second.
  std::uint64_t work = std::uint64_t{1} << 34;
  std::stop_token stop;  // asked for often enough to end within 5 ms
};

// Exact for everything that fits the budget; `unknown` only when it does not, or on cancellation.
// thread: any. Allocates at most the scratch.
[[nodiscard]] Overlap overlap(const MemoryView& a, const MemoryView& b, const OverlapBudget& budget = {});

// How many different bytes the view touches (a broadcast counts once). nullopt: over budget or cancelled.
[[nodiscard]] std::optional<std::uint64_t> distinct_bytes(const MemoryView& view, const OverlapBudget& budget = {});

// Whether two different indices reach a common byte. nullopt: over budget.
[[nodiscard]] std::optional<bool> self_overlaps(LayoutView layout, const OverlapBudget& budget = {});

// The C-order number of the lowest-numbered element that contains `address`, if any.
[[nodiscard]] std::optional<std::uint64_t> element_at(const MemoryView& view, Address address, const OverlapBudget& budget = {});

// The same, told from "not found out": without `decided` the search was over budget, and no number means nothing.
struct ElementAnswer {
  std::optional<std::uint64_t> number;
  bool decided = true;
};
[[nodiscard]] ElementAnswer find_element_at(const MemoryView& view, Address address, const OverlapBudget& budget = {});

}  // namespace dlscope::core
