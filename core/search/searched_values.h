// What a search goes through, and what it tests, for each kind of element that a tensor can have. Pure functions; thread: any.
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/inventory/snapshot.h"
#include "core/search/value_search.h"
#include "core/search/value_test.h"
#include "core/statistics/statistics.h"

namespace dlscope::core {

// The tensor's numbers (tensor_values()); of dates and durations the counts that are stored, as int64. Other elements without a DLPack
// dtype are bytes, as many as their dtype has lanes. The tensor must have a layout.
[[nodiscard]] TensorValues searched_values(const Snapshot& snapshot, const TensorRecord& tensor);

// text: with `equal`, the value as the window writes it: a number (ValueTest::make()), a date, a duration or a text (typed_item.h). Of
// dates and durations NaT is the only special value. Fails in words where no value can be equal to it, or nothing of the sort is in such
// elements.
[[nodiscard]] Result<ValueTest> value_test(const Snapshot& snapshot, const TensorRecord& tensor, SearchedValue sought,
                                           std::string_view text = {});

}  // namespace dlscope::core
