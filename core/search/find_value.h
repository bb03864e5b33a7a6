// FindValueTask: a Task that searches all elements of a tensor for a value, counts the matches and finds the first ones. Reads
// memory once, in address order, so that a transposed tensor is searched as fast as a contiguous one; by several threads where that is of
// use, which does not change the answer. Uses bounded memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "core/elements/element_reader.h"
#include "core/elements/memory_order.h"
#include "core/inventory/snapshot.h"
#include "core/search/first_matches.h"
#include "core/search/searched_values.h"
#include "core/search/value_search.h"
#include "core/search/value_test.h"
#include "core/tasks/task.h"

namespace dlscope::core {

class FindValueTask final : public Task {
 public:
  // tensor: an id in the snapshot; it must have a layout, and `reader` must be able to read its memory. from: C-order index of
  // the element to search `next` from. threads: that a step may use; 0: as many as are of use. The task keeps snapshot and reader alive.
  // test: of searched_values(), as value_test() makes it; one of an item (ValueTest::of_item()) is of the tensor's item size.
  FindValueTask(SnapshotPtr snapshot, std::uint32_t tensor, std::shared_ptr<const MemoryReader> reader, ValueTest test,
                std::uint64_t from, unsigned threads = 0);
  FindValueTask(const FindValueTask&) = delete;  // members refer to each other
  FindValueTask& operator=(const FindValueTask&) = delete;

  [[nodiscard]] Result<State> step() override;
  [[nodiscard]] TaskProgress progress() const override;  // in bytes of memory
  // The matches in what has been searched so far.
  [[nodiscard]] ValueMatches found() const;
  // True if found().next is final: memory order is element order and nothing in front of it is left, or all memory has been searched.
  [[nodiscard]] bool next_is_certain() const;
  // The most tests that the values searched so far took: each value at most two, whatever the order and however many match.
  [[nodiscard]] std::uint64_t tested() const;

 private:
  struct Places {
    std::uint64_t from = 0, to = 0;
  };
  // What one thread has of its own.
  struct Worker {
    ElementReader values;
    ValueMatches found;
    std::uint64_t tested = 0;
  };
  void work(Worker& worker, std::int64_t ends);
  [[nodiscard]] Result<void> search_left(std::int64_t ends);
  void search(Worker& worker, const ElementReader::Window& window, std::uint64_t place) const;
  void search_one_by_one(Worker& worker, Places& places) const;

  SnapshotPtr snapshot_;
  std::shared_ptr<const MemoryReader> reader_;
  TensorValues values_;
  unsigned unit_;  // places that are tested together: 1, or the bytes of an item without a DLPack dtype
  ValueTest test_;
  MemoryOrder order_;
  FirstMatches first_;
  bool in_element_order_;
  unsigned threads_;
  std::uint64_t window_;           // values read at once, if they can be: a chunk
  std::uint64_t chunks_;           // each searched by one thread
  std::deque<Worker> workers_;     // the first one is the calling thread's
  std::atomic<std::uint64_t> next_ = 0;  // chunk
  std::atomic<std::uint64_t> done_ = 0;  // places
  std::atomic<bool> stopped_ = false;    // something could not be read
  std::mutex leaving_;                   // left_, while there are several threads
  std::vector<Places> left_;  // where something could not be read: of begun chunks, what is still to be searched, by one thread
};

}  // namespace dlscope::core
