// IndexBox: a box of a tensor's index space, and how the space is divided into such: into parts, which follow each other in C
// order, and these into tiles, which fit into a cache.
// Pure functions and values; thread: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/tensor/layout.h"

namespace dlscope::core {

// An entry for each axis of the space.
struct IndexBox {
  std::array<std::int64_t, kMaxRank> shape{};
  std::array<std::int64_t, kMaxRank> start{};
  std::uint64_t elements = 0;

  [[nodiscard]] LayoutView layout_in(LayoutView whole) const {
    return {std::span(shape).first(whole.shape.size()), whole.stride_bits, whole.item_bits};
  }
  // Of its first element, in bytes.
  [[nodiscard]] std::int64_t offset_in(LayoutView whole) const;
};

// Divides an index space into boxes of at most `most` elements, in C order: whole inner axes, a range of one axis, and single
// indices of the axes outside it.
class Parts {
 public:
  Parts(std::span<const std::int64_t> shape, std::uint64_t most);
  [[nodiscard]] std::uint64_t elements() const { return elements_; }
  [[nodiscard]] bool next(IndexBox& part);

 private:
  void advance(std::size_t cut);

  std::span<const std::int64_t> shape_;
  std::size_t axis_ = 0;
  std::uint64_t elements_ = 1, inner_ = 1;
  std::int64_t range_ = 1;
  std::array<std::int64_t, kMaxRank> at_{};
  bool over_ = false;
};

// Divides a part into tiles of at most `most` elements that are long along the axes on which neighbours are closest in either
// memory, so that each cache line of both is used while it is there.
class Tiles {
 public:
  Tiles(const IndexBox& part, LayoutView from, LayoutView to, std::uint64_t most);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] IndexBox at(std::uint64_t number) const;
  // The strides, in bits, of a tile whose elements lie without gaps, in the order in which they lie in the target.
  [[nodiscard]] std::array<std::int64_t, kMaxRank> dense_strides(const IndexBox& tile, std::uint32_t item_bits) const;

 private:
  [[nodiscard]] std::span<const std::size_t> axes() const { return std::span(axes_).first(rank_); }
  void widen(std::size_t axis, std::int64_t to, std::uint64_t most);

  IndexBox part_;
  std::size_t rank_ = 0;
  std::array<std::size_t, kMaxRank> axes_{};  // by the stride in the target, the shortest first
  std::array<std::int64_t, kMaxRank> sides_{};
  std::uint64_t elements_ = 1, count_ = 1;
};

}  // namespace dlscope::core
