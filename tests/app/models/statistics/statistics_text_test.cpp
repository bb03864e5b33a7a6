#include "app/models/statistics/statistics_text.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "app/models/statistics/histogram_bars.h"
#include "core/inventory/snapshot_builder.h"
#include "core/statistics/statistics.h"
#include "core/tensor/item_type.h"
#include "tests/support/local_tensor.h"

namespace dlscope::app {
namespace {

using core::Layout;

// The lines for a tensor over `data`, worked out for real.
template <class T>
std::vector<StatisticsFact> facts_of(const std::vector<T>& data, const char* dtype_name, const Layout& layout,
                                     bool sample = false) {
  const core::DType dtype = *core::dtype_from_name(dtype_name);
  const core::SnapshotPtr snapshot = tests::local_tensor(data.data(), dtype, layout);
  const core::TensorRecord& tensor = snapshot->tensors[0];
  core::StatisticsOptions options;
  options.histogram = true;
  const core::TensorValues values{dtype, snapshot->layout(tensor), tensor.address, core::ElementSource::held_memory()};
  const auto statistics = sample ? core::sample_statistics(values, options) : core::exact_statistics(values, options);
  return statistics_facts(*snapshot, tensor, statistics.value());
}

std::string text_of(const std::vector<StatisticsFact>& facts, const std::string& label) {
  const auto found = std::ranges::find(facts, label, &StatisticsFact::label);
  return found == facts.end() ? std::string("(none)") : found->text;
}

Layout row_of(std::size_t count, std::uint32_t bits) { return Layout::c_order({static_cast<std::int64_t>(count)}, bits); }

const float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("the lines say what the values add up to, and where the first and last special one is", "[app][statistics]") {
  const std::vector<float> data{0.1F, kNan, -2, 0, kInf, 1e-44F};
  const auto facts = facts_of(data, "float32", Layout::c_order({2, 3}, 32));
  CHECK(text_of(facts, "values") == "6");
  CHECK(text_of(facts, "min") == "-2.0");
  CHECK(text_of(facts, "max") == "0.1");  // as float32 writes it
  CHECK(text_of(facts, "NaN") == "1 (17 %)");
  CHECK(text_of(facts, "+Inf") == "1 (17 %)");
  CHECK(text_of(facts, "-Inf") == "0");
  CHECK(text_of(facts, "zero") == "1 (17 %)");
  CHECK(text_of(facts, "negative") == "1 (17 %)");
  CHECK(text_of(facts, "subnormal") == "1 (17 %)");
  CHECK(text_of(facts, "first NaN or Inf") == "NaN at x[0, 1]");
  CHECK(text_of(facts, "last NaN or Inf") == "+Inf at x[1, 1]");
  const auto last = std::ranges::find(facts, "last NaN or Inf", &StatisticsFact::label);
  CHECK(last->element == 4U);
}

TEST_CASE("everyday cases: all NaN, nothing, one value, True and False, complex, whole numbers", "[app][statistics]") {
  CHECK(text_of(facts_of(std::vector<float>{kNan, kNan}, "float32", row_of(2, 32)), "min, max") == "none");
  CHECK(text_of(facts_of(std::vector<float>{kNan, kNan}, "float32", row_of(2, 32)), "NaN") == "2 (all)");
  CHECK(text_of(facts_of(std::vector<float>{1}, "float32", row_of(0, 32)), "min, max") == "none");
  const auto one = facts_of(std::vector<double>{3.5}, "float64", Layout::c_order({}, 64));
  CHECK(text_of(one, "min") == "3.5");
  CHECK(text_of(one, "max") == "3.5");
  CHECK(text_of(one, "std") == "0");
  CHECK(text_of(one, "first NaN or Inf") == "(none)");
  const auto truth = facts_of(std::vector<std::uint8_t>{1, 0, 1, 1}, "bool", row_of(4, 8));
  CHECK(text_of(truth, "share of True") == "0.75");
  CHECK(text_of(truth, "False") == "1 (25 %)");
  CHECK(text_of(truth, "min") == "False");
  CHECK(text_of(truth, "NaN") == "(none)");
  const auto complex = facts_of(std::vector<float>{1, 2, kNan, 0}, "complex64", row_of(2, 64));
  CHECK(text_of(complex, "min, max") == "none");
  CHECK(text_of(complex, "NaN") == "1 (50 %)");
  CHECK(text_of(complex, "negative") == "(none)");
  const auto whole = facts_of(std::vector<std::int64_t>{-9'007'199'254'740'993, 4}, "int64", row_of(2, 64));
  CHECK(text_of(whole, "min") == "-9007199254740993");
  CHECK(text_of(whole, "NaN") == "(none)");
}

TEST_CASE("a sample is called one wherever a number of it stands", "[app][statistics]") {
  const std::vector<float> data(3'000'000, 1.0F);
  const auto facts = facts_of(data, "float32", row_of(data.size(), 32), true);
  CHECK(text_of(facts, "NaN") == "none in the sample");
  core::ValueSummary summary;
  summary.method = core::StatisticsMethod::sample;
  summary.count = 3'000'000;
  summary.seen = 1'048'576;
  CHECK(coverage(summary).is_sample);
  CHECK(coverage(summary).text == "A sample: 1 048 576 of 3 000 000 values (35 %).");
  CHECK(nan_cell(summary) == "0?");
  summary.method = core::StatisticsMethod::exact;
  CHECK(coverage(summary).text == "All 3 000 000 values.");
  CHECK(nan_cell(summary) == "0");
}

TEST_CASE("what was read says when, and what has happened since", "[app][statistics]") {
  TensorStatistics read;
  read.begun = {.run = 3};
  read.read_at = "14:03:12";
  CHECK(read_when(read, {.run = 3}).text == "Read at 14:03:12, as of run 3.");
  CHECK_FALSE(read_when(read, {.run = 3}).stale);
  const ReadWhen later = read_when(read, {.run = 3, .since = Since::running, .since_run = 4});
  CHECK(later.stale);
  CHECK(later.text == "Read at 14:03:12, as of run 3. Since then: run 4 is running. The values may have changed.");
  CHECK(read_when(read, {.run = 3, .since = Since::ended}).text ==
        "Read at 14:03:12, as of run 3. Since then: that Python has ended. The values may have changed.");
  read.own = false;
  CHECK(read_when(read, read.begun).stale);
}

TEST_CASE("bars join bins where there is no room for each, and none with a value is invisible", "[app][statistics]") {
  core::Histogram histogram;
  CHECK(histogram_bars(histogram, 100, HistogramScale::linear, BinnedValues::real).empty());
  CHECK(fmt::format("{:.{}g}", 0.99998, digits_of_ends(0.99998, 1.00002)) == "0.99998");  // of values that are all 1
  CHECK(fmt::format("{:.{}g}", 1.00002, digits_of_ends(0.99998, 1.00002)) == "1.00002");
  CHECK(digits_of_ends(-1, 1) == 5);
  CHECK(digits_of_ends(-1e308, 1e308) == 5);
  CHECK(digits_of_ends(0x1p60, 0x1p60) == 17);
  histogram.valid = true;
  histogram.low = -1;
  histogram.high = 1;
  histogram.width = 2.0 / 256;
  histogram.bins[0] = 1'000'000;
  histogram.bins[255] = 1;
  const auto all = histogram_bars(histogram, 1000, HistogramScale::linear, BinnedValues::real);
  REQUIRE(all.size() == 256);
  CHECK(all.front().height == 1);
  CHECK((all.back().height > 0 && all.back().height < 0.1F));
  CHECK(all[100].height == 0);
  CHECK(all.back().high == 1);
  CHECK(bar_text(all.back(), true, 1'000'001, BinnedValues::real).find("≤ 1: 1 value") != std::string::npos);
  const auto few = histogram_bars(histogram, 100, HistogramScale::linear, BinnedValues::real);
  CHECK(few.size() == 86);  // three bins each
  CHECK(few.back().count == 1);
  const auto logarithmic = histogram_bars(histogram, 256, HistogramScale::logarithmic, BinnedValues::real);
  CHECK(logarithmic.back().height > all.back().height);
}

TEST_CASE("bars of whole numbers end at the largest, and name the numbers they hold", "[app][statistics]") {
  core::Histogram histogram;
  histogram.valid = true;
  histogram.low = 3;
  histogram.width = 1;
  histogram.high = 3 + 256;
  histogram.bins[0] = 2;
  histogram.bins[4] = 1;
  const auto bars = histogram_bars(histogram, 300, HistogramScale::linear, BinnedValues::whole);
  REQUIRE(bars.size() == 5);
  CHECK(bar_text(bars[4], true, 3, BinnedValues::whole) == "7: 1 value (33 %)");
  const auto joined = histogram_bars(histogram, 2, HistogramScale::linear, BinnedValues::whole);
  REQUIRE(joined.size() == 2);
  CHECK(bar_text(joined[0], false, 3, BinnedValues::whole) == "3 to 5: 2 values (67 %)");
}

TEST_CASE("of masked and of null values it is said that they count", "[app][statistics]") {
  const std::vector<float> data{1, 1e20F, 3};
  auto snapshot = std::make_shared<core::Snapshot>(
      *tests::local_tensor(data.data(), *core::dtype_from_name("float32"), row_of(3, 32)));
  const auto statistics =
      core::exact_statistics({snapshot->tensors[0].dtype, snapshot->layout(snapshot->tensors[0]), snapshot->tensors[0].address,
                              core::ElementSource::held_memory()},
                             {})
          .value();
  CHECK(text_of(statistics_facts(*snapshot, snapshot->tensors[0], statistics), "mask") == "(none)");
  snapshot->tensors[0].remarks = {static_cast<std::uint32_t>(snapshot->remarks.size()), 1};
  snapshot->remarks.push_back({core::RemarkCode::masked, {}});
  CHECK(text_of(statistics_facts(*snapshot, snapshot->tensors[0], statistics), "mask") == "not applied");
  CHECK(text_of(statistics_facts(*snapshot, snapshot->tensors[0], statistics), "nulls") == "(none)");
  std::vector<Badge> badges;
  append_own_badges(*snapshot, snapshot->tensors[0], badges);
  CHECK(std::ranges::find(badges, "masked", &Badge::text) != badges.end());
  snapshot->remarks.back() = {core::RemarkCode::nulls, {}};
  CHECK(text_of(statistics_facts(*snapshot, snapshot->tensors[0], statistics), "nulls") == "not left out");
  badges.clear();
  append_own_badges(*snapshot, snapshot->tensors[0], badges);
  CHECK(std::ranges::find(badges, "nulls", &Badge::text) != badges.end());
}

TEST_CASE("of an even count the median is said to be the lower one", "[app][statistics]") {
  std::vector<std::int32_t> odd_numbers;
  for (std::int32_t i = 1; i <= 23; i += 2) odd_numbers.push_back(i);
  const auto even = facts_of(odd_numbers, "int32", row_of(12, 32));  // NumPy's median is 12
  CHECK(text_of(even, "lower median") == "11");
  CHECK(text_of(even, "median") == "(none)");
  odd_numbers.push_back(25);
  CHECK(text_of(facts_of(odd_numbers, "int32", row_of(13, 32)), "median") == "13");
}

TEST_CASE("integers that differ by less than a float64 shows are said to, and min and max are exact", "[app][statistics]") {
  std::vector<std::uint64_t> near;
  for (std::uint64_t i = 0; i < 24; ++i) near.push_back((std::uint64_t{1} << 63) + i);
  const auto facts = facts_of(near, "uint64", row_of(24, 64));
  CHECK(text_of(facts, "min") == "9223372036854775808");
  CHECK(text_of(facts, "max") == "9223372036854775831");
  CHECK(text_of(facts, "differences") == "smaller than a float64 shows");
  CHECK(text_of(facts, "lower median") == "≈ 9223372036854775808");  // of all values, not of a sample
  CHECK(text_of(facts, "1 % to 99 %") == "≈ 9223372036854775808");
  const std::vector<std::uint64_t> apart{1, 2, 3};
  CHECK(text_of(facts_of(apart, "uint64", row_of(3, 64)), "differences") == "(none)");
}

TEST_CASE("the counts of what may be wrong fit on a line, and say when they are of a sample", "[app][statistics]") {
  core::ValueSummary s;
  CHECK(counts_line(s, *core::dtype_from_name("float32")).text.empty());  // nothing was read
  s.method = core::StatisticsMethod::exact;
  s.count = s.seen = 16'777'216;
  s.nan = 1;
  s.zero = 4096;
  const CountsLine bad = counts_line(s, *core::dtype_from_name("float32"));
  CHECK(bad.text == "NaN 1   +Inf 0   -Inf 0   zero 4 096   subnormal 0");
  for (const CountsLine::Part& part : bad.parts)  // one NaN does not make the count of zeros bad
    CHECK((part.tone == Tone::bad) == part.text.starts_with("NaN"));
  CHECK((bad.brief == "NaN 1, Inf 0" && bad.tone == Tone::bad));
  s.method = core::StatisticsMethod::sample;
  s.nan = 0;
  s.pos_inf = 2;
  s.neg_inf = 3;
  const CountsLine sampled = counts_line(s, *core::dtype_from_name("bfloat16"));
  CHECK(sampled.text == "in a sample: NaN 0   +Inf 2   -Inf 3   zero 4 096   subnormal 0");
  CHECK((sampled.brief == "in a sample: NaN 0, Inf 5" && sampled.tone == Tone::warn));
  s.method = core::StatisticsMethod::exact;
  s.negative = 7;
  CHECK(counts_line(s, *core::dtype_from_name("int32")).text == "zero 4 096   negative 7");
  CHECK(counts_line(s, *core::dtype_from_name("bool")).text == "False 4 096");
  CHECK(counts_line(s, *core::dtype_from_name("int32")).tone == Tone::dim);
}

TEST_CASE("a share is never rounded to nothing or to all", "[app][statistics]") {
  CHECK(percent_text(0, 10) == "0 %");
  CHECK(percent_text(10, 10) == "100 %");
  CHECK(percent_text(1, 1'000'000) == "< 0.01 %");
  CHECK(percent_text(999'999, 1'000'000) == "> 99.99 %");
  CHECK(percent_text(9'997, 10'000) == "99.97 %");
  CHECK(percent_text(1, 3) == "33 %");
  CHECK(percent_text(12, 10'000) == "0.12 %");
}

TEST_CASE("how long reading may take is said in units people use", "[app][statistics]") {
  CHECK(reading_time(1 << 20, 0) == "less than a second");
  CHECK(reading_time(std::uint64_t{40} << 30, 1e9) == "about 43 s");
  CHECK(reading_time(std::uint64_t{1} << 40, 1e9) == "about 19 min");
}

TEST_CASE("numbers in the other byte order have statistics, texts have none", "[models][statistics]") {
  static const std::uint32_t bytes[3] = {};
  const auto snapshot_of = [](core::ItemType item) {
    core::TensorDesc desc;
    desc.clear();
    desc.protocol = core::Protocol::file;
    desc.has_metadata = desc.has_layout = true;
    desc.dtype = core::dtype_of_item(item.bytes);
    desc.item_type = std::make_shared<const core::ItemType>(std::move(item));
    desc.device = core::kCpuDevice;
    desc.data = reinterpret_cast<core::Address>(bytes);
    desc.rank = 1;
    desc.shape[0] = 3;
    desc.stride_bits[0] = 32;
    static_cast<void>(core::check_layout(core::Layout::c_order({3}, 32), desc.bounds));
    static_cast<void>(core::find_extent(desc.bounds, desc.data, desc.extent));
    core::SnapshotBuilder builder;
    const core::TextRef text = builder.intern("file");
    builder.add_tensor(desc, text, text, builder.add_text("x"));
    const auto reader = core::process_reader(0).value();
    core::AnalyseOptions options;
    options.reader = reader.get();
    const auto map = core::AddressMap::load(0);
    REQUIRE(map);
    options.map = &*map;
    builder.analyse(options);
    return builder.finish();
  };
  const auto why = [](const core::SnapshotPtr& snapshot) { return why_no_statistics(*snapshot, snapshot->tensors[0]); };
  const core::DType f32 = *core::dtype_from_name("float32");
  CHECK(why(snapshot_of(core::number_item(f32, true))).empty());
  CHECK(why(snapshot_of(core::text_item(core::ItemKind::ucs4_text, 1, true)))
            .ends_with("is not a type of numbers. Values shows its elements."));
}

}  // namespace dlscope::app
