// FindValueTask: a Task that searches all elements of a tensor for a value, counts the matches and finds the first ones. Reads
// memory once, in address order, so that a transposed tensor is searched as fast as a contiguous one. Uses bounded memory.
#pragma once

#include <cstdint>
#include <memory>

#include "core/elements/element_reader.h"
#include "core/elements/memory_order.h"
#include "core/inventory/snapshot.h"
#include "core/search/value_search.h"
#include "core/search/value_test.h"
#include "core/tasks/task.h"

namespace dlscope::core {

class FindValueTask final : public Task {
 public:
  // tensor: an id in the snapshot; it must have a layout, and `reader` must be able to read its memory. from: C-order index of
  // the element to search `next` from. The task keeps snapshot and reader alive.
  FindValueTask(SnapshotPtr snapshot, std::uint32_t tensor, std::shared_ptr<const MemoryReader> reader, ValueTest test,
                std::uint64_t from);
  FindValueTask(const FindValueTask&) = delete;  // members refer to each other
  FindValueTask& operator=(const FindValueTask&) = delete;

  [[nodiscard]] Result<State> step() override;
  [[nodiscard]] TaskProgress progress() const override;  // in bytes of memory
  // The matches in what has been searched so far.
  [[nodiscard]] const ValueMatches& found() const { return found_; }
  // True if found().next is final: memory order is element order, or all memory has been searched.
  [[nodiscard]] bool next_is_certain() const { return found_.next && (in_element_order_ || place_ == order_.places()); }
  // The most tests that the values searched so far took: each value at most two, whatever the order and however many match.
  [[nodiscard]] std::uint64_t tested() const { return tested_; }

 private:
  void search(const std::byte* values, std::uint64_t count, std::uint64_t place);
  void search_one_by_one(std::uint64_t to);
  void note_match(std::uint64_t place);

  SnapshotPtr snapshot_;
  std::shared_ptr<const MemoryReader> reader_;
  LayoutView layout_;
  std::uint64_t elements_;
  unsigned lanes_;
  ValueTest test_;
  std::uint64_t from_;
  MemoryOrder order_;
  ElementReader values_;
  bool in_element_order_;
  std::uint64_t place_ = 0;  // the next place to search
  std::uint64_t tested_ = 0;
  ValueMatches found_;
};

}  // namespace dlscope::core
