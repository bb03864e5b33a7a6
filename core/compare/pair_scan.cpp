#include "core/compare/pair_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/magnitude.h"
#include "core/compare/content_hash.h"
#include "core/tensor/element.h"
#include "core/tensor/item_type.h"

namespace dlscope::core {
namespace {

DTypeCode code_of(DType dtype) { return static_cast<DTypeCode>(dtype.code); }

// The larger error; of two that are equal the one with the lower index.
void note(WorstError& worst, double size, std::uint64_t index) {
  if (worst.value && (size < worst.size || (size == worst.size && *worst.value <= index))) return;
  worst = {size, index};
}

void note_first(std::optional<std::uint64_t>& first, std::uint64_t index) { first = std::min(first.value_or(index), index); }

// The patterns of NaN, less the sign where it does not matter; nullopt: there are none. Not of integers.
std::optional<PatternRange> nan_patterns(DType dtype) {
  const auto ieee = [](unsigned bits, unsigned fraction) {
    const std::uint64_t mask = (std::uint64_t{1} << (bits - 1)) - 1;
    const std::uint64_t first = (mask >> fraction << fraction) + 1;
    return PatternRange{mask, first, mask - first};
  };
  const unsigned bits = code_of(dtype) == DTypeCode::complex ? dtype.bits / 2U : dtype.bits;
  switch (code_of(dtype)) {
    case DTypeCode::float_:
    case DTypeCode::complex:
      return ieee(bits, bits == 16 ? 10 : bits == 32 ? 23 : 52);
    case DTypeCode::bfloat:
      return ieee(bits, 7);
    default:
      break;
  }
  if (bits > 8) return std::nullopt;
  const auto is_nan = [&](unsigned pattern) {
    const std::byte byte{static_cast<unsigned char>(pattern)};
    return decode_element(dtype, {&byte, 1}, 0).value_class == ValueClass::nan;
  };
  const unsigned sign = 1U << (bits - 1), all = (1U << bits) - 1;
  bool sign_matters = false;
  for (unsigned pattern = 0; pattern < sign; ++pattern) sign_matters = sign_matters || is_nan(pattern) != is_nan(pattern | sign);
  const unsigned mask = sign_matters ? all : sign - 1;
  std::optional<PatternRange> range;
  for (unsigned pattern = 0; pattern <= mask; ++pattern) {
    if (!is_nan(pattern)) continue;
    if (!range) range = PatternRange{mask, pattern, 0};
    range->span = pattern - range->low;  // every format has its NaN in one stretch
  }
  return range;
}

std::uint64_t word_of(const std::byte* from, std::size_t bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, bytes);
  return word;
}

}  // namespace

std::string why_not_comparable(DType a, DType b) {
  for (const DType dtype : {a, b}) {
    if (dtype.code == kItemCode) return "DLPack has no dtype for the elements of one of them";
    if (!dtype_is_known(dtype)) return fmt::format("what values {} has is not known", dtype_name(dtype));
  }
  if (a.lanes != b.lanes) return fmt::format("{} has {} lanes and {} has {}", dtype_name(a), a.lanes, dtype_name(b), b.lanes);
  return {};
}

PairScan::PairScan(DType a, DType b, Tolerance tolerance, bool hashes)
    : a_(a),
      b_(b),
      dtype_a_(a),
      dtype_b_(b),
      tolerance_(tolerance),
      hashes_(hashes),
      same_(a == b),
      has_ulps_(same_ && !a_.is_integer()) {
  found_.same_dtype = same_;
  found_.lanes = a.lanes;
  if (!a_.is_integer()) nan_ = nan_patterns(a_.dtype());
}

void PairScan::add(const std::byte* a, const std::byte* b, std::uint32_t count, std::uint64_t index, std::int64_t step) {
  const Run run{index, step};
  const bool equal = same_ && std::memcmp(a, b, count * a_.bytes()) == 0;
  if (hashes_) {
    const std::uint64_t of_a = hash_of_values(a, a_.bytes(), count, index, step);
    sum_a_ += of_a;
    sum_b_ += equal ? of_a : hash_of_values(b, b_.bytes(), count, index, step);
  }
  if (equal) {
    if (nan_) count_nan(a, count);
    return;
  }
  if (same_) note_bits(a, b, count, run);
  if (a_.is_wide() || b_.is_wide()) {
    add_numbers<long double>(a, b, count, run);  // holds 64-bit integers and doubles exactly
  } else {
    add_numbers<double>(a, b, count, run);
  }
}

// Of values whose bits are the same in A and B.
void PairScan::count_nan(const std::byte* a, std::uint32_t count) {
  const std::uint32_t parts = a_.is_complex() ? 2 : 1;
  const std::size_t bytes = a_.bytes() / parts;
  const auto in = compare_kernels().count_patterns[static_cast<std::size_t>(std::countr_zero(bytes))];
  const std::uint64_t found = in(a, std::uint64_t{count} * parts, *nan_);
  if (parts == 1 || found == 0) {
    found_.both_nan += found;
    return;
  }
  for (std::uint32_t i = 0; i < count; ++i) found_.both_nan += in(a + i * a_.bytes(), parts, *nan_) > 0 ? 1 : 0;
}

void PairScan::note_bits(const std::byte* a, const std::byte* b, std::uint32_t count, Run run) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (std::memcmp(a + i * a_.bytes(), b + i * a_.bytes(), a_.bytes()) == 0) continue;
    ++found_.different_bits;
    note_first(found_.first_bits, run.at(i));
    if (has_ulps_) note_ulps(a + i * a_.bytes(), b + i * a_.bytes(), run.at(i));
  }
}

// The patterns of a float format, its sign taken off, stand in the order of its numbers.
void PairScan::note_ulps(const std::byte* a, const std::byte* b, std::uint64_t index) {
  const unsigned parts = a_.is_complex() ? 2 : 1;
  const unsigned bits = a_.dtype().bits / parts;
  const bool is_signed = code_of(a_.dtype()) != DTypeCode::float8_e8m0fnu;
  const DType part_type{a_.is_complex() ? static_cast<std::uint8_t>(DTypeCode::float_) : a_.dtype().code,
                        static_cast<std::uint8_t>(bits), 1};
  const auto place = [&](std::uint64_t word) {
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
    if (!is_signed || (word & sign) == 0) return static_cast<std::int64_t>(word);
    return -static_cast<std::int64_t>(word & ~sign);
  };
  const auto is_finite = [&](const std::byte* at) {
    const ValueClass kind = decode_element(part_type, {at, (bits + 7u) / 8u}, 0).value_class;
    return kind != ValueClass::nan && kind != ValueClass::positive_infinity && kind != ValueClass::negative_infinity;
  };
  std::uint64_t steps = 0;
  for (unsigned part = 0; part < parts; ++part) {
    const std::size_t offset = part * bits / 8;
    const std::int64_t x = place(word_of(a + offset, (bits + 7) / 8)), y = place(word_of(b + offset, (bits + 7) / 8));
    const std::uint64_t apart = x > y ? static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y)
                                      : static_cast<std::uint64_t>(y) - static_cast<std::uint64_t>(x);
    if (found_.ulps.value && static_cast<double>(apart) < found_.ulps.size && parts == 1) return;  // decides most of them
    if (!is_finite(a + offset) || !is_finite(b + offset)) return;
    steps = std::max(steps, apart);
  }
  if (steps > 0) note(found_.ulps, static_cast<double>(steps), index);
}

template <class Number>
void PairScan::add_numbers(const std::byte* a, const std::byte* b, std::uint32_t count, Run run) {
  auto& x = [this]() -> std::vector<Number>& {
    if constexpr (std::is_same_v<Number, double>) return doubles_a_;
    else return wide_a_;
  }();
  auto& y = [this]() -> std::vector<Number>& {
    if constexpr (std::is_same_v<Number, double>) return doubles_b_;
    else return wide_b_;
  }();
  const std::size_t parts = a_.is_complex() || b_.is_complex() ? 2 : 1;
  a_.read(a, count, parts, x);
  b_.read(b, count, parts, y);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (parts == 1 && x[i] == y[i]) continue;
    add_pair<Number>(std::span(x).subspan(i * parts, parts), std::span(y).subspan(i * parts, parts), run.at(i));
  }
}

template <class Number>
void PairScan::add_pair(std::span<const Number> x, std::span<const Number> y, std::uint64_t index) {
  if (std::ranges::equal(x, y)) return;
  const bool nan_x = std::ranges::any_of(x, [](Number v) { return std::isnan(v); });
  const bool nan_y = std::ranges::any_of(y, [](Number v) { return std::isnan(v); });
  if (nan_x && nan_y) {
    ++found_.both_nan;
    return;
  }
  ++found_.different;
  note_first(found_.first, index);
  if (nan_x || nan_y) {
    ++found_.one_nan;
    ++found_.outside;
    return;
  }
  // Equal infinities of a complex number's part have no distance; their difference would be NaN.
  const auto apart = [](Number v, Number w) { return v == w ? Number{0} : std::abs(v - w); };
  Number size = apart(x[0], y[0]), of = std::abs(y[0]);
  if (x.size() == 2) {
    size = magnitude(size, apart(x[1], y[1]));
    of = magnitude(y[0], y[1]);
  }
  const Number relative = of == 0 || std::isinf(size) ? std::numeric_limits<Number>::infinity() : size / of;
  const bool inside =
      !std::isinf(size) && size <= static_cast<Number>(tolerance_.absolute) + static_cast<Number>(tolerance_.relative) * of;
  if (!inside) ++found_.outside;
  note(found_.absolute, static_cast<double>(size), index);
  note(found_.relative, static_cast<double>(relative), index);
}

void PairScan::merge(const PairScan& other) {
  const Comparison& from = other.found_;
  found_.different += from.different;
  found_.different_bits += from.different_bits;
  found_.both_nan += from.both_nan;
  found_.one_nan += from.one_nan;
  found_.outside += from.outside;
  if (from.first) note_first(found_.first, *from.first);
  if (from.first_bits) note_first(found_.first_bits, *from.first_bits);
  const auto take = [](WorstError& to, const WorstError& worst) {
    if (worst.value) note(to, worst.size, *worst.value);
  };
  take(found_.absolute, from.absolute);
  take(found_.relative, from.relative);
  take(found_.ulps, from.ulps);
  sum_a_ += other.sum_a_;
  sum_b_ += other.sum_b_;
}

Comparison PairScan::finish(std::uint64_t values, std::uint64_t repeats, std::span<const std::int64_t> shape) const {
  Comparison out = found_;
  out.values = values;
  for (std::uint64_t* count : {&out.different, &out.different_bits, &out.both_nan, &out.one_nan, &out.outside}) *count *= repeats;
  if (hashes_) {
    out.hash_a = content_hash(sum_a_, dtype_a_, shape);
    out.hash_b = content_hash(sum_b_, dtype_b_, shape);
  }
  return out;
}

}  // namespace dlscope::core
