// ValueTask: work on a tensor's values that may take longer than a frame: copying many, summing them, finding a special one.
// Requested by a view, done by a worker, answered to the view in a later frame.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "app/models/values/cell_range.h"
#include "app/models/values/value_copy.h"
#include "app/models/values/value_search.h"

namespace dlscope::app {

// The view that asked, and gets the answer.
enum class ValueAsker : std::uint8_t { values, heatmap };
enum class ValueTaskKind : std::uint8_t { copy, sum, search };

struct ValueTask {
  ValueTaskKind kind{};
  ValueAsker asker{};
  core::SnapshotPtr snapshot;
  std::uint32_t tensor = core::kNone32;
  AxisMapping mapping;                     // copy, sum
  CellRange range;                         // copy, sum
  std::shared_ptr<const KeptTable> kept;   // copy, sum: of these cells, not of what is in memory now
  bool as_stored = false;                  // copy, sum: as NumberFormat::as_stored
  CopyFormat format = CopyFormat::python;  // copy
  SpecialSearch search;                    // search
  std::uint64_t walk = 0;                  // search: which walk it is a step of (SpecialWalk)
};

struct ValueAnswer {
  ValueTask task;
  CopiedText copied;
  std::string sum;
  SpecialFound found;
  bool nobody = false;  // there is no process to read from any more
  bool silent = false;  // some of the memory does not answer in time
};

// thread: a worker. The tensor's values must be readable (why_no_values()). reader: null: there is no process to read from.
[[nodiscard]] ValueAnswer carry_out(const ValueTask& task, const core::MemoryReader* reader, const std::stop_token& stop);

}  // namespace dlscope::app
