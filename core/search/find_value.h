// FindValueTask: looks for a value in all elements of a tensor, in C order, and counts. A Task (core/tasks/task.h): step by step,
// bounded memory, reads each element once, through MemoryReader.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/elements/index_order_reader.h"
#include "core/search/value_search.h"
#include "core/search/value_test.h"
#include "core/inventory/snapshot.h"
#include "core/tasks/task.h"

namespace dlscope::core {

class FindValueTask final : public Task {
 public:
  // tensor: of the snapshot, has a layout in readable host memory. The task keeps snapshot and reader alive.
  FindValueTask(SnapshotPtr snapshot, std::uint32_t tensor, std::shared_ptr<const MemoryReader> reader, ValueTest test,
                std::uint64_t from);

  [[nodiscard]] Result<State> step() override;
  [[nodiscard]] TaskProgress progress() const override;  // bytes
  // Of the elements searched so far.
  [[nodiscard]] const ValueMatches& found() const { return found_; }

 private:
  void search_pieces(std::uint64_t first, std::uint64_t count);
  void note_match(std::uint64_t element, std::uint64_t matches);

  SnapshotPtr snapshot_;
  const TensorRecord& tensor_;
  std::shared_ptr<const MemoryReader> reader_;
  ValueTest test_;
  IndexOrderReader elements_;
  ElementPieces pieces_;
  std::uint64_t from_;
  ValueMatches found_;
};

}  // namespace dlscope::core
