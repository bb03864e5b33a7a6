// A hash of a tensor's content that does not depend on its layout or on the number of threads: a sum of one term per value, and
// each term depends only on the value's bits and index. thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/compare/compare_kernels.h"
#include "core/tensor/dtype.h"

namespace dlscope::core {

// The sum of the terms of `count` values of `value_bytes` each. Value i has the index `index` + i * step.
[[nodiscard]] std::uint64_t hash_of_values(const std::byte* values, std::size_t value_bytes, std::uint64_t count,
                                           std::uint64_t index, std::int64_t step);
// The same without vector loops: for tests, and for the values that do not fill a vector.
[[nodiscard]] std::uint64_t plain_hash_of_values(const std::byte* values, std::size_t value_bytes, std::uint64_t count,
                                                 std::uint64_t index, std::int64_t step);
// Hashes values of A from the front, compares them with B's and, if `nan` is not null, counts patterns of `pattern_bytes` in its range.
// EqualWords::taken is how many values that are: most of them, or 0 where their words are not side by side.
[[nodiscard]] EqualWords hash_and_compare(const std::byte* a, const std::byte* b, std::size_t value_bytes, std::uint64_t count,
                                          std::uint64_t index, std::int64_t step, const PatternRange* nan, std::size_t pattern_bytes);
// The hash of a tensor. sum: hash_of_values() over all of its values.
[[nodiscard]] std::uint64_t content_hash(std::uint64_t sum, DType dtype, std::span<const std::int64_t> shape);

}  // namespace dlscope::core
