#include "app/models/statistics/histogram_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

constexpr float kMinHeight = 0.02F;

double scaled(std::uint64_t count, HistogramScale scale) {
  const auto number = static_cast<double>(count);
  return scale == HistogramScale::logarithmic ? std::log1p(number) : number;
}

std::size_t bins_shown(const core::Histogram& histogram, BinnedValues values) {
  std::size_t bins = histogram.bins.size();
  while (values == BinnedValues::whole && bins > 1 && histogram.bins[bins - 1] == 0) --bins;
  return bins;
}

}  // namespace

std::string percent_text(std::uint64_t part, std::uint64_t all) {
  if (all == 0 || part == 0) return "0 %";
  if (part == all) return "100 %";
  const double share = 100 * static_cast<double>(part) / static_cast<double>(all);
  if (share < 0.01) return "< 0.01 %";
  if (share > 99.99) return "> 99.99 %";
  if (share < 9.95) return fmt::format("{:.2g} %", share);
  return share < 99.5 ? fmt::format("{:.0f} %", share) : fmt::format("{:.2f} %", share);
}

std::vector<HistogramBar> histogram_bars(const core::Histogram& histogram, std::size_t most, HistogramScale scale,
                                         BinnedValues values) {
  std::vector<HistogramBar> out;
  if (!histogram.valid) return out;
  const std::size_t bins = bins_shown(histogram, values);
  const std::size_t each = (bins + std::max<std::size_t>(most, 1) - 1) / std::max<std::size_t>(most, 1);
  for (std::size_t first = 0; first < bins; first += each) {
    const std::size_t end = std::min(bins, first + each);
    HistogramBar bar;
    bar.low = histogram.low + static_cast<double>(first) * histogram.width;
    bar.high = end == histogram.bins.size() ? std::max(histogram.high, bar.low)
                                            : histogram.low + static_cast<double>(end) * histogram.width;
    for (std::size_t i = first; i < end; ++i) bar.count += histogram.bins[i];
    out.push_back(bar);
  }
  double highest = 0;
  for (const HistogramBar& bar : out) highest = std::max(highest, scaled(bar.count, scale));
  for (HistogramBar& bar : out) {
    if (bar.count > 0) bar.height = std::max(kMinHeight, static_cast<float>(scaled(bar.count, scale) / highest));
  }
  return out;
}

std::string bar_text(const HistogramBar& bar, bool last, std::uint64_t all, BinnedValues values) {
  const std::string share = percent_text(bar.count, all);
  if (values == BinnedValues::whole) {
    const double greatest = bar.high - 1;
    const std::string range =
        greatest > bar.low ? fmt::format("{:.15g} to {:.15g}", bar.low, greatest) : fmt::format("{:.15g}", bar.low);
    return fmt::format("{}: {} ({})", range, counted(bar.count, "value", "values"), share);
  }
  return fmt::format("{:.6g} ≤ x {} {:.6g}: {} ({})", bar.low, last ? "≤" : "<", bar.high, counted(bar.count, "value", "values"),
                     share);
}

int digits_of_ends(double low, double high) {
  constexpr double kFewest = 5, kMost = 17, kOfRange = 3;
  const double range = high - low, most = std::max(std::abs(low), std::abs(high));
  if (!(range > 0)) return static_cast<int>(kMost);
  return static_cast<int>(std::clamp(std::ceil(std::log10(most / range)) + kOfRange, kFewest, kMost));
}

std::string outlier_text(const core::Histogram& histogram) {
  std::string out;
  if (histogram.below > 0) out = fmt::format("{} below {:.6g}", grouped(histogram.below), histogram.low);
  if (histogram.above > 0)
    out += fmt::format("{}{} above {:.6g}", out.empty() ? "" : ", ", grouped(histogram.above), histogram.high);
  return out;
}

}  // namespace dlscope::app
