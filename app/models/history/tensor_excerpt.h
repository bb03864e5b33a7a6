// TensorExcerpt: one tensor of a kept moment, or two, as a small snapshot: their records and their relation are those of the
// moment.
// thread: a worker; immutable once made.
#pragma once

#include <cstdint>

#include "app/models/history/moment_reader.h"
#include "app/models/history/remembered_tensors.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

struct TensorExcerpt {
  // Has names, layout, dtype, remarks without their messages, what the CUDA driver says, why the analysis of sharing is
  // incomplete, and the pair where it is listed; not: producers, frames, refusals, the members of groups.
  core::SnapshotPtr snapshot;
  std::uint32_t tensor = core::kNone32, other = core::kNone32;  // ids in `snapshot`; other: kNone32 when there is none
};

// tensor, other: ids in that moment. other may be the same tensor, or kNone32.
[[nodiscard]] TensorExcerpt excerpt_of(const MomentReader& moment, std::uint32_t tensor, std::uint32_t other);

// The remembered content of `tensor`, under its id in an excerpt. Null: none.
[[nodiscard]] RememberedMomentPtr remembered_excerpt(const RememberedMomentPtr& kept, std::uint32_t tensor, std::uint32_t id);

// The moment's tensor with the first of these names that exists there; kNone32: none does. likely: ids to try first, in any
// order.
[[nodiscard]] std::uint32_t find_by_name(const MomentReader& moment, const core::Snapshot& from, const core::TensorRecord& tensor,
                                         std::span<const std::uint32_t> likely);

}  // namespace dlscope::app
