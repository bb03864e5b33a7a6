#include "app/models/statistics/statistics_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/models/statistics/histogram_bars.h"
#include "app/models/tensors/unreadable_values.h"
#include "app/models/text/format.h"
#include "app/models/values/value_format.h"
#include "core/elements/memory_order.h"
#include "core/inventory/field_view.h"
#include "core/inventory/tensor_numbers.h"

namespace dlscope::app {
namespace {

using core::Number;
using core::Snapshot;
using core::StatisticsMethod;
using core::TensorRecord;
using core::ValueKind;
using core::ValueSummary;

constexpr std::uint64_t kMostSorted = 65'536;  // values: of so many the quantiles are of all (Quantiles, core/statistics)
constexpr double kUsualRate = 5e9;  // bytes per second, assumed until one was measured

core::DType lane_of(core::DType dtype) { return {dtype.code, dtype.bits, 1}; }

// " (17 %)"; "": none.
std::string percent(std::uint64_t part, std::uint64_t all) {
  if (all == 0 || part == 0) return {};
  return part == all ? " (all)" : " (" + percent_text(part, all) + ")";
}

// "1.25 ± 0.003"
std::string with_error(double value, double error) {
  if (std::isnan(value)) return {};
  std::string text = fmt::format("{:.8g}", value);
  if (std::isfinite(error) && error > std::abs(value) * 1e-9) text += fmt::format(" ± {:.1g}", error);
  return text;
}

// Builds the lines of one tensor.
class Facts {
 public:
  Facts(const Snapshot& snapshot, const TensorRecord& tensor, const core::Statistics& statistics)
      : snapshot_(snapshot),
        tensor_(tensor),
        dtype_(core::numbers_of(snapshot, tensor).dtype),
        layout_(snapshot.layout(tensor)),
        statistics_(statistics),
        s_(statistics.summary),
        sample_(s_.method == StatisticsMethod::sample) {}

  std::vector<StatisticsFact> all() {
    add("values", grouped(s_.count), dtype_.lanes > 1 ? "Every lane of an element is a value." : "");
    if (snapshot_.has_remark(tensor_, core::RemarkCode::masked))
      add("mask", "not applied", "The mask is another array: masked values count here like the others.", Tone::warn);
    add_nulls();
    // Problems first, so that a low panel shows them without scrolling.
    add_special("first NaN or Inf", s_.first_special);
    if (s_.last_special.index != s_.first_special.index) add_special("last NaN or Inf", s_.last_special);
    add_extremes();
    add_spread();
    add_classes();
    add_quantiles();
    return std::move(out_);
  }

 private:
  void add(std::string label, std::string text, std::string meaning = {}, Tone tone = Tone::plain) {
    out_.push_back({std::move(label), std::move(text), std::move(meaning), tone});
  }
  [[nodiscard]] bool is_bool() const { return dtype_.code == static_cast<std::uint8_t>(core::DTypeCode::bool_); }
  [[nodiscard]] bool is_complex() const { return dtype_.code == static_cast<std::uint8_t>(core::DTypeCode::complex); }
  [[nodiscard]] bool is_float() const { return !is_bool() && !is_complex() && s_.min.kind == ValueKind::real; }
  [[nodiscard]] std::uint64_t finite() const { return s_.seen - std::min(s_.seen, s_.nan + s_.pos_inf + s_.neg_inf); }

  void add_nulls() {
    const auto remarks = Snapshot::slice(snapshot_.remarks, tensor_.remarks);
    const auto nulls = std::ranges::find(remarks, core::RemarkCode::nulls, &core::RemarkRecord::code);
    if (nulls == remarks.end()) return;
    const std::string numbers(snapshot_.str(nulls->message));
    add("nulls", "not left out", "What lies in place of a null counts here like the values. " + numbers + ".", Tone::warn);
  }

  void add_extremes() {
    if (is_complex()) return add("min, max", "none", "Complex numbers have no order.", Tone::dim);
    const std::string least = number_description(dtype_, s_.min), greatest = number_description(dtype_, s_.max);
    if (least.empty()) {
      const bool empty = s_.seen == 0;
      return add("min, max", "none", empty ? "There are no values." : "Every value is NaN or infinite.",
                 empty ? Tone::dim : Tone::bad);
    }
    const char* const meaning =
        sample_ ? "Of the finite values of the sample: others may lie further out." : "Of the finite values.";
    add("min", least, meaning);
    add("max", greatest, least == greatest ? std::string(meaning) + " All of them are equal." : meaning);
    if (least != greatest && s_.min.as_double() == s_.max.as_double())
      add("differences", "smaller than a float64 shows",
          "min and max are exact. Mean, quantiles, histogram and heat map are of the numbers rounded to a float64, and there all "
          "of them are one.",
          Tone::warn);
  }

  void add_spread() {
    if (std::isnan(s_.mean)) return;
    if (is_bool()) return add("share of True", fmt::format("{:.6g}", s_.mean));
    add("mean", with_error(s_.mean, s_.mean_error),
        sample_ ? "Of the sample; ± is half the 95 % confidence interval for all values."
                : "Over the finite values; ± bounds what rounding may have done.");
    add("std", with_error(s_.std, s_.std_error), "Standard deviation over the finite values, divided by their count (ddof 0).");
  }

  void add_count(const char* label, std::uint64_t count, const char* meaning, Tone tone) {
    const std::string of_sample = sample_ ? count == 0 ? " in the sample" : " of the sample" : "";
    add(label, (count == 0 && sample_ ? "none" : grouped(count)) + of_sample + percent(count, s_.seen), meaning,
        count > 0 ? tone : Tone::dim);
  }

  void add_classes() {
    if (!is_bool() && (is_float() || is_complex() || s_.nan + s_.pos_inf + s_.neg_inf > 0)) {
      add_count("NaN", s_.nan, "Not a number.", Tone::bad);
      add_count("+Inf", s_.pos_inf, "Plus infinity.", Tone::warn);
      add_count("-Inf", s_.neg_inf, "Minus infinity.", Tone::warn);
    }
    add_count(is_bool() ? "False" : "zero", s_.zero, is_bool() ? "" : "-0.0 too.", Tone::plain);
    if (is_bool()) return;
    if (!is_complex()) add_count("negative", s_.negative, "Below zero, minus infinity too.", Tone::plain);
    if (is_float() || is_complex())
      add_count("subnormal", s_.subnormal, "Closer to zero than the smallest number of full precision.", Tone::warn);
  }

  void add_special(const char* label, const core::SpecialValue& special) {
    if (special.index == core::kNoIndex || special.index >= tensor_.elements) return;
    const char* const what = special.kind == core::ValueClass::nan                 ? "NaN"
                             : special.kind == core::ValueClass::positive_infinity ? "+Inf"
                                                                                   : "-Inf";
    const std::string where = std::string(snapshot_.name(tensor_)) + index_text(layout_, special.index);
    out_.push_back({label, fmt::format("{} at {}", what, where),
                    sample_ ? "Of the sample: there may be others before and after." : "In the order of the indices.", Tone::bad,
                    special.index});
  }

  void add_quantiles() {
    const core::Quantiles& q = statistics_.quantiles;
    if (q.method == StatisticsMethod::none || is_bool() || s_.seen == 0) return;
    const bool whole = s_.min.kind == ValueKind::signed_integer || s_.min.kind == ValueKind::unsigned_integer;
    const bool exact = q.method == StatisticsMethod::exact;
    // Few enough to be all of them: then they are no sample, but 64-bit integers that were rounded.
    const bool rounded = !exact && !sample_ && whole && s_.count <= kMostSorted;
    const auto text = [&](std::size_t i) {
      return rounded ? fmt::format("≈ {:.0f}", q.values[i]) : fmt::format("{:.{}g}", q.values[i], whole ? 15 : 5);
    };
    const std::string meaning = exact     ? "Exact: over all finite values."
                                : rounded ? "Of all values, each rounded to a float64: these integers have more digits."
                                          : "Of a sample of at most 65 536 values.";
    const std::string sampled = exact || rounded ? "" : "  (sample)";
    const bool even = (exact || rounded) && finite() % 2 == 0;
    add(even ? "lower median" : "median", text(4) + sampled,
        even ? "Of an even count of values, the lower of the two in the middle: a value that is there. NumPy's median is the "
               "mean of the two. " + meaning
             : meaning);
    add("1 % to 99 %", (text(1) == text(7) ? text(1) : text(1) + " to " + text(7)) + sampled, meaning);
    if (exact) add("distinct", grouped(q.distinct), "How many different finite values there are.");
  }

  const Snapshot& snapshot_;
  const TensorRecord& tensor_;
  core::DType dtype_;  // of the numbers
  core::LayoutView layout_;
  const core::Statistics& statistics_;
  const ValueSummary& s_;
  bool sample_;
  std::vector<StatisticsFact> out_;
};

}  // namespace

std::uint64_t bytes_to_read(const Snapshot& snapshot, const TensorRecord& tensor) {
  const core::TensorValues values = core::tensor_values(snapshot, tensor);
  const core::MemoryOrder order(values.layout, values.dtype, values.address);
  return order.places() * order.value_bits() / 8;  // no overflow: in a validated layout the bits of all values fit
}

std::string reading_time(std::uint64_t bytes, double rate) {
  const double seconds = static_cast<double>(bytes) / (rate > 0 ? rate : kUsualRate);
  if (seconds < 1) return "less than a second";
  if (seconds < 90) return fmt::format("about {:.0f} s", std::ceil(seconds));
  return seconds < 5400 ? fmt::format("about {:.0f} min", std::ceil(seconds / 60))
                        : fmt::format("about {:.0f} h", std::ceil(seconds / 3600));
}

std::string why_no_statistics(const Snapshot& snapshot, const TensorRecord& tensor) {
  std::string why = why_no_values(snapshot, tensor);
  if (!why.empty()) return why;
  if (!core::has_statistics(core::numbers_of(snapshot, tensor).dtype))
    return fmt::format("{} is not a type of numbers.{}", snapshot.dtype_name(tensor),
                       core::fields_of(snapshot, tensor).empty() ? " Values shows its elements."
                                                                 : " One of its fields may be: choose it above.");
  return {};
}

Coverage coverage(const ValueSummary& summary) {
  if (summary.method == StatisticsMethod::sample) {
    return {fmt::format("A sample: {} of {} values{}.", grouped(summary.seen), grouped(summary.count),
                        percent(summary.seen, summary.count)),
            "Small clusters from all over the tensor. What is rare may not be in it: no NaN in a sample does not mean that there "
            "is none.",
            true};
  }
  return {summary.count == 1 ? "The one value." : fmt::format("All {} values.", grouped(summary.count)),
          "Every value was read once, in the order in which they lie in memory.", false};
}

ReadWhen read_when(const TensorStatistics& statistics, const Moment& now) {
  ReadWhen out;
  out.text = statistics.read_at.empty() ? "" : fmt::format("Read at {}", statistics.read_at);
  const std::string seen = moment_description(statistics.begun);
  if (!seen.empty()) out.text += (out.text.empty() ? "" : ", ") + seen;
  if (!out.text.empty()) out.text += ".";
  if (!statistics.own) {
    out.stale = true;
    out.text += " Code had run or was running since the tensor was described: other data may be there.";
  } else if (!(now == statistics.begun)) {
    out.stale = true;
    const std::string since = since_description(now);
    out.text += since.empty() ? fmt::format(" The tensor is shown {}: the values may have changed.", moment_description(now))
                              : fmt::format(" Since then: {}. The values may have changed.", since);
  } else if (statistics.before_look) {
    out.stale = true;
    out.text += " Read before the tensors were last scanned: other threads or processes may have changed the values.";
  }
  return out;
}

std::vector<StatisticsFact> statistics_facts(const Snapshot& snapshot, const TensorRecord& tensor,
                                             const core::Statistics& statistics) {
  return Facts(snapshot, tensor, statistics).all();
}

std::string number_description(core::DType dtype, const Number& number) {
  core::Value value;
  value.kind = number.kind;
  value.as_signed = number.as_signed;
  value.as_unsigned = number.as_unsigned;
  value.real = number.real;
  if (number.kind == ValueKind::bits || number.kind == ValueKind::complex) return {};
  return number_text(lane_of(dtype), value, {});
}

CountsLine counts_line(const ValueSummary& summary, core::DType dtype) {
  CountsLine out;
  if (summary.method == StatisticsMethod::none || summary.seen == 0) return out;
  const auto code = static_cast<core::DTypeCode>(dtype.code);
  const std::string of = summary.method == StatisticsMethod::sample ? "in a sample: " : "";
  const bool whole = code == core::DTypeCode::int_ || code == core::DTypeCode::uint;
  if (code == core::DTypeCode::bool_) {
    out.text = fmt::format("{}False {}", of, grouped(summary.zero));
    return out;
  }
  if (whole) {
    out.text = fmt::format("{}zero {}   negative {}", of, grouped(summary.zero), grouped(summary.negative));
    out.brief = fmt::format("{}zero {}", of, grouped(summary.zero));
    return out;
  }
  const std::uint64_t infinite = summary.pos_inf + summary.neg_inf;
  const auto add = [&](const char* what, std::uint64_t count, Tone tone) {
    out.parts.push_back({fmt::format("{} {}", what, grouped(count)), count > 0 ? tone : Tone::dim});
  };
  if (!of.empty()) out.parts.push_back({of, Tone::dim});
  add("NaN", summary.nan, Tone::bad);
  add("   +Inf", summary.pos_inf, Tone::warn);
  add("   -Inf", summary.neg_inf, Tone::warn);
  add("   zero", summary.zero, Tone::dim);
  add("   subnormal", summary.subnormal, Tone::dim);
  for (const CountsLine::Part& part : out.parts) out.text += part.text;
  out.brief = fmt::format("{}NaN {}, Inf {}", of, grouped(summary.nan), grouped(infinite));
  out.tone = summary.nan > 0 ? Tone::bad : infinite > 0 ? Tone::warn : Tone::dim;
  return out;
}

std::string nan_cell(const ValueSummary& summary) {
  if (summary.method == StatisticsMethod::none) return {};
  return (summary.method == StatisticsMethod::sample && summary.nan == 0 ? "0?" : grouped(summary.nan));
}

std::string least_cell(const ValueSummary& summary, core::DType dtype) {
  return summary.method == StatisticsMethod::none ? std::string() : number_description(dtype, summary.min);
}

std::string greatest_cell(const ValueSummary& summary, core::DType dtype) {
  return summary.method == StatisticsMethod::none ? std::string() : number_description(dtype, summary.max);
}

void append_value_badges(const ValueSummary& summary, std::vector<Badge>& out) {
  if (summary.method == StatisticsMethod::none) return;
  const std::string seen = summary.method == StatisticsMethod::sample ? "In a sample of its values. " : "";
  if (summary.nan > 0)
    out.push_back(
        {"NaN " + grouped(summary.nan),
         fmt::format("{}{} not a number.", seen, summary.nan == 1 ? "One value is" : grouped(summary.nan) + " values are"),
         Tone::bad});
  const std::uint64_t infinite = summary.pos_inf + summary.neg_inf;
  if (infinite > 0)
    out.push_back({"Inf " + grouped(infinite),
                   fmt::format("{}{} infinite.", seen, infinite == 1 ? "One value is" : grouped(infinite) + " values are"),
                   Tone::warn});
}

}  // namespace dlscope::app
