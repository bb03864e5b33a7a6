// Numbers of a heat map as text: integers with all their digits, in tooltips and at the ends of the colours.
#include "app/models/heatmap/short_number.h"

#include <fmt/format.h>

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "app/models/heatmap/heatmap_text.h"
#include "core/inventory/field_view.h"
#include "core/inventory/tensor_numbers.h"
#include "core/tensor/item_type.h"
#include "tests/app/models/heatmap/drawn_heatmap.h"

namespace dlscope::app {
namespace {

core::DType dtype(const char* name) { return *core::dtype_from_name(name); }

TEST_CASE("integers have all their digits where a double holds them, and say where it may not", "[models][heatmap]") {
  CHECK(short_number(1'234'567) == "1.23457e+06");
  CHECK(short_number(1'234'567, Digits::all) == "1234567");
  CHECK(short_number(-0.0, Digits::all) == "0");
  CHECK(short_number(0.1234567, Digits::all) == "0.123457");  // a mean
  CHECK(short_number(1'234'567.25, Digits::all) == "1234567.2");
  CHECK(short_number(16'777'215, Digits::all, kExactInFloats) == "16777215");
  CHECK(short_number(16'777'216, Digits::all, kExactInFloats) == "≈ 16777216");
  CHECK(short_number(1e300, Digits::all) == "1e+300");
  CHECK(short_number(std::numeric_limits<double>::quiet_NaN(), Digits::all) == "nan");
  for (const char* const name : {"int8", "uint8", "int32", "uint64", "int4"}) CHECK(digits_of(dtype(name)) == Digits::all);
  for (const char* const name : {"bool", "float32", "complex64", "bfloat16"}) CHECK(digits_of(dtype(name)) == Digits::six);
  std::mt19937_64 random(20261128);
  for (int i = 0; i < 20'000; ++i) {
    const auto value = static_cast<std::int64_t>(random()) >> random() % 64;
    const std::string text = short_number(static_cast<double>(value), Digits::all), whole = std::to_string(value);
    const bool is_exact = std::abs(static_cast<double>(value)) < kExactInDoubles;
    INFO(whole);
    REQUIRE((is_exact ? text == whole : text.starts_with("≈ ")));
  }
}

TEST_CASE("numbers that differ are different texts beside each other, and in a cell", "[models][heatmap]") {
  const double low = static_cast<double>(1.0000001F), high = static_cast<double>(1.0000002F);
  CHECK(short_numbers({low, high}) == std::vector<std::string>{"1.0000001", "1.0000002"});
  CHECK(short_numbers({0.5, 0.25, 0.5}) == std::vector<std::string>{"0.5", "0.25", "0.5"});
  CHECK(short_numbers({1.0, std::nextafter(1.0, 2.0)}).back() == "1.0000000000000002");
  CHECK(short_numbers({1'234'567, 1'234'568}, Digits::all) == std::vector<std::string>{"1234567", "1234568"});
  CHECK(short_numbers({1'234'567.21, 1'234'567.24}, Digits::all).front() == "1234567.21");  // means
  // The dtypes that are kept as floats have the digits of a float; in float64 that is another number.
  const double tenth = static_cast<double>(0.1F);
  for (const char* const name : {"float32", "bfloat16", "float16", "int16"}) CHECK(exact_of(dtype(name)) == kExactInFloats);
  for (const char* const name : {"float64", "int32", "complex64"}) CHECK(exact_of(dtype(name)) == kExactInDoubles);
  const auto of_float = [](double value) { return every_digit(value, Digits::six, kExactInFloats); };
  CHECK((of_float(low) == "1.0000001" && of_float(high) == "1.0000002" && of_float(tenth) == "0.1"));
  CHECK((every_digit(0.1) == "0.1" && every_digit(tenth) == "0.10000000149011612"));
  CHECK((every_digit(0.1) == "0.1" && every_digit(1'234'567, Digits::all) == "1234567" && every_digit(-0.0, Digits::all) == "0"));
  CHECK((every_digit(std::numeric_limits<double>::quiet_NaN()) == "nan" && every_digit(1e300) == "1e+300"));
  std::mt19937_64 random(20261129);
  for (int i = 0; i < 20'000; ++i) {
    const double a = std::bit_cast<double>(random()), b = std::nextafter(a, 0.0);
    if (!std::isfinite(a)) continue;
    const auto texts = short_numbers({a, b});
    INFO(texts[0]);
    REQUIRE((texts[0] != texts[1] && every_digit(a) != every_digit(b) && std::strtod(every_digit(a).c_str(), nullptr) == a));
  }
}

TEST_CASE("all float32 and their neighbours in float64 are different texts of the number itself", "[models][heatmap]") {
  std::mt19937_64 random(20261130);
  for (int i = 0; i < 20'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(value)) continue;
    const auto wide = static_cast<double>(value);
    const std::string narrow = every_digit(wide, Digits::six, kExactInFloats), text = every_digit(wide);
    const double same_text = std::strtod(narrow.c_str(), nullptr);  // a float64 that is written like this float32
    INFO(narrow << ' ' << text);
    REQUIRE((narrow.size() <= text.size() && std::strtof(narrow.c_str(), nullptr) == value));
    REQUIRE(std::strtod(text.c_str(), nullptr) == wide);
    REQUIRE((same_text == wide || every_digit(same_text) != text));
  }
}

TEST_CASE("the middle of the colours is told apart from their ends", "[models][heatmap]") {
  for (const ColourStretch stretch : {ColourStretch::linear, ColourStretch::logarithmic}) {
    const ColourScale close(1.0, 1.000'000'4, stretch);
    const auto texts = colour_numbers(close, dtype("float64"));
    CHECK((texts[0] == "1" && texts[1] == "1.0000002" && texts[2] == "1.0000004"));
  }
  const auto whole = colour_numbers(ColourScale(1'000'000, 1'000'001), dtype("int32"));
  CHECK((whole[0] == "1000000" && whole[1] == "1000000.5" && whole[2] == "1000001"));
}

TEST_CASE("the tooltip of a pixel has every digit of its extremes and its mean", "[models][heatmap]") {
  std::vector<double> values(400 * 400, 1.0);
  values[0] = 0.1;
  values[1] = static_cast<double>(0.1F);
  values[2] = 1.234'567'890'123'456'7;
  tests::DrawnHeatmap drawn(values.data(), "float64", core::Layout::c_order({400, 400}, 64), 200, 200);
  static_cast<void>(drawn.settle());
  const auto text = [&](std::int64_t row, std::int64_t column) {
    return texel_text(drawn.store, drawn.view(), {400, 400}, row, column);
  };
  CHECK(text(0, 0).find("min 0.1   ") != std::string::npos);
  CHECK(text(0, 0).find("mean " + fmt::format("{}", (0.1 + values[1] + 2.0) / 4)) != std::string::npos);
  CHECK(text(0, 2).ends_with("max 1.2345678901234567"));
  CHECK(text(20, 20).ends_with("\n1"));
}

TEST_CASE("the tooltip of a pixel of many integers has the digits of its extremes", "[models][heatmap]") {
  std::vector<std::int64_t> values(400 * 400, 1'234'567);
  values[0] = -9'007'199'254'740'991;
  values[1] = 123'456'789'012'345;
  values[3] = std::numeric_limits<std::int64_t>::max();
  tests::DrawnHeatmap drawn(values.data(), "int64", core::Layout::c_order({400, 400}, 64), 200, 200);
  static_cast<void>(drawn.settle());
  const auto text = [&](std::int64_t row, std::int64_t column) {
    return texel_text(drawn.store, drawn.view(), {400, 400}, row, column);
  };
  CHECK(text(20, 20).ends_with("\n1234567"));
  CHECK(text(0, 0).find("min -9007199254740991 ") != std::string::npos);
  CHECK(text(0, 0).ends_with("max 123456789012345"));
  CHECK(text(0, 2).ends_with("max ≈ 9223372036854775808"));
}

TEST_CASE("the tooltip of a field's picture counts along the field's own axes", "[models][heatmap]") {
  // A sub-array of 300 x 300 in the only record: the record's own layout has one axis of size 1.
  const core::DType i32 = dtype("int32");
  core::ItemType item = core::record_item({{"a", 0, core::number_item(i32, false), {}},
                                           {"p", 4, core::number_item(i32, false), {120, 120}}}, 4 + 120 * 120 * 4);
  std::vector<std::int32_t> memory(1 + 120 * 120);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::int32_t>(1'000'000 + i);
  const core::SnapshotPtr snapshot = tests::local_tensor(memory.data(), item, core::Layout::c_order({1}, item.bytes * 8));
  const core::TensorPart part = core::part_view(snapshot, 0, 1).value();
  HeatmapStore store;
  static_cast<void>(store.show(snapshot, 1));
  const core::CellAxes axes = default_cell_axes(3);
  const HeatmapCamera camera = tests::camera_of(120, 120, 60, 60);
  const HeatmapSubject subject{.tensor = 0,
                               .axes = &axes,
                               .values = core::tensor_values(*part.snapshot, part.record()),
                               .most_exact = ~std::uint64_t{0},
                               .field = 1};
  const std::shared_ptr<const core::MemoryReader> memory_of_process = core::process_reader(0).value();
  while (const auto request = next_request(store, camera, subject)) {
    const auto begun = store.begin(*request);
    auto task = core::ReduceTask::make(subject.values, request->axes, window_of(request->level, request->tiles, request->cells),
                                       request->most_exact, nullptr, memory_of_process);
    REQUIRE(task);
    for (bool more = true; more;) {
      more = (*task)->step().value() == core::Task::State::more;
      while (const auto texels = (*task)->take(1000)) store.take(begun.id, *texels);
    }
    store.end(begun.id, HeatmapReading::Phase::done, {});
  }
  const std::string text = texel_text(store, view_of(camera, subject.form()), {120, 120}, 6, 8);
  CHECK(text == "rows 6 to 7, columns 8 to 9\nmin 1000729   mean 1000789.5   max 1000850");
}

}  // namespace
}  // namespace dlscope::app
