#include "core/statistics/value_scan.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace dlscope::core {
namespace {

std::uint64_t words_for(std::uint64_t bits) { return (bits + 63) / 64; }

}  // namespace

ScanKind scan_kind(DType dtype, bool histogram) {
  if (!dtype_is_known(dtype)) return ScanKind::none;
  switch (static_cast<DTypeCode>(dtype.code)) {
    case DTypeCode::float_:
    case DTypeCode::bfloat:
      return histogram && dtype.bits == 16 ? ScanKind::codes : ScanKind::floats;
    case DTypeCode::int_:
    case DTypeCode::uint:
    case DTypeCode::bool_:
      return dtype.bits < 8 || (histogram && dtype.bits <= 16) ? ScanKind::codes : ScanKind::integers;
    case DTypeCode::complex:
      return ScanKind::complex;
    case DTypeCode::opaque:
      return ScanKind::none;
    default:
      return dtype.bits <= 8 ? ScanKind::codes : ScanKind::none;
  }
}

ValueScan::ValueScan(const MemoryOrder& order, const TensorValues& values, ScanKind kind, std::optional<BinScale> bins,
                     const BlockKernels& kernels)
    : order_(order),
      dtype_{values.dtype.code, values.dtype.bits, 1},
      lanes_(values.dtype.lanes),
      value_bytes_((dtype_.bits + 7u) / 8u),
      kind_(kind),
      is_unsigned_(dtype_.code != static_cast<std::uint8_t>(DTypeCode::int_)),
      signs_(kind == ScanKind::complex ? values.signs : SignBits{}),
      negates_(values.signs.negate && kind != ScanKind::complex),
      kernels_(kernels),
      lines_(order.indices(), block_values(value_bytes_)),
      bins_(bins) {
  const auto code = static_cast<DTypeCode>(dtype_.code);
  if (kind == ScanKind::floats) {
    float_type_ = code == DTypeCode::bfloat ? FloatType::bf16
                  : dtype_.bits == 16       ? FloatType::f16
                  : dtype_.bits == 32       ? FloatType::f32
                                            : FloatType::f64;
  } else if (kind == ScanKind::integers) {
    int_type_ = code == DTypeCode::bool_ ? IntType::boolean
                                         : static_cast<IntType>(std::countr_zero(static_cast<unsigned>(dtype_.bits)) - 3);
  } else if (kind == ScanKind::codes) {
    codes_.emplace(dtype_);
  }
  if (kind != ScanKind::integers) special_bits_.resize(words_for(block_values(value_bytes_)) + 1);
  if (bins_) bin_parts_.resize(256 * kBinTables);
}

Moments ValueScan::add(const std::byte* values, std::uint32_t count, std::uint64_t place, const std::byte* ahead) {
  seen_ += count;
  if (negates_) values = negatives_of(values, count);
  const Block block{values, count, place, ahead};
  switch (kind_) {
    case ScanKind::floats:
      return add_floats(block);
    case ScanKind::integers:
      return add_integers(block);
    case ScanKind::codes:
      add_codes(block);
      break;
    case ScanKind::complex:
      add_complex(values, count, place);
      break;
    case ScanKind::none:
      break;
  }
  return {};
}

// While the block is in the nearest cache. What follows from it, the bins, ranks and specials too, is then that of any other block.
const std::byte* ValueScan::negatives_of(const std::byte* values, std::uint32_t count) {
  negated_.assign(values, values + count * value_bytes_);
  apply_sign_bits(dtype_, {.negate = true}, negated_);
  return negated_.data();
}

Moments ValueScan::add_floats(const Block& block) {
  const auto [values, count, place, ahead] = block;
  const auto type = static_cast<std::size_t>(float_type_);
  const auto extend = [this](double low, double high) {
    min_ = finite_ == 0 ? low : std::min(min_, low);
    max_ = finite_ == 0 ? high : std::max(max_, high);
  };
  FloatBlock quick;
  kernels_.quick[type](values, count, quick);
  if (is_plain(quick, float_type_, count)) {
    extend(quick.min, quick.max);
    finite_ += count;
    negative_ += quick.negative;
    zero_ += quick.zero;
    subnormal_ += quick.subnormal;
    if (bins_ && quick.min >= bins_->low && quick.max <= bins_->high) {
      add_bins_inside(block);
    } else if (bins_) {
      add_bins(block, {});
    }
    return moments_of(quick, float_type_, count);
  }
  CarefulBlock careful;
  kernels_.careful[type](values, count, careful, special_bits_.data());
  if (careful.finite != 0) extend(careful.min, careful.max);
  finite_ += careful.finite;
  nan_ += careful.nan;
  pos_inf_ += careful.pos_inf;
  neg_inf_ += careful.neg_inf;
  zero_ += careful.zero;
  subnormal_ += careful.subnormal;
  negative_ += careful.negative;
  if (careful.finite != count) note_specials(values, count, place);
  if (bins_) add_bins(block, careful);
  return moments_of(careful);
}

Moments ValueScan::add(const kernels::BlockAnswer& block, std::uint32_t count) {
  seen_ += count;
  if (kind_ == ScanKind::codes) return {};
  const bool first = finite_ == 0;
  finite_ += count;
  zero_ += block.zero;
  negative_ += block.negative;
  if (kind_ == ScanKind::integers) {
    int_min_ = first ? block.int_min : std::min(int_min_, block.int_min);
    int_max_ = first ? block.int_max : std::max(int_max_, block.int_max);
    return moments_of(
        IntBlock{
            .min = block.int_min, .max = block.int_max, .shift = block.int_shift, .sum = block.int_sum, .squares = block.squares},
        count);
  }
  subnormal_ += block.subnormal;
  min_ = first ? block.min : std::min(min_, block.min);
  max_ = first ? block.max : std::max(max_, block.max);
  // In double throughout, whatever the type.
  return moments_of(FloatBlock{.shift = block.shift, .sum = block.sum, .squares = block.squares}, FloatType::f64, count);
}

void ValueScan::add(const kernels::BinCounts& bins, std::span<const std::uint64_t> codes) {
  for (std::size_t bin = 0; bin < histogram_.bins.size(); ++bin) histogram_.bins[bin] += bins.bins[bin];
  histogram_.below += bins.below;
  histogram_.above += bins.above;
  if (codes_ && !codes.empty()) codes_->add(codes);
}

Moments ValueScan::add_integers(const Block& block) {
  const auto [values, count, place, ahead] = block;
  IntBlock found;
  kernels_.ints[static_cast<std::size_t>(int_type_)](values, count, is_unsigned_, found);
  int_min_ = finite_ == 0 ? found.min : std::min(int_min_, found.min);
  int_max_ = finite_ == 0 ? found.max : std::max(int_max_, found.max);
  finite_ += count;
  zero_ += found.zero;
  negative_ += found.negative;
  if (bins_) add_bins(block, {});
  return found.too_wide ? moments_of_wide(values, count, is_unsigned_) : moments_of(found, count);
}

void ValueScan::add_codes(const Block& block) {
  const auto [values, count, place, ahead] = block;
  codes_->add(values, count, ahead);
  if (codes_->found_special(values, count)) note_special_codes(values, count, place);
}

void ValueScan::add_complex(const std::byte* values, std::uint32_t count, std::uint64_t place) {
  if (dtype_.bits == 32) return classify_complex<std::uint16_t>(values, count, place, 10);
  if (dtype_.bits == 64) return classify_complex<std::uint32_t>(values, count, place, 23);
  classify_complex<std::uint64_t>(values, count, place, 52);
}

// A value takes the class of its more alarming part: NaN, infinity, subnormal; it is zero when both are. Of two infinite parts the
// real one says which infinity. The sign bits flip signs, which matter to infinities only.
template <class Bits>
void ValueScan::classify_complex(const std::byte* values, std::uint32_t count, std::uint64_t place, unsigned fraction_bits) {
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
  const auto least_normal = static_cast<Bits>(Bits{1} << fraction_bits);
  const auto infinity = static_cast<Bits>(kSign - least_normal);
  const Bits flip_re = signs_.negate ? kSign : Bits{0}, flip_im = signs_.negate != signs_.conjugate ? kSign : Bits{0};
  std::fill_n(special_bits_.begin(), words_for(count), 0);
  std::uint64_t specials = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    Bits parts[2];
    std::memcpy(parts, values + i * sizeof parts, sizeof parts);
    const Bits re = parts[0] & static_cast<Bits>(~kSign), im = parts[1] & static_cast<Bits>(~kSign);
    const Bits larger = std::max(re, im);
    const bool subnormal = (re != 0 && re < least_normal) || (im != 0 && im < least_normal);
    zero_ += larger == 0 ? 1 : 0;
    subnormal_ += subnormal && larger < infinity ? 1 : 0;
    if (larger < infinity) continue;
    special_bits_[i / 64] |= std::uint64_t{1} << i % 64;
    ++specials;
    const auto first_infinite = static_cast<Bits>(re == infinity ? parts[0] ^ flip_re : parts[1] ^ flip_im);
    std::uint64_t& which = larger > infinity ? nan_ : (first_infinite & kSign) != 0 ? neg_inf_ : pos_inf_;
    ++which;
  }
  if (specials != 0) note_specials(values, count, place);
}

void ValueScan::add_bins(const Block& block, const CarefulBlock& found) {
  make_room_for_bins(block.count);
  BinOutliers outliers;
  std::uint32_t* const tables = bin_parts_.data();
  if (kind_ == ScanKind::floats) {
    const auto count = float_type_ == FloatType::f64 ? kernels_.count_bins_f64 : kernels_.count_bins_f32;
    count(block.values, block.count, *bins_, block.ahead, outliers, tables);
  } else {
    const auto count = int_type_ == IntType::i64 ? kernels_.count_bins_i64 : kernels_.count_bins_i32;
    count(block.values, block.count, is_unsigned_, *bins_, block.ahead, outliers, tables);
  }
  // What was cut to the outermost bins does not belong there. Unsigned numbers wrap, and come out right in the sum.
  bin_parts_[0] -= outliers.below + found.nan;
  bin_parts_[255] -= outliers.above;
  histogram_.below += outliers.below - found.neg_inf;
  histogram_.above += outliers.above - found.pos_inf;
}

void ValueScan::add_bins_inside(const Block& block) {
  make_room_for_bins(block.count);
  const auto count = float_type_ == FloatType::f64 ? kernels_.count_inside_f64 : kernels_.count_inside_f32;
  count(block.values, block.count, *bins_, block.ahead, bin_parts_.data());
}

void ValueScan::make_room_for_bins(std::uint32_t count) {
  if (binned_ >= std::uint64_t{1} << 30) flush_bins();
  binned_ += count;
}

void ValueScan::flush_bins() {
  for (std::size_t bin = 0; bin < histogram_.bins.size(); ++bin) {
    std::uint32_t count = 0;
    for (std::size_t table = 0; table < kBinTables; ++table) count += std::exchange(bin_parts_[table * 256 + bin], 0);
    histogram_.bins[bin] += count;
  }
  binned_ = 0;
}

}  // namespace dlscope::core
