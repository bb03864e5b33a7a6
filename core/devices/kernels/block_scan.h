// The kernel that summarises blocks of numbers on the device: for each block the partial results that core/statistics needs, and
// the histogram bins over all blocks. A thread block handles a block of values; each thread takes every kScanThreads-th value,
// and the threads' results are combined pairwise in a fixed order. All arithmetic is in double without fused multiply-add, so
// that device and host get the same bits.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/devices/kernels/on_both.h"

namespace dlscope::core::kernels {

inline constexpr unsigned kScanThreads = 256;
inline constexpr int kMaxScanAxes = 65;  // the most axes of a MemoryOrder
inline constexpr int kScanBins = 256;

enum class ScanType : std::int32_t { f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean };

// The kernel's argument, passed by value. A place is a value's number in the order of memory (MemoryOrder).
struct BlockScan {
  std::uint64_t base = 0;         // address; `step` counts from it
  std::uint64_t first_place = 0;  // of the first block
  std::uint64_t places = 0;       // values in all blocks
  std::uint64_t blocks = 0;
  std::uint64_t answers = 0;      // address of `blocks` BlockAnswers
  std::uint64_t bins = 0;         // address of a BinCounts to add to; 0: none
  std::uint64_t codes = 0;        // address of 2^bits counters of bit patterns, for values of 8 or 16 bits; 0: none
  std::uint32_t block_values = 0;
  ScanType type = ScanType::f32;
  double low = 0, high = 0, scale = 0, unit = 1;  // of BinScale
  std::int32_t axes = 0;                          // innermost first
  std::uint64_t count[kMaxScanAxes] = {};
  std::int64_t step[kMaxScanAxes] = {};  // bytes
};
static_assert(sizeof(BlockScan) < 4096);

struct BinCounts {
  std::uint64_t bins[kScanBins], below, above;
};

// The result of a block. Unsigned integers are stored less 2^(bits - 1), as in core/statistics.
struct BlockAnswer {
  double shift = 0, sum = 0, squares = 0;        // sums of x - shift and of its square
  double min = 0, max = 0;                       // floats
  std::int64_t int_min = 0, int_max = 0, int_shift = 0, int_sum = 0;
  std::uint32_t negative = 0, zero = 0, subnormal = 0;
  std::uint32_t special = 0;  // NaN and infinities
  // 1: all members are exact enough and the block has been added to the bins or codes (with codes it only means that no value is
  // special). 0: the caller must read and summarise the values itself.
  std::uint32_t plain = 0;
  std::uint32_t unused = 0;
};

DLSCOPE_ON_BOTH inline bool is_float(ScanType type) { return type <= ScanType::f64; }
DLSCOPE_ON_BOTH inline bool is_unsigned(ScanType type) { return type >= ScanType::u8; }  // False and True count as 0 and 1
DLSCOPE_ON_BOTH inline unsigned bytes_of(ScanType type) {
  switch (type) {
    case ScanType::f64:
    case ScanType::i64:
    case ScanType::u64:
      return 8;
    case ScanType::f32:
    case ScanType::i32:
    case ScanType::u32:
      return 4;
    case ScanType::f16:
    case ScanType::bf16:
    case ScanType::i16:
    case ScanType::u16:
      return 2;
    default:
      return 1;
  }
}

// Bytes from `base` to the value at this place.
DLSCOPE_ON_BOTH inline std::int64_t offset_of_place(const BlockScan& scan, std::uint64_t place) {
  if (scan.axes == 1) return static_cast<std::int64_t>(place) * scan.step[0];
  std::int64_t offset = 0;
  for (std::int32_t axis = 0; axis < scan.axes; ++axis) {
    const std::uint64_t next = place / scan.count[axis];
    offset += static_cast<std::int64_t>(place - next * scan.count[axis]) * scan.step[axis];
    place = next;
  }
  return offset;
}

// A decoded value.
struct Scanned {
  double real = 0;
  std::int64_t integer = 0;
  bool special = false, subnormal = false;
};

DLSCOPE_ON_BOTH inline double double_of_bits(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

// Decodes an IEEE 754 number of up to 64 bits and widens it to double exactly.
DLSCOPE_ON_BOTH inline Scanned scanned_float(std::uint64_t bits, int exponent_bits, int fraction_bits) {
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  const int most = (1 << exponent_bits) - 1;
  const int exponent = static_cast<int>(bits >> fraction_bits) & most;
  const std::uint64_t sign = bits >> (exponent_bits + fraction_bits) << 63;
  Scanned out;
  out.special = exponent == most;
  out.subnormal = exponent == 0 && fraction != 0;
  if (exponent_bits == 11) {
    out.real = double_of_bits(bits);
  } else if (exponent != 0) {
    const auto wide = static_cast<std::uint64_t>(exponent - (most >> 1) + 1023);
    out.real = double_of_bits(sign | wide << 52 | fraction << (52 - fraction_bits));
  } else {  // zero, or `fraction` units of the smallest number
    const auto unit = static_cast<std::uint64_t>(1 - (most >> 1) - fraction_bits + 1023);
    const double size = static_cast<double>(fraction) * double_of_bits(unit << 52);
    out.real = sign != 0 ? -size : size;
  }
  return out;
}

DLSCOPE_ON_BOTH inline Scanned scanned(ScanType type, std::uint64_t bits) {
  switch (type) {
    case ScanType::f16:
      return scanned_float(bits, 5, 10);
    case ScanType::bf16:
      return scanned_float(bits, 8, 7);
    case ScanType::f32:
      return scanned_float(bits, 8, 23);
    case ScanType::f64:
      return scanned_float(bits, 11, 52);
    default:
      break;
  }
  const unsigned width = 8 * bytes_of(type);
  const std::uint64_t half = std::uint64_t{1} << (width - 1);
  Scanned out;
  if (type == ScanType::boolean) {
    out.integer = (bits != 0 ? 1 : 0) - 128;
  } else if (is_unsigned(type)) {
    out.integer = static_cast<std::int64_t>(bits - half);
    if (width == 64) out.integer = static_cast<std::int64_t>(bits ^ half);
  } else {
    out.integer = static_cast<std::int64_t>((bits ^ half) - half);
  }
  return out;
}

// The bits of the value at `at`, which must be readable from where this runs.
DLSCOPE_ON_BOTH inline std::uint64_t bits_at(ScanType type, const void* at) {
  switch (bytes_of(type)) {
    case 8:
      return *static_cast<const std::uint64_t*>(at);
    case 4:
      return *static_cast<const std::uint32_t*>(at);
    case 2:
      return *static_cast<const std::uint16_t*>(at);
    default:
      return *static_cast<const std::uint8_t*>(at);
  }
}

// The number that is subtracted from all values of a block: its first value, or 0 if that is special.
DLSCOPE_ON_BOTH inline Scanned shift_of(const Scanned& first) { return first.special ? Scanned{} : first; }

// The results of one thread, or of several combined.
struct Partial {
  double sum = 0, squares = 0, min = 0, max = 0;
  std::int64_t int_min = 0, int_max = 0, int_sum = 0;
  std::uint32_t count = 0, negative = 0, zero = 0, subnormal = 0, special = 0;
};

DLSCOPE_ON_BOTH inline void add(Partial& partial, ScanType type, const Scanned& value, const Scanned& shift) {
  if (value.special) {
    ++partial.special;
    return;
  }
  const bool first = partial.count++ == 0;
  if (is_float(type)) {
    const double difference = value.real - shift.real;
    partial.sum += difference;
    partial.squares += difference * difference;
    partial.min = first || value.real < partial.min ? value.real : partial.min;
    partial.max = first || value.real > partial.max ? value.real : partial.max;
    partial.negative += value.real < 0 ? 1 : 0;
    partial.zero += value.real == 0 ? 1 : 0;
    partial.subnormal += value.subnormal ? 1 : 0;
    return;
  }
  // Differences of 64-bit integers may wrap; the block is then not plain.
  const auto difference =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(value.integer) - static_cast<std::uint64_t>(shift.integer));
  partial.int_sum =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(partial.int_sum) + static_cast<std::uint64_t>(difference));
  partial.squares += static_cast<double>(difference) * static_cast<double>(difference);
  partial.int_min = first || value.integer < partial.int_min ? value.integer : partial.int_min;
  partial.int_max = first || value.integer > partial.int_max ? value.integer : partial.int_max;
  const std::int64_t zero =
      is_unsigned(type) ? -1 - static_cast<std::int64_t>((std::uint64_t{1} << (8 * bytes_of(type) - 1)) - 1) : 0;
  partial.zero += value.integer == zero ? 1 : 0;
  partial.negative += !is_unsigned(type) && value.integer < 0 ? 1 : 0;
}

DLSCOPE_ON_BOTH inline void combine(Partial& into, const Partial& other) {
  if (other.count != 0) {
    const bool first = into.count == 0;
    into.sum += other.sum;
    into.squares += other.squares;
    into.int_sum =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(into.int_sum) + static_cast<std::uint64_t>(other.int_sum));
    into.min = first || other.min < into.min ? other.min : into.min;
    into.max = first || other.max > into.max ? other.max : into.max;
    into.int_min = first || other.int_min < into.int_min ? other.int_min : into.int_min;
    into.int_max = first || other.int_max > into.int_max ? other.int_max : into.int_max;
  }
  into.count += other.count;
  into.negative += other.negative;
  into.zero += other.zero;
  into.subnormal += other.subnormal;
  into.special += other.special;
}

// Makes a block's result. `plain` is that of is_plain() in core/statistics for doubles, but also requires that there are no
// special values; for integers it requires that all differences and their sums fit. A shift far from the mean loses some digits
// of the squares, at most a fifth of them because of the bound `near`.
DLSCOPE_ON_BOTH inline BlockAnswer answer_of(const Partial& all, const BlockScan& scan, const Scanned& shift) {
  const ScanType type = scan.type;
  BlockAnswer out;
  out.shift = shift.real;
  out.int_shift = shift.integer;
  out.sum = all.sum;
  out.squares = all.squares;
  out.min = all.min;
  out.max = all.max;
  out.int_min = all.int_min;
  out.int_max = all.int_max;
  out.int_sum = all.int_sum;
  out.negative = all.negative;
  out.zero = all.zero;
  out.subnormal = all.subnormal;
  out.special = all.special;
  if (all.special != 0 || all.count == 0) return out;
  if (scan.codes != 0) {
    out.plain = 1;
  } else if (is_float(type)) {
    constexpr double kLargest = 0x1p500, kSmallestSquares = 0x1p-900;
    const bool within = all.min > -kLargest && all.max < kLargest;
    const bool exact = all.squares >= kSmallestSquares || all.min == all.max;
    const bool near = all.sum / all.count * all.sum <= (1 - 0x1p-10) * all.squares;
    out.plain = within && exact && near ? 1 : 0;
  } else {
    const std::uint64_t spread = static_cast<std::uint64_t>(all.int_max) - static_cast<std::uint64_t>(all.int_min);
    out.plain = spread < std::uint64_t{1} << 40 ? 1 : 0;
  }
  return out;
}

// The histogram bin of a value; -1: below the range, kScanBins: above
// it. Not for 64-bit integers, which are not binned on the device.
DLSCOPE_ON_BOTH inline int bin_of(const BlockScan& scan, const Scanned& value) {
  const double half = is_unsigned(scan.type) ? static_cast<double>(std::uint64_t{1} << (8 * bytes_of(scan.type) - 1)) : 0;
  const double x = is_float(scan.type) ? value.real : static_cast<double>(value.integer) + half;
  if (x < scan.low) return -1;
  if (x > scan.high) return kScanBins;
  const double bin = (x * scan.unit - scan.low * scan.unit) * scan.scale;
  return bin >= kScanBins - 1 ? kScanBins - 1 : bin > 0 ? static_cast<int>(bin) : 0;
}

}  // namespace dlscope::core::kernels
