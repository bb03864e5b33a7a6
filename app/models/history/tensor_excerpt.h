// TensorExcerpt: one tensor of a kept moment, or two, as a snapshot of their own: what they are and how they relate, as in the
// moment's.
// thread: a worker; immutable once made.
#pragma once

#include <cstdint>

#include "app/models/history/moment_reader.h"
#include "app/models/history/remembered_tensors.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

struct TensorExcerpt {
  // Names, layout, dtype, remarks without their messages, and the pair where it is listed. Not: who made them, groups, frames,
  // refusals.
  core::SnapshotPtr snapshot;
  std::uint32_t tensor = core::kNone32, other = core::kNone32;  // ids in `snapshot`; other: kNone32 there is none
};

// tensor, other: ids in that moment. other may be the same tensor, or kNone32.
[[nodiscard]] TensorExcerpt excerpt_of(const MomentReader& moment, std::uint32_t tensor, std::uint32_t other);

// What was remembered of `tensor`, under its id in an excerpt. Null: nothing.
[[nodiscard]] RememberedMomentPtr remembered_excerpt(const RememberedMomentPtr& kept, std::uint32_t tensor, std::uint32_t id);

// The tensor of the moment that has the first of these names which is known there; kNone32: none is.
// likely: where it is looked for first, ids in any order.
[[nodiscard]] std::uint32_t find_by_name(const MomentReader& moment, const core::Snapshot& from, const core::TensorRecord& tensor,
                                         std::span<const std::uint32_t> likely);

}  // namespace dlscope::app
