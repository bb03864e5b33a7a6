// Conversions without vector loops: each number by itself, by way of the widest type of its kind.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/float_environment.h"
#include "core/tensor/element.h"
#include "core/transfer/convert.h"
#include "core/transfer/narrow_float.h"
#include "core/transfer/number_dtypes.h"

namespace dlscope::core {
namespace {

// Elements are first read into a block of the widest type of their
// kind, so that there is one loop per dtype and not one per pair.
constexpr std::size_t kBlock = 1024;
enum class Kind : std::uint8_t { signed_, unsigned_, real };
union Block {
  std::array<std::int64_t, kBlock> as_signed;
  std::array<std::uint64_t, kBlock> as_unsigned;
  std::array<double, kBlock> real;
};

Kind kind_of(DType dtype) {
  if (code_of(dtype) == DTypeCode::int_) return Kind::signed_;
  return code_of(dtype) == DTypeCode::uint || is_bool(dtype) ? Kind::unsigned_ : Kind::real;
}

// ---- Narrow floats -----------------------------------------------------------------------------------------------------

// Rounds to nearest, ties to even. Subnormal doubles become 0, because they are nearer to 0 than to any other narrow float.
std::uint32_t encode(double value, const NarrowFloat& f) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << (f.bits - 1);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  constexpr std::uint64_t kInfinity = std::uint64_t{0x7ff} << 52;
  if (magnitude > kInfinity) return f.nan;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023, lowest = 1 - f.bias;
  const unsigned dropped = 52 - f.mantissa_bits + static_cast<unsigned>(std::max(0, lowest - exponent));
  std::uint64_t rounded = 0;
  if (magnitude >> 52 != 0 && dropped < 64) {
    const std::uint64_t mantissa = (magnitude & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52;
    rounded = mantissa >> dropped;
    const std::uint64_t rest = mantissa & ((std::uint64_t{1} << dropped) - 1), half = std::uint64_t{1} << (dropped - 1);
    if (rest > half || (rest == half && (rounded & 1) != 0)) ++rounded;
  }
  // A mantissa that is rounded up to the next power of two carries into the exponent, which is then correct.
  const std::uint64_t code =
      (static_cast<std::uint64_t>(std::max(exponent, lowest) - lowest) << f.mantissa_bits) + rounded;
  if (magnitude != kInfinity && code <= f.largest)
    return code == 0 && !f.has_negative_zero ? 0 : sign | static_cast<std::uint32_t>(code);
  if (f.overflow == Overflow::nan) return f.nan;
  return sign | (f.largest + (f.overflow == Overflow::infinity ? 1 : 0));
}

// Table of all values of a type of at most 16 bits, indexed by bit pattern.
const std::vector<double>& values_of(DType dtype) {
  static std::mutex mutex;
  static std::map<std::uint32_t, std::vector<double>> tables;
  const std::lock_guard lock(mutex);
  std::vector<double>& table = tables[dtype.code * 256u + dtype.bits];
  if (!table.empty()) return table;
  for (std::uint32_t bits = 0; bits < 1u << dtype.bits; ++bits) {
    std::array<std::byte, 4> bytes{};
    std::memcpy(bytes.data(), &bits, sizeof bits);
    table.push_back(decode_element(dtype, bytes, 0).real);
  }
  return table;
}

// ---- Reading -----------------------------------------------------------------------------------------------------------

template <class T, class Out>
void widen(const std::byte* source, std::uint64_t first, std::size_t count, Out& out) {
  for (std::size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, source + (first + i) * sizeof(T), sizeof value);
    out[i] = static_cast<typename Out::value_type>(value);
  }
}

std::uint32_t bits_at(const std::byte* source, std::uint64_t index, unsigned width) {
  const std::uint64_t bit = index * width;
  std::uint32_t bits = std::to_integer<std::uint32_t>(source[bit / 8]);
  if (bit % 8 + width > 8) bits |= std::to_integer<std::uint32_t>(source[bit / 8 + 1]) << 8;
  return bits >> (bit % 8) & ((1u << width) - 1);
}

void read_integers(DType dtype, const std::byte* source, std::uint64_t first, std::size_t count, Block& out) {
  const bool is_signed = code_of(dtype) == DTypeCode::int_;
  switch (dtype.bits) {
    case 8:
      return is_signed ? widen<std::int8_t>(source, first, count, out.as_signed)
                       : widen<std::uint8_t>(source, first, count, out.as_unsigned);
    case 16:
      return is_signed ? widen<std::int16_t>(source, first, count, out.as_signed)
                       : widen<std::uint16_t>(source, first, count, out.as_unsigned);
    case 32:
      return is_signed ? widen<std::int32_t>(source, first, count, out.as_signed)
                       : widen<std::uint32_t>(source, first, count, out.as_unsigned);
    case 64:
      return is_signed ? widen<std::int64_t>(source, first, count, out.as_signed)
                       : widen<std::uint64_t>(source, first, count, out.as_unsigned);
    default:
      break;
  }
  const std::uint32_t sign = 1u << (dtype.bits - 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = bits_at(source, first + i, dtype.bits);
    if (is_signed) {
      out.as_signed[i] = static_cast<std::int64_t>(bits ^ sign) - static_cast<std::int64_t>(sign);
    } else {
      out.as_unsigned[i] = bits;
    }
  }
}

void read_floats(DType dtype, const std::byte* source, std::uint64_t first, std::size_t count, Block& out) {
  if (code_of(dtype) == DTypeCode::float_ && dtype.bits == 64) return widen<double>(source, first, count, out.real);
  if (code_of(dtype) == DTypeCode::float_ && dtype.bits == 32) return widen<float>(source, first, count, out.real);
  const std::vector<double>& values = values_of(dtype);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t bits = 0;
    if (dtype.bits == 16) {
      std::memcpy(&bits, source + (first + i) * 2, sizeof bits);
    } else {
      bits = static_cast<std::uint16_t>(bits_at(source, first + i, dtype.bits));
    }
    out.real[i] = values[bits];
  }
}

void read(DType dtype, const std::byte* source, std::uint64_t first, std::size_t count, Block& out) {
  if (is_integer(dtype)) return read_integers(dtype, source, first, count, out);
  if (!is_bool(dtype)) return read_floats(dtype, source, first, count, out);
  for (std::size_t i = 0; i < count; ++i) out.as_unsigned[i] = source[first + i] != std::byte{0} ? 1 : 0;
}

// ---- Between the kinds -----------------------------------------------------------------------------------------------

// A double that rounds to any narrower float as the integer itself would: if bits are lost, its lowest bit is set (round to odd).
double to_odd(std::uint64_t magnitude) {
  if (magnitude >> 53 != 0) magnitude = (magnitude >> 11 | ((magnitude & 0x7ff) != 0 ? 1 : 0)) << 11;
  return static_cast<double>(magnitude);
}

void make_real(Kind kind, DType target, std::size_t count, Block& block) {
  const bool is_double = target.bits == 64;
  for (std::size_t i = 0; i < count; ++i) {
    if (kind == Kind::unsigned_) {
      const std::uint64_t value = block.as_unsigned[i];
      block.real[i] = is_double ? static_cast<double>(value) : to_odd(value);
    } else {
      const std::int64_t value = block.as_signed[i];
      const double magnitude =
          to_odd(value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value));
      block.real[i] = is_double ? static_cast<double>(value) : value < 0 ? -magnitude : magnitude;
    }
  }
}

// The value rounded towards zero and clamped to the target's range.
template <class Integer>
Integer saturated(double value, Integer low, Integer high) {
  if (!(value == value)) return 0;
  if (value <= static_cast<double>(low)) return low;
  if (value >= static_cast<double>(high)) return high;
  return static_cast<Integer>(value);
}

// ---- Writing -----------------------------------------------------------------------------------------------------------

void put_bits(std::byte* target, std::uint64_t index, unsigned width, std::uint64_t bits) {
  const std::uint64_t bit = index * width;
  for (unsigned done = 0; done < width;) {
    const unsigned at = static_cast<unsigned>((bit + done) % 8), n = std::min(width - done, 8 - at);
    const unsigned mask = ((1u << n) - 1) << at;
    std::byte& byte = target[(bit + done) / 8];
    byte = static_cast<std::byte>((std::to_integer<unsigned>(byte) & ~mask) | (static_cast<unsigned>(bits >> done) << at & mask));
    done += n;
  }
}

void put(std::byte* target, std::uint64_t index, unsigned width, std::uint64_t bits) {
  if (width % 8 != 0) return put_bits(target, index, width, bits);
  std::memcpy(target + index * (width / 8), &bits, width / 8);
}

void write_integers(DType dtype, Kind kind, const Block& block, std::byte* target, std::uint64_t first, std::size_t count) {
  const bool to_signed = code_of(dtype) == DTypeCode::int_;
  const unsigned width = dtype.bits;
  const std::int64_t high = static_cast<std::int64_t>((std::uint64_t{1} << (width - 1)) - 1), low = -high - 1;
  const std::uint64_t most = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    if (kind == Kind::real) {
      bits = to_signed ? static_cast<std::uint64_t>(saturated(block.real[i], low, high))
                       : saturated(block.real[i], std::uint64_t{0}, most);
    } else if (kind == Kind::signed_) {
      const std::int64_t value = block.as_signed[i];
      bits = to_signed   ? static_cast<std::uint64_t>(std::clamp(value, low, high))
             : value < 0 ? 0
                         : std::min(static_cast<std::uint64_t>(value), most);
    } else {
      bits = std::min(block.as_unsigned[i], to_signed ? static_cast<std::uint64_t>(high) : most);
    }
    put(target, first + i, width, bits);
  }
}

void write_floats(DType dtype, const Block& block, std::byte* target, std::uint64_t first, std::size_t count) {
  if (code_of(dtype) == DTypeCode::float_ && dtype.bits == 64) {
    std::memcpy(target + first * 8, block.real.data(), count * 8);
  } else if (code_of(dtype) == DTypeCode::float_ && dtype.bits == 32) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = static_cast<float>(block.real[i]);
      std::memcpy(target + (first + i) * 4, &value, sizeof value);
    }
  } else {
    const NarrowFloat& format = *narrow_float(dtype);
    for (std::size_t i = 0; i < count; ++i) put(target, first + i, format.bits, encode(block.real[i], format));
  }
}

void write(DType dtype, Kind kind, Block& block, std::byte* target, std::uint64_t first, std::size_t count) {
  if (is_bool(dtype)) {
    for (std::size_t i = 0; i < count; ++i)
      target[first + i] =
          std::byte{static_cast<unsigned char>(kind == Kind::real ? block.real[i] != 0 : block.as_unsigned[i] != 0)};
  } else if (is_integer(dtype)) {
    write_integers(dtype, kind, block, target, first, count);
  } else {
    if (kind != Kind::real) make_real(kind, dtype, count, block);
    write_floats(dtype, block, target, first, count);
  }
}

// Inserts an imaginary 0 after every element, in place, starting from the end.
void make_complex(std::size_t count, Block& block) {
  for (std::size_t i = count; i-- > 0;) {
    block.real[2 * i] = block.real[i];
    block.real[2 * i + 1] = 0;
  }
}

}  // namespace

void convert_one_by_one(DType from, const std::byte* source, DType to, std::byte* target, std::uint64_t count) {
  const DefaultFloatEnvironment environment;
  const DType from_part = part_of(from), to_part = part_of(to);
  const bool grows = is_complex(to) && !is_complex(from);
  if (is_complex(from)) count *= 2;
  const auto block = std::make_unique<Block>();
  const std::size_t at_once = grows ? kBlock / 2 : kBlock;
  for (std::uint64_t first = 0; first < count; first += at_once) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(at_once, count - first));
    read(from_part, source, first, n, *block);
    if (!grows) {
      write(to_part, kind_of(from), *block, target, first, n);
      continue;
    }
    if (kind_of(from) != Kind::real) make_real(kind_of(from), to_part, n, *block);
    make_complex(n, *block);
    write(to_part, Kind::real, *block, target, 2 * first, 2 * n);
  }
}

}  // namespace dlscope::core
