// The clock of event times and deadlines: CLOCK_MONOTONIC, in nanoseconds, the same in every process of the machine.
#pragma once

#include <chrono>
#include <cstdint>

namespace dlscope::core {

[[nodiscard]] inline std::int64_t monotonic_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace dlscope::core
