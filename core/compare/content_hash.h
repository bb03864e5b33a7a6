// A hash of what a tensor holds that can be added up in any order: each value contributes a number that depends on its bits and its
// index alone, so that the same content has the same hash in every layout, and any number of threads finds it. thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/tensor/dtype.h"

namespace dlscope::core {

// The sum over `count` values of `value_bytes` each, the first of which has the index `index`, every next one `step` more.
[[nodiscard]] std::uint64_t hash_of_values(const std::byte* values, std::size_t value_bytes, std::uint64_t count,
                                           std::uint64_t index, std::int64_t step);
// The same by plain arithmetic, for tests and for what is left over.
[[nodiscard]] std::uint64_t plain_hash_of_values(const std::byte* values, std::size_t value_bytes, std::uint64_t count,
                                                 std::uint64_t index, std::int64_t step);
// The hash of a tensor, whose values add up to `sum`.
[[nodiscard]] std::uint64_t content_hash(std::uint64_t sum, DType dtype, std::span<const std::int64_t> shape);

}  // namespace dlscope::core
