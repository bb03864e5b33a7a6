// NaT of NumPy's datetime64 and timedelta64: the number that stands for a missing date or duration. Pure functions; thread: any.
#pragma once

#include <cstddef>
#include <span>

#include "core/inventory/snapshot.h"
#include "core/tensor/item_type.h"

namespace dlscope::app {

// The field of a tensor whose elements are single dates or durations; null: they are something else, be it records of such.
[[nodiscard]] const core::FieldLayout* time_field(const core::Snapshot& snapshot, const core::TensorRecord& tensor);
// item: the bytes of one element.
[[nodiscard]] bool is_not_a_time(const core::FieldLayout& field, std::span<const std::byte> item);
[[nodiscard]] const char* not_a_time_text();

}  // namespace dlscope::app
