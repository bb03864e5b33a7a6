// IndexLines: the element indices of a block of places (memory_order.h) as a few arithmetic progressions. Used to find the element with
// the smallest and largest index among some places. In a 2 x N array that is stored column by column, consecutive places alternate
// between the rows; as progressions there are two, one over the even places and one over the odd ones.
// thread: any; immutable after construction.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/elements/memory_order.h"

namespace dlscope::core {

// The places first, first + step, ... : `count` of them, whose indices are index, index + index_step, ...
struct IndexLine {
  std::uint64_t first = 0, step = 1, count = 0;
  std::int64_t index = 0, index_step = 0;

  [[nodiscard]] std::int64_t index_of(std::uint64_t i) const { return index + index_step * static_cast<std::int64_t>(i); }
};

class IndexLines {
 public:
  // block: how many places walk() is usually asked for; decides how the axes are split.
  IndexLines(const AffineAxes& indices, std::uint64_t block);

  // Calls visit(const IndexLine&) for progressions that together are the places [from, to), each place once.
  template <class Visit>
  void walk(std::uint64_t from, std::uint64_t to, Visit visit) const {
    const std::uint64_t inner = offsets_.size();
    AffineCursor cursor(along_, from / inner, (to + inner - 1) / inner);
    for (AffineRun run; cursor.next(run);) {
      for (std::uint64_t i = 0; i < inner; ++i) {
        // The first and the last run may begin in front of the block and end behind it.
        const std::uint64_t begin = run.place * inner + i, skipped = begin < from ? 1 : 0;
        const std::uint64_t left = run.count - (begin + (run.count - 1) * inner >= to ? 1 : 0);
        if (left <= skipped) continue;
        visit(IndexLine{begin + skipped * inner, inner, left - skipped,
                        run.first + offsets_[i] + run.step * static_cast<std::int64_t>(skipped), run.step});
      }
    }
  }

 private:
  AffineAxes along_;                   // the axis of the lines and those around it
  std::vector<std::int64_t> offsets_;  // of the places inside one step along that axis, from the first of them
};

}  // namespace dlscope::core
