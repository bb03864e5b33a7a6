// NaT ("not a time"): how a missing date or duration is stored.
#pragma once

#include <cstdint>
#include <limits>

namespace dlscope::core {

inline constexpr std::int64_t kNotATime = std::numeric_limits<std::int64_t>::min();  // the count of units, in every unit

}  // namespace dlscope::core
