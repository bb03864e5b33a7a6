#include "core/transfer/packed_numbers.h"

#include <algorithm>
#include <cstdint>

#include "core/transfer/narrow_float.h"

namespace dlscope::core {
namespace {

// How many numbers fill a whole number of bytes, and which.
struct Group {
  std::size_t numbers = 0, bytes = 0;
};
constexpr Group group_of(unsigned bits) { return bits == 4 ? Group{2, 1} : Group{4, 3}; }

template <unsigned kBits>
void unpack_group(const std::byte* from, std::size_t bytes, std::byte* to, std::size_t numbers) {
  std::uint32_t all = 0;
  for (std::size_t b = 0; b < bytes; ++b) all |= std::to_integer<std::uint32_t>(from[b]) << (8 * b);
  for (std::size_t i = 0; i < numbers; ++i) to[i] = static_cast<std::byte>(all >> (kBits * i) & ((1U << kBits) - 1));
}

template <unsigned kBits>
void unpack_bits(const std::byte* from, std::byte* to, std::size_t count) {
  constexpr Group group = group_of(kBits);
  for (; count >= group.numbers; count -= group.numbers, from += group.bytes, to += group.numbers)
    unpack_group<kBits>(from, group.bytes, to, group.numbers);
  unpack_group<kBits>(from, (count * kBits + 7) / 8, to, count);
}

template <unsigned kBits>
void pack_bits(const std::byte* from, std::byte* to, std::size_t count) {
  constexpr Group group = group_of(kBits);
  const auto packed = [&](std::size_t numbers) {
    std::uint32_t all = 0;
    for (std::size_t i = 0; i < numbers; ++i) all |= std::to_integer<std::uint32_t>(from[i]) << (kBits * i);
    return all;
  };
  for (; count >= group.numbers; count -= group.numbers, from += group.numbers, to += group.bytes) {
    const std::uint32_t all = packed(group.numbers);
    for (std::size_t b = 0; b < group.bytes; ++b) to[b] = static_cast<std::byte>(all >> (8 * b));
  }
  const std::uint32_t rest = packed(count), mask = (1U << (kBits * count)) - 1;
  for (std::size_t b = 0; 8 * b < kBits * count; ++b) {
    const auto kept = to[b] & static_cast<std::byte>(~(mask >> (8 * b)));
    to[b] = kept | static_cast<std::byte>(rest >> (8 * b));
  }
}

}  // namespace

bool is_packed_number(DType dtype) {
  const auto code = static_cast<DTypeCode>(dtype.code);
  const bool is_integer = code == DTypeCode::int_ || code == DTypeCode::uint;
  return dtype.lanes == 1 && (dtype.bits == 4 || dtype.bits == 6) &&
         (is_integer ? dtype.bits == 4 : narrow_float(dtype) != nullptr);
}

void unpack_numbers(DType dtype, const std::byte* from, std::byte* to, std::size_t count) {
  dtype.bits == 4 ? unpack_bits<4>(from, to, count) : unpack_bits<6>(from, to, count);
  const auto code = static_cast<DTypeCode>(dtype.code);
  if (code == DTypeCode::uint) return;
  const unsigned sign = 1U << (dtype.bits - 1), up = 8U - dtype.bits;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = std::to_integer<unsigned>(to[i]);
    to[i] = static_cast<std::byte>(code == DTypeCode::int_ ? (bits ^ sign) - sign : (bits & (sign - 1)) | (bits & sign) << up);
  }
}

void pack_numbers(DType dtype, std::byte* numbers, std::byte* to, std::size_t count) {
  const auto code = static_cast<DTypeCode>(dtype.code);
  const unsigned sign = 1U << (dtype.bits - 1), down = 8U - dtype.bits;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = std::to_integer<unsigned>(numbers[i]);
    if (code == DTypeCode::int_) {
      const int fits = std::clamp<int>(static_cast<std::int8_t>(bits), -static_cast<int>(sign), static_cast<int>(sign) - 1);
      numbers[i] = static_cast<std::byte>(static_cast<unsigned>(fits) & (2 * sign - 1));
    } else if (code == DTypeCode::uint) {
      numbers[i] = static_cast<std::byte>(std::min(bits, 2 * sign - 1));
    } else {
      numbers[i] = static_cast<std::byte>((bits & (sign - 1)) | (bits >> down & sign));
    }
  }
  dtype.bits == 4 ? pack_bits<4>(numbers, to, count) : pack_bits<6>(numbers, to, count);
}

}  // namespace dlscope::core
