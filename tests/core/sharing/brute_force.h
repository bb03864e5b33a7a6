// The judge of the overlap tests: byte sets made by visiting every element, and layouts of every kind to judge.
#pragma once

#include <cstdint>
#include <map>
#include <random>

#include "core/sharing/overlap.h"

namespace dlscope::core::test {

// A view that owns its layout. The view borrows from it: made anew on every call.
struct OwnedView {
  Layout layout;
  Address address = 0;
  ByteRange extent;

  [[nodiscard]] MemoryView view() const { return {address, layout, extent}; }
};

// Checks the layout as an importer would; the extent comes from it. The layout must be valid.
[[nodiscard]] OwnedView make_view(Layout layout, Address address);

// Every byte touched, with the smallest C-order number of an element that contains it.
[[nodiscard]] std::map<Address, std::uint64_t> touched_bytes(const OwnedView& view);

// The whole answer by brute force. `method` is not filled.
[[nodiscard]] Overlap expected_overlap(const OwnedView& a, const OwnedView& b);

// Whether two elements have a bit in common, by visiting every element.
[[nodiscard]] bool expected_self_overlap(LayoutView layout);

using Random = std::mt19937_64;
[[nodiscard]] std::int64_t pick(Random& random, std::int64_t low, std::int64_t high);

// A small view near one address: dense, permuted, sliced, reversed, broadcast, sliding windows, reinterpreted, packed
// sub-byte, strides that are no multiple of anything, sizes 0 and 1; rank 0 to 6.
[[nodiscard]] OwnedView random_view(Random& random);

// Two views that are likely to meet: often slices of one array.
struct ViewPair {
  OwnedView a, b;
};
[[nodiscard]] ViewPair random_pair(Random& random);

// The same of a size at which visiting every element would take too long: up to some MiB. Slices, rows, columns and tiles of
// one array, x.ravel()[::k], diagonals, windows, strides without a common divisor.
[[nodiscard]] ViewPair random_large_pair(Random& random);

}  // namespace dlscope::core::test
