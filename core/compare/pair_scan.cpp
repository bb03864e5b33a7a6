#include "core/compare/pair_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/compare/content_hash.h"
#include "core/compare/float_patterns.h"
#include "core/tensor/item_type.h"

namespace dlscope::core {
namespace {

// The larger error; of two that are equal the one with the lower index.
void note(WorstError& worst, double size, std::uint64_t index) {
  if (worst.value && (size < worst.size || (size == worst.size && *worst.value <= index))) return;
  worst = {size, index};
}

// Whether note() might change it for a pair that is one of those with indices from `lowest` on, of which none has a larger error.
bool may_change(const WorstError& worst, double size, std::uint64_t lowest) {
  return !worst.value || size > worst.size || (size == worst.size && lowest < *worst.value);
}

void note_first(std::optional<std::uint64_t>& first, std::uint64_t index) { first = std::min(first.value_or(index), index); }

std::size_t log2_of(std::size_t bytes) { return static_cast<std::size_t>(std::countr_zero(bytes)); }

}  // namespace

std::string why_not_comparable(DType a, DType b) {
  for (const DType dtype : {a, b}) {
    if (dtype.code == kItemCode) return "DLPack has no dtype for the elements of one of them";
    if (!dtype_is_known(dtype)) return fmt::format("the values of {} are not known", dtype_name(dtype));
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
      has_ulps_(same_ && !a_.is_integer()),
      expects_equal_(same_ && hashes) {
  found_.same_dtype = same_;
  found_.lanes = a.lanes;
  if (!a_.is_integer()) nan_ = nan_patterns(a_.dtype());
  if (has_ulps_ && a_.bytes() == 1) places_ = places_of(a_.dtype());
}

void PairScan::add(const std::byte* a, const std::byte* b, std::uint32_t count, std::uint64_t index, std::int64_t step) {
  const std::uint32_t done = expects_equal_ ? add_front(a, b, count, {index, step}) : 0;
  if (done == count) return;
  a += done * a_.bytes();
  b += done * b_.bytes();
  count -= done;
  const Run run{Run{index, step}.at(done), step};
  const bool equal = same_ && std::memcmp(a, b, count * a_.bytes()) == 0;
  expects_equal_ = equal && hashes_;
  if (hashes_) {
    const std::uint64_t of_a = hash_of_values(a, a_.bytes(), count, run.index, step);
    sum_a_ += of_a;
    sum_b_ += equal ? of_a : hash_of_values(b, b_.bytes(), count, run.index, step);
  }
  if (!equal) return add_differences(a, b, count, run);
  if (nan_) count_nan(a, count);
}

// As add(), of as many values as fill vectors; returns how many.
std::uint32_t PairScan::add_front(const std::byte* a, const std::byte* b, std::uint32_t count, Run run) {
  const std::size_t parts = a_.is_complex() ? 2 : 1;
  const EqualWords found =
      hash_and_compare(a, b, a_.bytes(), count, run.index, run.step, nan_ ? &*nan_ : nullptr, a_.bytes() / parts);
  const auto taken = static_cast<std::uint32_t>(found.taken);
  if (taken == 0) return 0;
  expects_equal_ = found.equal;
  sum_a_ += found.hash;
  sum_b_ += found.equal ? found.hash : hash_of_values(b, b_.bytes(), taken, run.index, run.step);
  if (!found.equal)
    add_differences(a, b, taken, run);
  else if (parts == 1)
    found_.both_nan += found.nans;
  else if (found.nans > 0)
    count_nan(a, taken);
  return taken;
}

// Of values some of which differ in their bits, or of two dtypes.
void PairScan::add_differences(const std::byte* a, const std::byte* b, std::uint32_t count, Run run) {
  if (same_) add_bits(a, b, count, run);
  if (!a_.is_wide() && !b_.is_wide()) return add_numbers(a, b, count, run);
  if (same_ && tolerance_ == Tolerance{}) return add_integers(a, b, count, run);
  add_wide(a, b, count, run);
}

// Of values whose bits are the same in A and B.
void PairScan::count_nan(const std::byte* a, std::uint32_t count) {
  const std::uint32_t parts = a_.is_complex() ? 2 : 1;
  const std::size_t bytes = a_.bytes() / parts;
  const auto in = compare_kernels().count_patterns[log2_of(bytes)];
  const std::uint64_t found = in(a, std::uint64_t{count} * parts, *nan_);
  if (parts == 1 || found == 0) {
    found_.both_nan += found;
    return;
  }
  for (std::uint32_t i = 0; i < count; ++i) found_.both_nan += in(a + i * a_.bytes(), parts, *nan_) > 0 ? 1 : 0;
}

void PairScan::add_bits(const std::byte* a, const std::byte* b, std::uint32_t count, Run run) {
  const std::size_t bytes = a_.bytes();
  found_.different_bits += compare_kernels().count_different[log2_of(bytes)](a, b, count);
  const std::uint64_t lowest = run.lowest(count);
  const bool first = !found_.first_bits || lowest < *found_.first_bits;
  const std::uint64_t steps = has_ulps_ ? most_steps(a, b, count) : 0;
  const bool farther = steps > 0 && may_change(found_.ulps, static_cast<double>(steps), lowest);
  if (!first && !farther) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::byte *const x = a + i * bytes, *const y = b + i * bytes;
    if (std::memcmp(x, y, bytes) == 0) continue;
    note_first(found_.first_bits, run.at(i));
    if (!farther) continue;
    if (const std::uint64_t apart = steps_between(a_.dtype(), x, y); apart > 0)
      note(found_.ulps, static_cast<double>(apart), run.at(i));
  }
}

std::uint64_t PairScan::most_steps(const std::byte* a, const std::byte* b, std::uint32_t count) const {
  const std::size_t parts = a_.is_complex() ? 2 : 1;
  if (places_.empty()) return compare_kernels().most_steps[parts - 1][log2_of(a_.bytes() / parts)](a, b, count, nan_->low - 1);
  int most = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const int x = places_[std::to_integer<unsigned>(a[i])], y = places_[std::to_integer<unsigned>(b[i])];
    if (x != kNoPlace && y != kNoPlace) most = std::max(most, std::abs(x - y));
  }
  return static_cast<std::uint64_t>(most);
}

template <class Number>
void PairScan::note_pair(const NumberDistance<Number>& distance, std::uint64_t index) {
  using Kind = typename NumberDistance<Number>::Kind;
  if (distance.kind == Kind::equal || distance.kind == Kind::both_nan) return;
  note_first(found_.first, index);
  if (distance.kind == Kind::one_nan) return;
  note(found_.absolute, static_cast<double>(distance.absolute()), index);
  note(found_.relative, static_cast<double>(distance.relative()), index);
}

// Of pairs that were counted.
template <class Number>
void PairScan::note_pairs(const std::vector<Number>& x, const std::vector<Number>& y, std::size_t parts, std::uint32_t count,
                          Run run) {
  for (std::uint32_t i = 0; i < count; ++i)
    note_pair(distance_of<Number>(std::span(x).subspan(i * parts, parts), std::span(y).subspan(i * parts, parts)), run.at(i));
}

void PairScan::add_numbers(const std::byte* a, const std::byte* b, std::uint32_t count, Run run) {
  const std::size_t parts = a_.is_complex() || b_.is_complex() ? 2 : 1;
  a_.read(a, count, parts, doubles_a_);
  b_.read(b, count, parts, doubles_b_);
  const std::size_t padded = (count + kDifferencePadding - 1) / kDifferencePadding * kDifferencePadding;
  doubles_a_.resize(padded * parts, 0);  // of equal numbers
  doubles_b_.resize(padded * parts, 0);
  const NumberLimits limits{tolerance_,
                            found_.absolute.size,
                            found_.relative.size,
                            {a + count * a_.bytes(), b + count * b_.bytes()},
                            {a_.bytes(), b_.bytes()}};
  const NumberDifferences block =
      compare_kernels().number_differences[parts - 1](doubles_a_.data(), doubles_b_.data(), padded, limits);
  found_.both_nan += block.both_nan;
  found_.one_nan += block.one_nan;
  found_.different += block.numbers + block.one_nan;
  found_.outside += block.outside + block.one_nan;
  if (block.numbers + block.one_nan == 0) return;
  const std::uint64_t lowest = run.lowest(count);
  const bool worse = block.numbers > 0 &&
                     (may_change(found_.absolute, block.absolute, lowest) || may_change(found_.relative, block.relative, lowest));
  if (worse || !found_.first || lowest < *found_.first) note_pairs(doubles_a_, doubles_b_, parts, count, run);
}

// 64-bit ones of one dtype, with no tolerance.
void PairScan::add_integers(const std::byte* a, const std::byte* b, std::uint32_t count, Run run) {
  const bool is_unsigned = static_cast<DTypeCode>(a_.dtype().code) != DTypeCode::int_;
  const IntegerDifferences block = compare_kernels().integer_differences[is_unsigned ? 1 : 0](a, b, count);
  found_.different += block.different;
  found_.outside += block.different;
  if (block.different == 0) return;
  const std::uint64_t lowest = run.lowest(count);
  const bool worse = may_change(found_.absolute, static_cast<double>(block.absolute), lowest) ||
                     may_change(found_.relative, block.relative * (1 + kRatioError), lowest);
  if (!worse && found_.first && *found_.first <= lowest) return;
  a_.read(a, count, 1, wide_a_);
  b_.read(b, count, 1, wide_b_);
  note_pairs(wide_a_, wide_b_, 1, count, run);
}

// A long double holds 64-bit integers and doubles exactly.
void PairScan::add_wide(const std::byte* a, const std::byte* b, std::uint32_t count, Run run) {
  const std::size_t parts = a_.is_complex() || b_.is_complex() ? 2 : 1;
  a_.read(a, count, parts, wide_a_);
  b_.read(b, count, parts, wide_b_);
  using Kind = NumberDistance<long double>::Kind;
  const std::span<const long double> x(wide_a_), y(wide_b_);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto distance = distance_of(x.subspan(i * parts, parts), y.subspan(i * parts, parts));
    const bool one_nan = distance.kind == Kind::one_nan, numbers = distance.kind == Kind::numbers;
    found_.both_nan += distance.kind == Kind::both_nan ? 1 : 0;
    found_.one_nan += one_nan ? 1 : 0;
    found_.different += one_nan || numbers ? 1 : 0;
    found_.outside += one_nan || (numbers && !distance.inside(tolerance_)) ? 1 : 0;
    note_pair(distance, run.at(i));
  }
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
