#include "core/transfer/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/base/float_environment.h"
#include "core/tensor/element.h"
#include "core/tensor/item_type.h"
#include "core/transfer/convert_kernels.h"
#include "core/transfer/narrow_float.h"
#include "core/transfer/packed_numbers.h"

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

DTypeCode code_of(DType dtype) { return static_cast<DTypeCode>(dtype.code); }
bool is_integer(DType dtype) { return code_of(dtype) == DTypeCode::int_ || code_of(dtype) == DTypeCode::uint; }
bool is_bool(DType dtype) { return code_of(dtype) == DTypeCode::bool_; }
bool is_complex(DType dtype) { return code_of(dtype) == DTypeCode::complex; }

Kind kind_of(DType dtype) {
  if (code_of(dtype) == DTypeCode::int_) return Kind::signed_;
  return code_of(dtype) == DTypeCode::uint || is_bool(dtype) ? Kind::unsigned_ : Kind::real;
}

// A complex number is treated as two floats of half its width.
DType part_of(DType dtype) {
  if (!is_complex(dtype)) return dtype;
  return {static_cast<std::uint8_t>(DTypeCode::float_), static_cast<std::uint8_t>(dtype.bits / 2), 1};
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

// ---- By vector loops ---------------------------------------------------------------------------------------------------

std::optional<NumberKind> number_kind(DType dtype) {
  const auto of_size = [&](NumberKind smallest) -> std::optional<NumberKind> {  // int8, int16, ...: every other kind
    if (is_packed_number(dtype)) return smallest;
    if (dtype.bits < 8 || !std::has_single_bit(unsigned{dtype.bits})) return std::nullopt;
    return static_cast<NumberKind>(static_cast<int>(smallest) + 2 * (std::countr_zero(unsigned{dtype.bits}) - 3));
  };
  switch (code_of(dtype)) {
    case DTypeCode::bool_:
      return NumberKind::boolean;
    case DTypeCode::int_:
      return of_size(NumberKind::int8);
    case DTypeCode::uint:
      return of_size(NumberKind::uint8);
    case DTypeCode::bfloat:
      return NumberKind::bfloat16;
    case DTypeCode::float_:
      return dtype.bits == 16 ? NumberKind::float16 : dtype.bits == 32 ? NumberKind::float32 : NumberKind::float64;
    default:
      return dtype.bits == 8 || is_packed_number(dtype) ? std::optional(NumberKind::float8) : std::nullopt;
  }
}

// Of a number while it is converted.
std::size_t number_bytes(DType dtype) { return std::max<std::size_t>(1, dtype.bits / 8); }

bool is_narrow_float(NumberKind kind) { return kind >= NumberKind::float8 && kind <= NumberKind::bfloat16; }
bool is_integer(NumberKind kind) { return kind <= NumberKind::uint64; }  // or bool
bool is_exact_in_float(NumberKind kind) {
  return kind <= NumberKind::uint16 || is_narrow_float(kind) || kind == NumberKind::float32;
}

// Up to three loops, one after another.
class Path {
 public:
  void add(ConvertLoop loop, std::size_t item, const NarrowFloat* format = nullptr) {
    steps_[count_++] = {loop, item, format};
  }

  [[nodiscard]] bool is_empty() const { return count_ == 0; }
  // from_item: bytes of a number of the source. False: a loop is missing, and nothing was written.
  [[nodiscard]] bool run(const std::byte* source, std::size_t from_item, std::byte* target, std::uint64_t count) const {
    const auto steps = std::span(steps_).first(count_);
    if (steps.empty() || std::ranges::any_of(steps, [](const Step& step) { return step.loop == nullptr; })) return false;
    if (steps.size() == 1) {
      steps[0].loop(source, target, count, steps[0].format);
      return true;
    }
    alignas(64) std::array<std::array<std::byte, kBlock * sizeof(double)>, 2> between;
    for (std::uint64_t first = 0; first < count; first += kBlock) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, count - first));
      const std::byte* from = source + first * from_item;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        std::byte* const to = i + 1 == steps.size() ? target + first * steps[i].item : between[i].data();
        steps[i].loop(from, to, n, steps[i].format);
        from = to;
      }
    }
    return true;
  }

 private:
  struct Step {
    ConvertLoop loop = nullptr;
    std::size_t item = 0;  // bytes of a number that it writes
    const NarrowFloat* format = nullptr;
  };
  std::array<Step, 3> steps_{};
  std::size_t count_ = 0;
};

// No number is rounded more than once, but to odd. Empty: there is none.
Path path_between(const ConvertKernels& kernels, DType from, DType to) {
  constexpr std::size_t kFloat = sizeof(float), kDouble = sizeof(double);
  constexpr auto at = [](NumberKind kind) { return static_cast<std::size_t>(kind); };
  Path path;
  const auto source = number_kind(from), target = number_kind(to);
  if (!source || !target || from == to) return path;
  const std::size_t item = number_bytes(to);
  const NarrowFloat *from_format = narrow_float(from), *to_format = narrow_float(to);
  const auto to_float = kernels.to_float[at(*source)], from_float = kernels.from_float[at(*target)];
  if (is_integer(*target)) {
    if (is_narrow_float(*source)) path.add(to_float, kFloat, from_format);
    path.add(kernels.to_integer[at(is_narrow_float(*source) ? NumberKind::float32 : *source)][at(*target)], item);
  } else if (*target == NumberKind::float64 && !is_narrow_float(*source)) {
    path.add(kernels.to_double[at(*source)], kDouble);
  } else if (*target == NumberKind::float32 || *source == NumberKind::float32) {
    const bool reads = *target == NumberKind::float32;
    path.add(reads ? to_float : from_float, item, reads ? from_format : to_format);
  } else if (is_exact_in_float(*source)) {
    path.add(to_float, kFloat, from_format);
    path.add(from_float, item, to_format);
  } else {
    if (*source != NumberKind::float64) path.add(kernels.to_odd_double[at(*source)], kDouble);
    path.add(kernels.to_odd_float, kFloat);
    path.add(from_float, item, to_format);
  }
  return path;
}

// Unpacks or packs the numbers of a block before and after they are converted.
bool convert_packed(const ConvertKernels& kernels, DType from, const std::byte* source, DType to, std::byte* target,
                    std::uint64_t count) {
  const Path path = path_between(kernels, from, to);
  const bool unpacks = is_packed_number(from), packs = is_packed_number(to);
  std::array<std::byte, kBlock> unpacked, made;
  for (std::uint64_t first = 0; first < count; first += kBlock) {  // a block's numbers fill whole bytes
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, count - first));
    const std::byte* numbers = source + first * from.bits / 8;
    if (unpacks) {
      unpack_numbers(from, numbers, unpacked.data(), n);
      numbers = unpacked.data();
    }
    std::byte* const place = target + first * to.bits / 8;
    if (!path.run(numbers, number_bytes(from), packs ? made.data() : place, n)) return false;
    if (packs) pack_numbers(to, made.data(), place, n);
  }
  return true;
}

// Inserts an imaginary 0 after each of the numbers, whose size is that of Number.
template <class Number>
void add_imaginary(const std::byte* from, std::byte* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::array<Number, 2> both{};
    std::memcpy(both.data(), from + i * sizeof(Number), sizeof(Number));
    std::memcpy(to + i * sizeof both, both.data(), sizeof both);
  }
}

// False: there are no loops from `from` to `part`, the type of one part of the target.
bool convert_to_complex(const ConvertKernels& kernels, DType from, const std::byte* source, DType part, std::byte* target,
                        std::uint64_t count) {
  Path path = path_between(kernels, from, part);
  if (is_packed_number(from) || (part.bits != 32 && part.bits != 64) || (from != part && path.is_empty())) return false;
  if (from == part && part.bits == 32) {  // makes NaN quiet, as every other conversion
    path.add(kernels.to_double[static_cast<std::size_t>(NumberKind::float32)], sizeof(double));
    path.add(kernels.to_float[static_cast<std::size_t>(NumberKind::float64)], sizeof(float));
  }
  alignas(64) std::array<std::byte, kBlock * sizeof(double)> reals;
  for (std::uint64_t first = 0; first < count; first += kBlock) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, count - first));
    const std::byte* numbers = source + first * (from.bits / 8U);
    if (!path.is_empty()) {
      if (!path.run(numbers, from.bits / 8U, reals.data(), n)) return false;
      numbers = reals.data();
    }
    std::byte* const to = target + first * (part.bits / 4U);
    part.bits == 32 ? add_imaginary<std::uint32_t>(numbers, to, n) : add_imaginary<std::uint64_t>(numbers, to, n);
  }
  return true;
}

// The name of a dtype, and for one without a name what it is.
std::string type_in_words(DType dtype) {
  constexpr std::array kFamilies{"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  if (dtype.code == kItemCode) return fmt::format("elements of {} bytes that are not plain numbers", dtype.lanes);
  std::string name = dtype_name(dtype);
  if (!name.starts_with("code")) return name;
  name = fmt::format("{} bits of DLPack's dtype code {}", dtype.bits, dtype.code);
  if (dtype.code < kFamilies.size()) name += fmt::format(" ({})", kFamilies[dtype.code]);
  if (dtype.lanes != 1) name += fmt::format(", {} lanes", dtype.lanes);
  return name;
}

}  // namespace

std::string why_not_convertible(DType from, DType to) {
  const auto can = [](DType dtype) {
    const DType part = part_of(dtype);
    const bool native = code_of(part) == DTypeCode::float_ && (part.bits == 32 || part.bits == 64);
    return dtype_is_known(dtype) && dtype.lanes == 1 &&
           (is_integer(dtype) || is_bool(dtype) || native || narrow_float(part) != nullptr);
  };
  for (const DType dtype : {from, to}) {
    if (!can(dtype)) return fmt::format("there is no conversion for {}", type_in_words(dtype));
  }
  if (is_complex(from) && !is_complex(to))
    return fmt::format("{} to {} would drop the imaginary part", dtype_name(from), dtype_name(to));
  return {};
}

void convert_one_by_one(DType from, const std::byte* source, DType to, std::byte* target, std::uint64_t count) {
  const DefaultFloatEnvironment environment;
  const DType from_part = part_of(from), to_part = part_of(to);
  const bool grows = is_complex(to) && !is_complex(from);
  if (is_complex(from)) count *= 2;
  const auto block = std::make_unique<Block>();
  const std::size_t each = grows ? kBlock / 2 : kBlock;
  for (std::uint64_t first = 0; first < count; first += each) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(each, count - first));
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

bool convert_with(const ConvertKernels& kernels, DType from, const std::byte* source, DType to, std::byte* target,
                  std::uint64_t count) {
  const DefaultFloatEnvironment environment;
  const DType from_part = part_of(from), to_part = part_of(to);
  if (is_complex(to) && !is_complex(from)) return convert_to_complex(kernels, from, source, to_part, target, count);
  if (is_packed_number(from) || is_packed_number(to)) return convert_packed(kernels, from, source, to, target, count);
  if (is_complex(from)) count *= 2;
  return path_between(kernels, from_part, to_part).run(source, from_part.bits / 8U, target, count);
}

void convert_elements(DType from, const std::byte* source, DType to, std::byte* target, std::uint64_t count) {
  if (!convert_with(convert_kernels(), from, source, to, target, count)) convert_one_by_one(from, source, to, target, count);
}

}  // namespace dlscope::core
