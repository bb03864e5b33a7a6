#include "core/statistics/code_counts.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "core/statistics/histogram_range.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kTables = 4;
constexpr std::size_t kLineBytes = 64;  // of the cache
constexpr std::uint64_t kFlushAfter = std::uint64_t{1} << 31;

Value decode(DType dtype, std::size_t code) {
  std::byte bytes[2];
  const auto bits = static_cast<std::uint16_t>(code);
  std::memcpy(bytes, &bits, sizeof bits);
  return decode_element(dtype, bytes, 0);
}

bool is_special_class(ValueClass kind) {
  return kind == ValueClass::nan || kind == ValueClass::positive_infinity || kind == ValueClass::negative_infinity;
}

}  // namespace

CodeCounts::CodeCounts(DType dtype)
    : dtype_{dtype.code, dtype.bits, 1}, codes_(std::size_t{1} << dtype.bits), part_(codes_ * kTables), total_(codes_) {
  if (dtype.bits > 8) {
    if (dtype.code == static_cast<std::uint8_t>(DTypeCode::float_)) least_special_ = 0x7c00;
    if (dtype.code == static_cast<std::uint8_t>(DTypeCode::bfloat)) least_special_ = 0x7f80;
    return;
  }
  for (std::size_t code = 0; code < codes_; ++code) {
    if (!is_special_class(decode(dtype_, code).value_class)) continue;
    special_codes_.push_back(static_cast<std::uint16_t>(code));
    special_bytes_[code] = 1;
  }
}

void CodeCounts::add(const std::byte* values, std::uint32_t count, const std::byte* ahead) {
  if (dtype_.bits <= 8) {
    count_one_byte(values, count);
  } else {
    count_two_bytes(values, count, ahead);
  }
  added_ += count;
  if (added_ >= kFlushAfter) flush();
}

void CodeCounts::count_one_byte(const std::byte* values, std::uint32_t count) {
  std::uint32_t* const tables[kTables] = {part_.data(), part_.data() + codes_, part_.data() + 2 * codes_,
                                          part_.data() + 3 * codes_};
  std::uint32_t i = 0;
  for (; i + 8 <= count; i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, values + i, sizeof eight);
    ++tables[0][eight & 255];
    ++tables[1][eight >> 8 & 255];
    ++tables[2][eight >> 16 & 255];
    ++tables[3][eight >> 24 & 255];
    ++tables[0][eight >> 32 & 255];
    ++tables[1][eight >> 40 & 255];
    ++tables[2][eight >> 48 & 255];
    ++tables[3][eight >> 56];
  }
  for (; i < count; ++i) ++tables[0][static_cast<std::size_t>(values[i])];
}

void CodeCounts::count_two_bytes(const std::byte* values, std::uint32_t count, const std::byte* ahead) {
  std::uint32_t* const even = part_.data();
  std::uint32_t* const odd = part_.data() + codes_;
  std::uint32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const std::size_t at = std::size_t{i} * 2;
    if (ahead != nullptr && at % kLineBytes == 0) __builtin_prefetch(ahead + at);
    std::uint64_t four = 0;
    std::memcpy(&four, values + at, sizeof four);
    ++even[four & 0xffff];
    ++odd[four >> 16 & 0xffff];
    ++even[four >> 32 & 0xffff];
    ++odd[four >> 48];
  }
  for (; i < count; ++i) {
    std::uint16_t code = 0;
    std::memcpy(&code, values + std::size_t{i} * 2, sizeof code);
    ++even[code];
  }
}

bool CodeCounts::found_special(const std::byte* values, std::uint32_t count) {
  if (dtype_.bits <= 8) {
    std::uint64_t seen = 0;
    for (const std::uint16_t code : special_codes_) {
      seen += total_[code];
      for (std::size_t table = 0; table < kTables; ++table) seen += part_[table * codes_ + code];
    }
    return std::exchange(specials_seen_, seen) != seen;
  }
  if (least_special_ > 0x7fff) return false;
  std::uint16_t largest = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint16_t code = 0;
    std::memcpy(&code, values + std::size_t{i} * 2, sizeof code);
    largest = std::max<std::uint16_t>(largest, code & 0x7fff);
  }
  return largest >= least_special_;
}

void CodeCounts::flush() {
  for (std::size_t table = 0; table < kTables; ++table) {
    for (std::size_t code = 0; code < codes_; ++code) {
      total_[code] += std::exchange(part_[table * codes_ + code], 0);
    }
  }
  added_ = 0;
}

void CodeCounts::add(std::span<const std::uint64_t> counts) {
  for (std::size_t code = 0; code < std::min(counts.size(), codes_); ++code) total_[code] += counts[code];
}

void CodeCounts::merge(const CodeCounts& other) {
  for (std::size_t code = 0; code < codes_; ++code) {
    total_[code] += other.total_[code];
    for (std::size_t table = 0; table < kTables; ++table) total_[code] += other.part_[table * codes_ + code];
  }
}

void CodeCounts::summarise(std::uint64_t repeats, Statistics& out, Moments& moments) {
  flush();
  ValueSummary& summary = out.summary;
  std::vector<Entry> entries;
  for (std::size_t code = 0; code < codes_; ++code) {
    const std::uint64_t count = total_[code] * repeats;
    if (count == 0) continue;
    const Value value = decode(dtype_, code);
    const Number number = Number::of(value);
    const double as_double = number.as_double();
    summary.nan += value.value_class == ValueClass::nan ? count : 0;
    summary.pos_inf += value.value_class == ValueClass::positive_infinity ? count : 0;
    summary.neg_inf += value.value_class == ValueClass::negative_infinity ? count : 0;
    summary.zero += value.value_class == ValueClass::zero ? count : 0;
    summary.subnormal += value.value_class == ValueClass::subnormal ? count : 0;
    summary.negative += as_double < 0 ? count : 0;
    if (is_special_class(value.value_class)) continue;
    if (summary.min.kind == ValueKind::bits || as_double < summary.min.as_double()) summary.min = number;
    if (summary.max.kind == ValueKind::bits || as_double > summary.max.as_double()) summary.max = number;
    entries.push_back({as_double + 0.0, count});  // -0.0 becomes 0.0
  }
  std::ranges::sort(entries, {}, &Entry::value);
  for (const Entry& entry : entries) moments.combine(moments_of_equal(entry.value, entry.count));
  if (entries.empty()) return;
  fill_quantiles(entries, moments.count, out.quantiles);
  fill_histogram(entries, moments.count, out.histogram);
}

void CodeCounts::fill_quantiles(const std::vector<Entry>& sorted, std::uint64_t all, Quantiles& out) {
  out.method = StatisticsMethod::exact;
  std::uint64_t below = 0;
  std::size_t at = 0;
  double last = std::numeric_limits<double>::quiet_NaN();
  for (const Entry& entry : sorted) {
    below += entry.count;
    if (entry.value != last) ++out.distinct;
    last = entry.value;
    while (at < kQuantiles.size() && static_cast<double>(below) >= kQuantiles[at] * static_cast<double>(all)) {
      out.values[at++] = entry.value;
    }
  }
  while (at < kQuantiles.size()) out.values[at++] = sorted.back().value;
}

void CodeCounts::fill_histogram(const std::vector<Entry>& sorted, std::uint64_t all, Histogram& out) const {
  const auto quantile = [&](double share) {
    std::uint64_t below = 0;
    for (const Entry& entry : sorted) {
      below += entry.count;
      if (static_cast<double>(below) >= share * static_cast<double>(all)) return entry.value;
    }
    return sorted.back().value;
  };
  const BulkOfValues bulk{sorted.front().value, sorted.back().value, quantile(kBulkShare), quantile(1 - kBulkShare)};
  const BinScale scale = histogram_range(bulk, dtype_);
  out.valid = true;
  out.low = scale.low;
  out.high = scale.high;
  out.width = scale.width;
  for (const Entry& entry : sorted) {
    if (entry.value < scale.low) {
      out.below += entry.count;
    } else if (entry.value > scale.high) {
      out.above += entry.count;
    } else {
      const double bin = (entry.value - scale.low) * scale.unit * scale.scale;
      out.bins[static_cast<std::size_t>(std::clamp(bin, 0.0, 255.0))] += entry.count;
    }
  }
}

}  // namespace dlscope::core
