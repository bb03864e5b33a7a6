// Union-find over the numbers 0 .. n-1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace dlscope::core {

class DisjointSets {
 public:
  // n sets of one.
  void reset(std::size_t n) {
    parent_.resize(n);
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }

  [[nodiscard]] std::uint32_t find(std::uint32_t x) {
    while (parent_[x] != x) {
      parent_[x] = parent_[parent_[x]];
      x = parent_[x];
    }
    return x;
  }

  // The lower root becomes the root: roots do not depend on the order of joins.
  void join(std::uint32_t x, std::uint32_t y) {
    x = find(x);
    y = find(y);
    if (x < y)
      parent_[y] = x;
    else
      parent_[x] = y;
  }

  [[nodiscard]] bool joined(std::uint32_t x, std::uint32_t y) { return find(x) == find(y); }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace dlscope::core
