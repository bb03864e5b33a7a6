#include "core/transfer/index_box.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <utility>
#include <vector>

namespace dlscope::core {
namespace {

// How often each index is in one of the boxes, in C order.
class Visits {
 public:
  explicit Visits(std::vector<std::int64_t> shape) : shape_(std::move(shape)) {
    std::size_t elements = 1;
    for (const std::int64_t n : shape_) elements *= static_cast<std::size_t>(n);
    counts_.resize(elements);
  }
  void add(const IndexBox& box, std::size_t axis = 0, std::size_t place = 0) {
    if (axis == shape_.size()) {
      ++counts_[place];
      return;
    }
    for (std::int64_t i = 0; i < box.shape[axis]; ++i)
      add(box, axis + 1, place * static_cast<std::size_t>(shape_[axis]) + static_cast<std::size_t>(box.start[axis] + i));
  }
  [[nodiscard]] bool each_once() const { return std::ranges::all_of(counts_, [](int n) { return n == 1; }); }

 private:
  std::vector<std::int64_t> shape_;
  std::vector<int> counts_;
};

TEST_CASE("Parts hold every index once, and their tiles too, however small", "[core][transfer]") {
  std::mt19937 random(9);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::int64_t> shape(random() % 5), from(shape.size()), to(shape.size());
    for (auto& n : shape) n = static_cast<std::int64_t>(random() % 7 + 1);
    for (auto& stride : from) stride = (static_cast<std::int64_t>(random() % 9) - 4) * 8;
    for (auto& stride : to) stride = (static_cast<std::int64_t>(random() % 9) - 4) * 8;
    const std::uint64_t most = random() % 40 + 1, tile_most = random() % 20 + 1;
    CAPTURE(shape, from, to, most, tile_most);
    Parts parts(shape, most);
    Visits in_parts(shape), in_tiles(shape);
    std::uint64_t elements = 0;
    for (IndexBox part; parts.next(part);) {
      CHECK(part.elements <= most);
      in_parts.add(part);
      const Tiles tiles(part, {shape, from, 8}, {shape, to, 8}, tile_most);
      for (std::uint64_t i = 0; i < tiles.count(); ++i) {
        const IndexBox tile = tiles.at(i);
        CHECK(tile.elements <= tile_most);
        elements += tile.elements;
        in_tiles.add(tile);
      }
    }
    CHECK(in_parts.each_once());
    CHECK(in_tiles.each_once());
    CHECK(elements == parts.elements());
  }
}

TEST_CASE("A tile of a transposed array is long in both memories, one of a contiguous array in one piece", "[core][transfer]") {
  const std::vector<std::int64_t> shape{4096, 4096}, rows{4096 * 8, 8}, columns{8, 4096 * 8};
  Parts parts(shape, std::uint64_t{1} << 24);
  IndexBox all;
  REQUIRE(parts.next(all));
  const IndexBox transposed = Tiles(all, {shape, columns, 8}, {shape, rows, 8}, 1 << 16).at(0);
  CHECK(transposed.shape[0] == 1024);
  CHECK(transposed.shape[1] == 64);
  const Tiles contiguous(all, {shape, rows, 8}, {shape, rows, 8}, 1 << 16);
  CHECK(contiguous.at(0).shape[0] == 16);
  CHECK(contiguous.at(0).shape[1] == 4096);
  CHECK(contiguous.dense_strides(contiguous.at(0), 8)[0] == 4096 * 8);
  CHECK(contiguous.dense_strides(contiguous.at(0), 8)[1] == 8);
}

}  // namespace
}  // namespace dlscope::core
