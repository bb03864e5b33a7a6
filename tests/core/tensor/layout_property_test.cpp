// Layouts against brute force: every bit of every element, enumerated.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "core/tensor/layout.h"

namespace dlscope::core {
namespace {

constexpr int kLayouts = 20'000;

// Small enough to enumerate: rank 0 to 6, sizes 0 to 4, strides around nothing special, nested, negative and zero.
class LayoutSource {
 public:
  explicit LayoutSource(unsigned seed) : random_(seed) {}

  Layout next() {
    constexpr std::uint32_t kItemBits[] = {1, 2, 4, 6, 8, 12, 16, 24, 32, 64};
    Layout layout;
    layout.item_bits = kItemBits[below(std::size(kItemBits))];
    const auto rank = below(7);
    for (unsigned d = 0; d < rank; ++d) layout.shape.push_back(size(rank));
    const bool dense = below(3) == 0;
    std::int64_t stride = layout.item_bits;
    for (unsigned d = 0; d < rank; ++d) {
      if (dense) {
        layout.stride_bits.push_back(below(4) == 0 ? -stride : stride);
        stride *= std::max<std::int64_t>(layout.shape[d], 1);
      } else {
        layout.stride_bits.push_back((static_cast<std::int64_t>(below(41)) - 20) * unit(layout.item_bits));
      }
    }
    shuffle(layout);
    return layout;
  }

 private:
  unsigned below(std::size_t n) { return static_cast<unsigned>(std::uniform_int_distribution<std::size_t>(0, n - 1)(random_)); }
  std::int64_t size(unsigned rank) { return below(20) == 0 ? 0 : 1 + below(rank > 4 ? 3 : 4); }
  // Element strides, byte strides and odd bit strides all occur.
  std::int64_t unit(std::uint32_t item_bits) { return below(2) ? item_bits : below(2) ? 8 : 1; }
  void shuffle(Layout& layout) {
    for (std::size_t d = layout.shape.size(); d > 1; --d) {
      const std::size_t other = below(d);
      std::swap(layout.shape[d - 1], layout.shape[other]);
      std::swap(layout.stride_bits[d - 1], layout.stride_bits[other]);
    }
  }

  std::mt19937 random_;
};

// The offsets of all elements in C order, counted like an odometer: nothing of the code under test.
std::vector<std::int64_t> enumerate(const Layout& layout) {
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> index(layout.shape.size(), 0);
  if (std::ranges::find(layout.shape, 0) != layout.shape.end()) return offsets;
  for (;;) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * layout.stride_bits[d];
    offsets.push_back(offset);
    std::size_t d = index.size();
    while (d > 0 && ++index[d - 1] == layout.shape[d - 1]) index[--d] = 0;
    if (d == 0) return offsets;
  }
}

bool shares_a_bit(const std::vector<std::int64_t>& offsets, std::int64_t item_bits) {
  std::vector<std::int64_t> sorted = offsets;
  std::ranges::sort(sorted);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] - sorted[i - 1] < item_bits) return true;
  }
  return false;
}

Contiguity word_by_definition(const Layout& layout, const std::vector<std::int64_t>& offsets) {
  if (offsets.empty()) return Contiguity::empty;
  if (offsets.size() == 1) return Contiguity::scalar;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    if (layout.shape[d] > 1 && layout.stride_bits[d] == 0) return Contiguity::broadcast;
  }
  if (shares_a_bit(offsets, layout.item_bits)) return Contiguity::overlapping;
  // Dense in C order: element number k lies at k. Dense in F order: the same with the axes reversed.
  const auto dense = [&](const std::vector<std::int64_t>& at) {
    for (std::size_t k = 0; k < at.size(); ++k) {
      if (at[k] != static_cast<std::int64_t>(k) * layout.item_bits) return false;
    }
    return true;
  };
  Layout reversed = layout;
  std::ranges::reverse(reversed.shape);
  std::ranges::reverse(reversed.stride_bits);
  const bool c = dense(offsets), f = dense(enumerate(reversed));
  return c && f ? Contiguity::c_and_f : c ? Contiguity::c : f ? Contiguity::f : Contiguity::strided;
}

TEST_CASE("bounds, offsets and extents equal those of every single element", "[tensor]") {
  LayoutSource source(20260921);
  for (int round = 0; round < kLayouts; ++round) {
    const Layout layout = source.next();
    const std::vector<std::int64_t> offsets = enumerate(layout);
    const auto bounds = validate(layout);
    INFO(describe(layout) << " item bits " << layout.item_bits);
    REQUIRE(bounds);
    REQUIRE(bounds->elements == offsets.size());
    if (offsets.empty()) continue;
    const auto [low, high] = std::ranges::minmax(offsets);
    REQUIRE(bounds->lowest_bit == low);
    REQUIRE(bounds->highest_bit == high + layout.item_bits);
    constexpr std::int64_t kAt = 1 << 20;  // in bits far from 0, so that plain division rounds down
    const auto extent = extent_of(*bounds, kAt / 8).value();
    REQUIRE(extent.begin == static_cast<Address>((kAt + low) / 8));
    REQUIRE(extent.end == static_cast<Address>((kAt + high + layout.item_bits + 7) / 8));
    std::vector<std::int64_t> index(layout.shape.size());
    for (std::size_t flat = 0; flat < offsets.size(); ++flat) {
      REQUIRE(bit_offset_of(layout, flat) == offsets[flat]);
      unravel(layout, flat, index);
      std::int64_t sum = 0;
      for (std::size_t d = 0; d < index.size(); ++d) sum += index[d] * layout.stride_bits[d];
      REQUIRE(sum == offsets[flat]);
    }
  }
}

TEST_CASE("the quick answer about self-overlap is never wrong, and mostly there", "[tensor]") {
  LayoutSource source(7);
  std::map<Contiguity, int> seen;
  int undecided = 0;
  for (int round = 0; round < kLayouts; ++round) {
    const Layout layout = source.next();
    const std::vector<std::int64_t> offsets = enumerate(layout);
    const bool truth = shares_a_bit(offsets, layout.item_bits);
    const auto quick = quick_self_overlap(layout);
    INFO(describe(layout) << " item bits " << layout.item_bits);
    if (quick) REQUIRE(*quick == truth);
    undecided += !quick;
    const Contiguity word = contiguity_given(layout, truth);
    REQUIRE(word == word_by_definition(layout, offsets));
    REQUIRE(axis_breaking_c_order(layout).has_value() ==
            (word != Contiguity::c && word != Contiguity::c_and_f && word != Contiguity::empty && word != Contiguity::scalar));
    ++seen[word];
  }
  CHECK(undecided < kLayouts / 4);
  for (const auto word : {Contiguity::empty, Contiguity::scalar, Contiguity::broadcast, Contiguity::overlapping,
                          Contiguity::c_and_f, Contiguity::c, Contiguity::f, Contiguity::strided}) {
    INFO(contiguity_name(word));
    CHECK(seen[word] > 20);  // the generator reaches every word
  }
}

TEST_CASE("hostile layouts are refused exactly when 128-bit arithmetic says so", "[tensor]") {
  __extension__ using Wide = __int128;
  std::mt19937_64 random(3);
  constexpr Wide kLimit = std::numeric_limits<std::int64_t>::max();
  int accepted = 0, refused = 0;
  for (int round = 0; round < 200'000; ++round) {
    Layout layout;
    layout.item_bits = static_cast<std::uint32_t>(1 + random() % 4096);
    for (std::uint64_t d = random() % 5; d > 0; --d) {
      layout.shape.push_back(static_cast<std::int64_t>(random() >> 1 >> random() % 63));
      layout.stride_bits.push_back(static_cast<std::int64_t>(random()) >> random() % 64);
    }
    Wide elements = 1, low = 0, high = layout.item_bits;
    bool empty = false, fits = true;
    for (std::size_t d = 0; d < layout.shape.size(); ++d) {
      empty |= layout.shape[d] == 0;
      if (!fits) continue;  // the next product might leave even 128 bits
      elements *= layout.shape[d];
      const Wide reach = Wide{layout.shape[d] - 1} * layout.stride_bits[d];
      (reach < 0 ? low : high) += reach;
      fits = elements * layout.item_bits <= kLimit && high - low <= kLimit;
    }
    LayoutBounds bounds;
    const LayoutFault fault = check_layout(layout, bounds);
    INFO(describe(layout) << " item bits " << layout.item_bits);
    REQUIRE(fault == (empty || fits ? LayoutFault::none : LayoutFault::size_overflow));
    (fault == LayoutFault::none ? accepted : refused)++;
    if (fault == LayoutFault::none && !empty) {
      REQUIRE(bounds.elements == static_cast<std::uint64_t>(elements));
      REQUIRE(bounds.lowest_bit == static_cast<std::int64_t>(low));
      REQUIRE(bounds.highest_bit == static_cast<std::int64_t>(high));
      (void)quick_self_overlap(layout);  // must not overflow either (seen by the sanitizers)
      (void)contiguity_given(layout, false);
      (void)bit_offset_of(layout, bounds.elements - 1);
    }
  }
  CHECK(accepted > 10'000);
  CHECK(refused > 10'000);
}

}  // namespace
}  // namespace dlscope::core
