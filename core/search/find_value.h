// FindValueTask: looks for a value in all elements of a tensor and counts. A Task (core/tasks/task.h): step by step, bounded memory.
// Memory is read once, in the order in which it lies, so that a transposed tensor is searched as fast as any.
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
  // tensor: of the snapshot, has a layout in memory that `reader` reads. The task keeps snapshot and reader alive.
  FindValueTask(SnapshotPtr snapshot, std::uint32_t tensor, std::shared_ptr<const MemoryReader> reader, ValueTest test,
                std::uint64_t from);
  FindValueTask(const FindValueTask&) = delete;  // its parts refer to one another
  FindValueTask& operator=(const FindValueTask&) = delete;

  [[nodiscard]] Result<State> step() override;
  [[nodiscard]] TaskProgress progress() const override;  // bytes of memory
  // Of what was searched so far.
  [[nodiscard]] const ValueMatches& found() const { return found_; }
  // found().next will not change any more: memory is met in the order of the elements, or all of it was.
  [[nodiscard]] bool next_is_certain() const { return found_.next && (in_element_order_ || place_ == order_.places()); }

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
  std::uint64_t place_ = 0;  // the next to be searched
  ValueMatches found_;
};

}  // namespace dlscope::core
