// The inner loops of conversions, compiled once per instruction set and chosen at run time. Those between two narrow types go by
// way of float32, or of float64 where that would round twice. In the default floating-point environment they give the same bits
// as convert_one_by_one() (core/transfer/convert.h).
// thread: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/transfer/narrow_float.h"

namespace dlscope::core {

enum class NumberKind : std::uint8_t {
  boolean, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float8, float16, bfloat16, float32, float64
};
inline constexpr std::size_t kNumberKinds = 14;

// Converts `count` contiguous numbers. format: that of the narrow float which is read or written.
using ConvertLoop = void (*)(const std::byte* from, std::byte* to, std::size_t count, const NarrowFloat* format);

// Indexed by NumberKind; nullptr where there is no loop.
struct ConvertKernels {
  const char* name = "";
  std::array<ConvertLoop, kNumberKinds> to_float{};
  std::array<ConvertLoop, kNumberKinds> from_float{};
  std::array<ConvertLoop, kNumberKinds> to_double{};
  // Rounded to odd, so that rounding to a narrow float afterwards gives the same as rounding once: an integer to float64, and
  // float64 to float32.
  std::array<ConvertLoop, kNumberKinds> to_odd_double{};
  ConvertLoop to_odd_float = nullptr;
  // [from][to]: from bool, integers, float32 and float64 to bool and integers.
  std::array<std::array<ConvertLoop, kNumberKinds>, kNumberKinds> to_integer{};
};

// The versions that this machine can run, the fastest last. Never empty.
[[nodiscard]] std::span<const ConvertKernels* const> all_convert_kernels();
[[nodiscard]] inline const ConvertKernels& convert_kernels() { return *all_convert_kernels().back(); }

}  // namespace dlscope::core
