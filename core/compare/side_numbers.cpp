#include "core/compare/side_numbers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "core/tensor/element.h"
#include "core/transfer/convert.h"

namespace dlscope::core {
namespace {

constexpr DType kFloat64{static_cast<std::uint8_t>(DTypeCode::float_), 64, 1};
constexpr DType kComplex128{static_cast<std::uint8_t>(DTypeCode::complex), 128, 1};

}  // namespace

bool SideNumbers::is_integer() const {
  return code() == DTypeCode::int_ || code() == DTypeCode::uint || code() == DTypeCode::bool_;
}

SideNumbers::SideNumbers(DType dtype) : dtype_{dtype.code, dtype.bits, 1}, bytes_((dtype.bits + 7u) / 8u) {
  if (dtype.bits > 8) return;
  for (unsigned bits = 0; bits < 256; ++bits) {
    const std::byte byte{static_cast<unsigned char>(bits)};
    const Value value = decode_element(dtype_, {&byte, 1}, 0);
    by_byte_.push_back(value.kind == ValueKind::real             ? value.real
                       : value.kind == ValueKind::signed_integer ? static_cast<double>(value.as_signed)
                       : value.kind == ValueKind::boolean        ? (value.as_unsigned != 0 ? 1 : 0)
                                                                 : static_cast<double>(value.as_unsigned));
  }
}

template <class Number>
void SideNumbers::read(const std::byte* values, std::uint32_t count, std::size_t parts, std::vector<Number>& out) const {
  if constexpr (std::is_same_v<Number, double>) {
    if (by_byte_.empty() && !is_wide() && (parts == 1 || is_complex())) {
      out.resize(count * parts);
      convert_elements(dtype_, values, parts == 1 ? kFloat64 : kComplex128, reinterpret_cast<std::byte*>(out.data()), count);
      return;
    }
  }
  out.assign(count * parts, 0);
  if (is_complex()) {
    std::array<double, std::size_t{2} * kMaxValues> numbers;
    convert_elements(dtype_, values, kComplex128, reinterpret_cast<std::byte*>(numbers.data()), count);
    std::copy_n(numbers.begin(), count * 2, out.begin());
    return;
  }
  if (is_wide()) {
    for (std::uint32_t i = 0; i < count; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, values + i * sizeof word, sizeof word);
      out[i * parts] =
          code() == DTypeCode::int_ ? static_cast<Number>(static_cast<std::int64_t>(word)) : static_cast<Number>(word);
    }
    return;
  }
  if (!by_byte_.empty()) {
    for (std::uint32_t i = 0; i < count; ++i)
      out[i * parts] = static_cast<Number>(by_byte_[std::to_integer<unsigned>(values[i])]);
    return;
  }
  std::array<double, kMaxValues> numbers;
  convert_elements(dtype_, values, kFloat64, reinterpret_cast<std::byte*>(numbers.data()), count);
  for (std::uint32_t i = 0; i < count; ++i) out[i * parts] = static_cast<Number>(numbers[i]);
}

template void SideNumbers::read<double>(const std::byte*, std::uint32_t, std::size_t, std::vector<double>&) const;
template void SideNumbers::read<long double>(const std::byte*, std::uint32_t, std::size_t, std::vector<long double>&) const;

}  // namespace dlscope::core
