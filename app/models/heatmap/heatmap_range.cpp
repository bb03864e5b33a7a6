#include "app/models/heatmap/heatmap_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/models/statistics/statistics_text.h"
#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

std::string of_values(core::StatisticsMethod method, const core::ValueSummary& summary) {
  if (method == core::StatisticsMethod::exact) return fmt::format("of all {} values", grouped(summary.count));
  return fmt::format("of a sample, {} of {} values", grouped(summary.seen), grouped(summary.count));
}

// part: as in kQuantiles, 0 to 1.
bool is_quantile(double quantile, double part) { return quantile > part - 1e-9 && quantile < part + 1e-9; }

}  // namespace

ValuesRange range_of_values(const core::ValueSummary* summary) {
  ValuesRange out;
  if (summary == nullptr || summary->method == core::StatisticsMethod::none) return out;
  out.is_sample = summary->method == core::StatisticsMethod::sample;
  if (summary->min.kind == core::ValueKind::bits || summary->max.kind == core::ValueKind::bits) {
    out.message = "no minimum and maximum: there is no finite number, or they are complex";
    return out;
  }
  out.range.include(summary->min.as_double());
  out.range.include(summary->max.as_double());
  out.message = "min to max " + of_values(summary->method, *summary);
  return out;
}

ValuesRange percentiles_of_values(const core::Statistics* statistics, double cut) {
  ValuesRange out;
  if (statistics == nullptr || statistics->quantiles.method == core::StatisticsMethod::none) return out;
  const double* const nearest = std::ranges::min_element(kValueCuts, {}, [cut](double one) { return std::abs(one - cut); });
  for (std::size_t i = 0; i < core::kQuantiles.size(); ++i) {
    const double part = *nearest / 100;
    if (is_quantile(core::kQuantiles[i], part) || is_quantile(core::kQuantiles[i], 1 - part))
      out.range.include(statistics->quantiles.values[i]);
  }
  out.is_sample = statistics->quantiles.method == core::StatisticsMethod::sample;
  out.message =
      fmt::format("{} % to {} % {}", *nearest, 100 - *nearest, of_values(statistics->quantiles.method, statistics->summary));
  return out;
}

std::string values_range_state(const TensorStatistics* statistics, const Moment& now) {
  using Phase = TensorStatistics::Phase;
  if (statistics == nullptr) return "not read yet";
  if (statistics->computing()) return "reading all values …";
  if (statistics->phase == Phase::failed) return "the values were not read: " + statistics->why;
  if (statistics->phase == Phase::cancelled) return "reading all values was cancelled";
  return read_when(*statistics, now).stale ? "as they were when they were read" : "";
}

}  // namespace dlscope::app
