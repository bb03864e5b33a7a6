#include "core/report/statistics_json.h"

#include <fmt/format.h>

#include <array>
#include <span>

namespace dlscope::core {
namespace {

void put_number(JsonWriter& json, const Number& number) {
  switch (number.kind) {
    case ValueKind::signed_integer:
      return json.value(number.as_signed);
    case ValueKind::unsigned_integer:
      return json.value(number.as_unsigned);
    case ValueKind::boolean:
      return json.value(number.as_unsigned != 0);
    case ValueKind::real:
      return json.number(number.real);
    case ValueKind::bits:
    case ValueKind::complex:
      break;
  }
  json.null();
}

const char* special_name(ValueClass kind) {
  return kind == ValueClass::nan ? "nan" : kind == ValueClass::positive_infinity ? "inf" : "-inf";
}

void put_special(JsonWriter& json, const char* key, const SpecialValue& special, LayoutView layout) {
  json.key(key);
  if (special.index == kNoIndex) return json.null();
  std::array<std::int64_t, kMaxRank> index{};
  const std::span<std::int64_t> used(index.data(), layout.shape.size());
  unravel(layout, special.index, used);
  json.begin_object();
  json.field("value", special_name(special.kind));
  json.key("index");
  json.begin_array();
  for (const std::int64_t i : used) json.value(i);
  json.end_array();
  json.end_object();
}

void put_summary_fields(JsonWriter& json, const ValueSummary& s, LayoutView layout) {
  const auto real = [&](const char* key, double value) {
    json.key(key);
    json.number(value);
  };
  json.field("method", statistics_method_name(s.method));
  json.field("count", s.count);
  json.field("seen", s.seen);
  json.key("min");
  put_number(json, s.min);
  json.key("max");
  put_number(json, s.max);
  real("mean", s.mean);
  real("mean_error", s.mean_error);
  real("std", s.std);
  real("std_error", s.std_error);
  json.field("nan", s.nan);
  json.field("pos_inf", s.pos_inf);
  json.field("neg_inf", s.neg_inf);
  json.field("zero", s.zero);
  json.field("negative", s.negative);
  json.field("subnormal", s.subnormal);
  put_special(json, "first_special", s.first_special, layout);
  put_special(json, "last_special", s.last_special, layout);
}

void put_histogram(JsonWriter& json, const Histogram& histogram) {
  if (!histogram.valid) return json.null();
  json.begin_object();
  json.key("low");
  json.number(histogram.low);
  json.key("high");
  json.number(histogram.high);
  json.field("below", histogram.below);
  json.field("above", histogram.above);
  json.key("counts");
  json.begin_array();
  for (const std::uint64_t count : histogram.bins) json.value(count);
  json.end_array();
  json.end_object();
}

void put_quantiles(JsonWriter& json, const Quantiles& quantiles) {
  if (quantiles.method == StatisticsMethod::none) return json.null();
  json.begin_object();
  json.field("method", statistics_method_name(quantiles.method));
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
    json.key(fmt::format("{}", kQuantiles[i]));
    json.number(quantiles.values[i]);
  }
  json.key("distinct");
  if (quantiles.method == StatisticsMethod::exact) {
    json.value(quantiles.distinct);
  } else {
    json.null();
  }
  json.end_object();
}

}  // namespace

void put_summary(JsonWriter& json, const ValueSummary& summary, LayoutView layout) {
  json.begin_object();
  put_summary_fields(json, summary, layout);
  json.end_object();
}

bool write_statistics(const Statistics& statistics, LayoutView layout, const JsonSink& sink) {
  JsonWriter json(sink);
  json.begin_object();
  put_summary_fields(json, statistics.summary, layout);
  json.key("histogram");
  put_histogram(json, statistics.histogram);
  json.key("quantiles");
  put_quantiles(json, statistics.quantiles);
  json.end_object();
  return json.finish();
}

}  // namespace dlscope::core
