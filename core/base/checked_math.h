// Integer arithmetic that returns nullopt on overflow. Used for every
// product or sum of numbers from outside (foreign structs, files, messages).
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

namespace dlscope::core {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

template <std::integral T>
[[nodiscard]] constexpr std::optional<T> checked_mul(T a, T b) {
  T out{};
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

// Rounds towards minus infinity; divisor > 0.
[[nodiscard]] constexpr std::int64_t floor_div(std::int64_t value, std::int64_t divisor) {
  const std::int64_t q = value / divisor;
  return q - ((value % divisor != 0 && value < 0) ? 1 : 0);
}

// Rounds towards plus infinity; divisor > 0, value is not the lowest int64.
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t value, std::int64_t divisor) { return -floor_div(-value, divisor); }

}  // namespace dlscope::core
