// FirstMatches: which of the matches is the first one, and which the first one from an element on, whatever the order in which memory is
// searched. Looks at those values only that can still be one of the two, so that a tensor all of whose values match takes no longer to
// search than any other. thread: any; immutable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/elements/memory_order.h"
#include "core/search/value_search.h"
#include "core/search/value_test.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

class FirstMatches {
 public:
  // order: of the layout's values; both must outlive it. lanes: of an element. unit: places that are tested together, a divisor of the
  // length of the innermost axis. from: ValueMatches::next is the first match at or after this element.
  FirstMatches(LayoutView layout, const MemoryOrder& order, unsigned lanes, unsigned unit, std::uint64_t from);

  // values: `count` of them, of `each` bytes, the first one at `place`. Updates found.first and found.next; returns how many values were
  // tested, each of them once.
  std::uint64_t look(const ValueTest& test, const std::byte* values, std::size_t each, std::uint64_t count, std::uint64_t place,
                     ValueMatches& found) const;

 private:
  struct Run;
  std::uint64_t look_at(const ValueTest& test, const Run& run, ValueMatches& found) const;
  std::uint64_t look_at_repeated(const ValueTest& test, const Run& run, ValueMatches& found) const;
  [[nodiscard]] bool can_change(const ValueMatches& found) const;
  void note(std::uint64_t index, ValueMatches& found) const;
  [[nodiscard]] std::uint64_t limit(const std::optional<std::uint64_t>& element) const;

  LayoutView layout_;
  const MemoryOrder& order_;
  std::uint64_t elements_;
  unsigned lanes_, unit_;
  std::uint64_t from_;
  bool has_next_;  // whether there is an element to search from
};

}  // namespace dlscope::core
