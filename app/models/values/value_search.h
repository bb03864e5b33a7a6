// Finds the next value that is not an ordinary number: by default NaN, an infinity, a bool that is neither 0 nor 1. Reads elements
// in C order in bounded pieces: for a worker.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "core/inventory/snapshot.h"
#include "core/memory/memory_reader.h"
#include "core/search/value_search.h"

namespace dlscope::app {

struct SpecialSearch {
  std::uint64_t from = 0;  // the first element to test
  bool forward = true;
  std::uint64_t most = 0;  // how many elements to test
  core::SearchedValue sought = core::SearchedValue::non_finite;
};
struct SpecialFound {
  std::optional<std::uint64_t> element;
  std::uint64_t searched = 0;
  std::uint64_t unreadable = 0;
  std::optional<std::uint64_t> next;  // where to continue; nullopt: the end was reached
};
// The tensor's values must be readable (why_no_values()), and `from` must be one of its elements.
[[nodiscard]] SpecialFound find_special(const core::Snapshot& snapshot, const core::TensorRecord& tensor, SpecialSearch search,
                                        const core::MemoryReader& reader, const std::stop_token& stop = {});

}  // namespace dlscope::app
