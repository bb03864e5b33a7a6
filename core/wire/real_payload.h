// A double in a message: its bits, so that a NaN's are kept, too.
#pragma once

#include <bit>
#include <cstdint>

#include "core/wire/payload.h"

namespace dlscope::core::wire {

inline void put_real(PayloadWriter& out, double value) { out.number(std::bit_cast<std::uint64_t>(value)); }
[[nodiscard]] inline double get_real(PayloadReader& in) { return std::bit_cast<double>(in.number<std::uint64_t>()); }

}  // namespace dlscope::core::wire
