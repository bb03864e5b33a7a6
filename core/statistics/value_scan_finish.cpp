// The end of a scan: what several of them found together, and what follows from it.
#include <algorithm>
#include <cmath>

#include "core/statistics/value_scan.h"

namespace dlscope::core {

void ValueScan::merge(const ValueScan& other) {
  if (other.finite_ != 0) {
    min_ = finite_ == 0 ? other.min_ : std::min(min_, other.min_);
    max_ = finite_ == 0 ? other.max_ : std::max(max_, other.max_);
    int_min_ = finite_ == 0 ? other.int_min_ : std::min(int_min_, other.int_min_);
    int_max_ = finite_ == 0 ? other.int_max_ : std::max(int_max_, other.int_max_);
  }
  seen_ += other.seen_;
  finite_ += other.finite_;
  nan_ += other.nan_;
  pos_inf_ += other.pos_inf_;
  neg_inf_ += other.neg_inf_;
  zero_ += other.zero_;
  negative_ += other.negative_;
  subnormal_ += other.subnormal_;
  if (other.first_special_ != kNoIndex) {
    if (first_special_ == kNoIndex || other.last_special_ > last_special_) {
      last_special_ = other.last_special_;
      last_kind_ = other.last_kind_;
    }
    if (other.first_special_ < first_special_) {
      first_special_ = other.first_special_;
      first_kind_ = other.first_kind_;
    }
  }
  if (codes_) codes_->merge(*other.codes_);
  for (std::size_t i = 0; i < bin_parts_.size(); ++i) bin_parts_[i] += other.bin_parts_[i];
  if (bins_) flush_bins();
  for (std::size_t bin = 0; bin < histogram_.bins.size(); ++bin) histogram_.bins[bin] += other.histogram_.bins[bin];
  histogram_.below += other.histogram_.below;
  histogram_.above += other.histogram_.above;
}

void ValueScan::finish_extremes(ValueSummary& summary) const {
  if (finite_ == 0) return;
  if (kind_ == ScanKind::floats) {
    summary.min = {ValueKind::real, 0, 0, min_ + 0.0};  // -0.0 becomes 0.0: which of the two it is depends on the order
    summary.max = {ValueKind::real, 0, 0, max_ + 0.0};
  } else if (kind_ == ScanKind::integers) {
    const bool boolean = int_type_ == IntType::boolean;
    const ValueKind kind = boolean ? ValueKind::boolean : is_unsigned_ ? ValueKind::unsigned_integer : ValueKind::signed_integer;
    const std::uint64_t offset = is_unsigned_ ? std::uint64_t{1} << (dtype_.bits - 1) : 0;
    const auto number = [&](std::int64_t value) {
      const std::uint64_t bits = static_cast<std::uint64_t>(value) + offset;
      return Number{kind, is_unsigned_ ? 0 : value, is_unsigned_ ? bits : 0, 0};
    };
    summary.min = number(int_min_);
    summary.max = number(int_max_);
  }
}

void ValueScan::finish(Moments moments, Statistics& out) {
  const std::uint64_t repeats = order_.repeats();
  ValueSummary& summary = out.summary;
  summary.seen = seen_ * repeats;
  if (first_special_ != kNoIndex) {
    summary.first_special = {first_special_ / lanes_, first_kind_};
    summary.last_special = {last_special_ / lanes_, last_kind_};
  }
  if (codes_) {
    codes_->summarise(repeats, out, moments);
  } else {
    summary.nan = nan_ * repeats;
    summary.pos_inf = pos_inf_ * repeats;
    summary.neg_inf = neg_inf_ * repeats;
    summary.zero = zero_ * repeats;
    summary.negative = negative_ * repeats;
    summary.subnormal = subnormal_ * repeats;
    finish_extremes(summary);
    if (kind_ == ScanKind::integers && is_unsigned_) moments.add_to_each(std::ldexp(1.0, dtype_.bits - 1));
    moments.repeat(repeats);
  }
  const Spread spread = spread_of(moments);
  summary.mean = spread.mean;
  summary.mean_error = spread.mean_error;
  summary.std = spread.std;
  summary.std_error = spread.std_error;
  if (!bins_ || finite_ == 0) return;
  flush_bins();
  out.histogram = histogram_;
  out.histogram.valid = true;
  out.histogram.low = bins_->low;
  out.histogram.high = bins_->high;
  out.histogram.width = bins_->width;
  for (std::uint64_t& count : out.histogram.bins) count *= repeats;
  out.histogram.below *= repeats;
  out.histogram.above *= repeats;
}

}  // namespace dlscope::core
