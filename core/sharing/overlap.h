// Exact sharing of two strided views: decided from the bytes that they touch, not from their extents.
// Methods, in this order: extents -> closed forms for equal and nested layouts -> residues modulo the gcd of the strides ->
// bounded search -> the intersection of the extents bit by bit, swept in rows or as one bit set. Residues and search only say yes
// or no; counts and the lowest shared byte come from the closed forms or the bits.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "core/base/address.h"
#include "core/sharing/unknown_why.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

// One view in one address space. `layout` must have passed validate(), and
// `extent` must be its extent_of() at `address`. Borrows the layout's numbers.
struct MemoryView {
  Address address = 0;  // of element [0,...,0]
  LayoutView layout;
  ByteRange extent;  // empty when the view has no elements
};

// How the bytes of a relate to those of b. disjoint: the extents do not meet. identical:
// the same bytes. contains, contained: a strict superset, subset. overlaps: some bytes are
// common, neither contains the other. interleaved: the extents meet, no byte is common.
enum class Relation : std::uint8_t { disjoint, identical, contains, contained, overlaps, interleaved, unknown };
enum class OverlapMethod : std::uint8_t { extent, layout, residue, search, bitset, sweep };
[[nodiscard]] const char* relation_name(Relation relation);
// The relation of b to a, given that of a to b.
[[nodiscard]] constexpr Relation mirrored(Relation relation) {
  if (relation == Relation::contains) return Relation::contained;
  return relation == Relation::contained ? Relation::contains : relation;
}
[[nodiscard]] const char* overlap_method_name(OverlapMethod method);

// The lowest shared address, and for each view the C-order index of an element
// that contains it (the lowest one, so that the answer is reproducible).
struct Witness {
  Address address = 0;
  std::uint64_t a_flat = 0;
  std::uint64_t b_flat = 0;
};

struct Overlap {
  Relation relation = Relation::disjoint;        // of a to b
  OverlapMethod method = OverlapMethod::extent;  // what decided it; meaningless if relation is unknown
  UnknownWhy why = UnknownWhy::none;             // the reason if relation is unknown, else none
  std::optional<std::uint64_t> shared_bytes;     // nullopt exactly if relation is unknown
  std::optional<Witness> witness;                // set exactly if shared_bytes > 0
};

struct OverlapBudget {
  // The widest window that a bit set may span, in units: a unit is the largest number of bytes that divides all strides, item
  // sizes and the distance of the views. 2^32 elements for two aligned float32 views, 2^32 bytes if there is no common divisor.
  std::uint64_t window_units = std::uint64_t{1} << 32;
  std::uint64_t scratch_bytes = std::uint64_t{1} << 30;  // memory
  // The unit is one word of a bit set written; other steps are
  // converted by the time they take. A second does one to five billion.
  std::uint64_t work = std::uint64_t{1} << 34;
  // Looked at after every millisecond of work at the latest. What comes on top of that is up to the system: large scratch memory
  // that has been written is given back.
  std::stop_token stop;
};

// How two views of one address space share bytes. Exact; `unknown` only if it takes more than the budget, or is stopped.
// thread: any. Allocates at most budget.scratch_bytes.
[[nodiscard]] Overlap overlap(const MemoryView& a, const MemoryView& b, const OverlapBudget& budget = {});

// The number of different bytes that the view touches (a broadcast element counts once). nullopt: over budget or stopped.
[[nodiscard]] std::optional<std::uint64_t> distinct_bytes(const MemoryView& view, const OverlapBudget& budget = {});

// Whether two different indices reach a common bit. nullopt: over budget or stopped.
[[nodiscard]] std::optional<bool> self_overlaps(LayoutView layout, const OverlapBudget& budget = {});

// The lowest C-order index of an element that contains `address`. nullopt: there is none, or the search was over budget.
[[nodiscard]] std::optional<std::uint64_t> element_at(const MemoryView& view, Address address, const OverlapBudget& budget = {});

// The same, but tells the two apart. decided false: the search was over budget or stopped, and `number` is meaningless.
struct ElementAnswer {
  std::optional<std::uint64_t> number;
  bool decided = true;
};
[[nodiscard]] ElementAnswer find_element_at(const MemoryView& view, Address address, const OverlapBudget& budget = {});

}  // namespace dlscope::core
