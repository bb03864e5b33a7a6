#include "app/models/values/value_copy.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "app/models/text/format.h"
#include "app/models/values/value_summary.h"
#include "core/tensor/item_type.h"
#include "tests/support/local_tensor.h"

namespace dlscope::app {
namespace {

using tests::local_tensor;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

core::DType dtype(const char* name) { return core::dtype_from_name(name).value(); }

CopiedText copied(const core::SnapshotPtr& snapshot, CopyFormat format, CellRange range, AxisMapping mapping) {
  const auto reader = core::process_reader(0);
  return copy_cells(ValueGrid(snapshot, 0, std::move(mapping)), range, format, **reader);
}

std::string all_of(const core::SnapshotPtr& snapshot, CopyFormat format) {
  const AxisMapping mapping = default_mapping(snapshot->tensors[0].rank);
  const ValueGrid grid(snapshot, 0, mapping);
  return copied(snapshot, format, {{0, 0}, {grid.rows() - 1, grid.columns() - 1}}, mapping).text;
}

template <class T>
std::string one(const char* type, T value, CopyFormat format) {
  return all_of(local_tensor(&value, dtype(type), core::Layout::c_order({}, dtype(type).item_bits())), format);
}

}  // namespace

TEST_CASE("a matrix with special values is copied in the words of each language", "[app][models][values]") {
  const double data[] = {1.0, kNan, -kInfinity, 0.1};
  const auto snapshot = local_tensor(data, dtype("float64"), core::Layout::c_order({2, 2}, 64));
  CHECK(all_of(snapshot, CopyFormat::python) == "[[1.0, float('nan')],\n [float('-inf'), 0.1]]");
  CHECK(all_of(snapshot, CopyFormat::numpy) == "np.array([[1.0, np.nan],\n [-np.inf, 0.1]], dtype=np.float64)");
  CHECK(all_of(snapshot, CopyFormat::c) == "{{1.0, NAN},\n {-INFINITY, 0.1}}");
  CHECK(all_of(snapshot, CopyFormat::csv) == "1.0,nan\n-inf,0.1\n");
  CHECK(all_of(snapshot, CopyFormat::text) == " 1.0  nan\n-inf  0.1\n");
}

TEST_CASE("floats are copied so that they read back as the same value", "[app][models][values]") {
  CHECK(one("float32", 0.1F, CopyFormat::python) == "0.10000000149011612");  // as tolist() gives it
  CHECK(one("float32", 0.1F, CopyFormat::numpy) == "np.array(0.1, dtype=np.float32)");
  CHECK(one("float32", 0.1F, CopyFormat::c) == "0.1f");
  CHECK(one("float32", -0.0F, CopyFormat::c) == "-0.0f");
  CHECK(one("float32", 1e30F, CopyFormat::c) == "1e+30f");
  CHECK(one("float16", std::uint16_t{0x7bff}, CopyFormat::python) == "65504.0");
  CHECK(one("float16", std::uint16_t{0x7bff}, CopyFormat::c) == "65504.0f");
  CHECK(one("bfloat16", std::uint16_t{0x3dcd}, CopyFormat::numpy) == "np.array(0.10009765625, dtype=ml_dtypes.bfloat16)");
  CHECK(one("float8_e4m3fn", std::uint8_t{0x7e}, CopyFormat::numpy) == "np.array(448.0, dtype=ml_dtypes.float8_e4m3fn)");
  CHECK(one("float64", 5e-324, CopyFormat::python) == "5e-324");
}

TEST_CASE("integers, bools and bits are copied without a doubt about their type", "[app][models][values]") {
  CHECK(one("int64", std::numeric_limits<std::int64_t>::min(), CopyFormat::c) == "(-9223372036854775807LL - 1)");
  CHECK(one("int32", std::numeric_limits<std::int32_t>::min(), CopyFormat::c) == "(-2147483647 - 1)");
  CHECK(one("uint64", ~std::uint64_t{0}, CopyFormat::c) == "18446744073709551615ULL");
  CHECK(one("uint64", ~std::uint64_t{0}, CopyFormat::python) == "18446744073709551615");
  CHECK(one("bool", std::uint8_t{1}, CopyFormat::c) == "true");
  CHECK(one("bool", std::uint8_t{7}, CopyFormat::python) == "True");
  CHECK(one("bool", std::uint8_t{0}, CopyFormat::numpy) == "np.array(False, dtype=np.bool_)");
  CHECK(one("int4", std::uint8_t{0x0f}, CopyFormat::numpy) == "np.array(-1, dtype=ml_dtypes.int4)");
  CHECK(one("code3_bits32", 0xdeadbeefU, CopyFormat::numpy) == "np.array(0xdeadbeef, dtype=np.uint32)");
}

TEST_CASE("complex numbers keep the sign of zeros and their infinities", "[app][models][values]") {
  struct Pair {
    float re, im;
  };
  CHECK(one("complex64", Pair{1.5F, -2.0F}, CopyFormat::python) == "1.5-2.0j");
  CHECK(one("complex64", Pair{1.0F, -0.0F}, CopyFormat::python) == "complex(1.0, -0.0)");
  CHECK(one("complex64", Pair{1.0F, static_cast<float>(kNan)}, CopyFormat::python) == "complex(1.0, float('nan'))");
  CHECK(one("complex64", Pair{1.0F, static_cast<float>(kInfinity)}, CopyFormat::numpy) ==
        "np.array(complex(1.0, np.inf), dtype=np.complex64)");
  CHECK(one("complex64", Pair{1.0F, 2.0F}, CopyFormat::c) == "CMPLXF(1.0f, 2.0f)");
}

TEST_CASE("elements that DLPack has no dtype for are copied as numbers or as the text that is shown", "[app][models][values]") {
  const auto items = [](auto& values, const core::ItemType& item) {
    return local_tensor(values, item,
                        core::Layout::c_order({static_cast<std::int64_t>(sizeof values / item.bytes)}, item.bytes * 8));
  };
  const std::uint32_t swapped[] = {0x01000000, 0xfeffffff};
  const auto big_endian = items(swapped, core::number_item(dtype("int32"), true));
  CHECK(all_of(big_endian, CopyFormat::numpy) == "np.array([1, -2], dtype=np.int32)");
  CHECK(all_of(big_endian, CopyFormat::csv) == "1,-2\n");

  const std::int64_t days[] = {0, std::numeric_limits<std::int64_t>::min()};
  const auto dates = items(days, core::date_item(core::ItemKind::date, core::DateUnit::day, 1, false));
  CHECK(all_of(dates, CopyFormat::numpy) == "np.array(['1970-01-01', 'NaT'], dtype='datetime64[D]')");
  CHECK(all_of(dates, CopyFormat::python) == "['1970-01-01', 'NaT']");
  CHECK(all_of(dates, CopyFormat::csv) == "1970-01-01,NaT\n");

  const char names[][4] = {{'a', '\'', '"', 0}, {'\xe9', '\\', 0, 0}};
  const auto texts = items(names, core::text_item(core::ItemKind::byte_text, 4, false));
  CHECK(all_of(texts, CopyFormat::python) == "[b'a\\'\"', b'\\xe9\\\\']");
  CHECK(all_of(texts, CopyFormat::c) == "{\"b'a\\\\'\\\"'\", \"b'\\\\xe9\\\\\\\\'\"}");

  const char long_name[100] = "a text that is longer than what the window shows of one, and is copied to its last character: end";
  const auto long_text = items(long_name, core::text_item(core::ItemKind::byte_text, 100, false));
  CHECK(all_of(long_text, CopyFormat::python) == "[b'" + std::string(long_name) + "']");
  std::uint32_t wide[65] = {'x'};
  const auto wide_text = items(wide, core::text_item(core::ItemKind::ucs4_text, 65, false));
  const CopiedText refused = copied(wide_text, CopyFormat::python, {{0, 0}, {0, 0}}, default_mapping(1));
  CHECK((refused.text == "[None]" && refused.note.find("more than 256 bytes") != std::string::npos));

  struct Record {
    std::int32_t a;
    float b;
  };
  const Record records[] = {{1, 2.5F}};
  const auto pairs = items(records, core::record_item({{"a", 0, core::number_item(dtype("int32"), false), {}},
                                                       {"b", 4, core::number_item(dtype("float32"), false), {}}}, 8));
  CHECK(all_of(pairs, CopyFormat::python) == "['(1, 2.5)']");
  CHECK(all_of(pairs, CopyFormat::csv) == "\"(1, 2.5)\"\n");
}

TEST_CASE("an axis of which one index is selected is left out", "[app][models][values]") {
  const std::int32_t data[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const auto snapshot = local_tensor(data, dtype("int32"), core::Layout::c_order({3, 4}, 32));
  const AxisMapping mapping = default_mapping(2);
  CHECK(copied(snapshot, CopyFormat::python, {{1, 0}, {1, 3}}, mapping).text == "[4, 5, 6, 7]");
  CHECK(copied(snapshot, CopyFormat::python, {{0, 2}, {2, 2}}, mapping).text == "[2, 6, 10]");
  CHECK(copied(snapshot, CopyFormat::python, {{2, 3}, {1, 2}}, mapping).text == "[[6, 7],\n [10, 11]]");
  CHECK(copied(snapshot, CopyFormat::c, {{2, 3}, {2, 3}}, mapping).text == "11");
  const auto flat = local_tensor(data, dtype("int32"), core::Layout::c_order({1, 3}, 32));
  CHECK(all_of(flat, CopyFormat::python) == "[[0, 1, 2]]");
  CHECK(all_of(local_tensor(data, dtype("int32"), core::Layout::c_order({3}, 32)), CopyFormat::python) == "[0, 1, 2]");
}

TEST_CASE("a selection too large is cut, and says so", "[app][models][values]") {
  const std::int8_t zero = 0;
  const std::int64_t wide = std::int64_t{1} << 40;
  const auto snapshot = local_tensor(&zero, dtype("int8"), core::Layout::from_element_strides({wide, 1000}, {0, 0}, 8));
  const CopiedText text =
      copied(snapshot, CopyFormat::csv, {{0, 0}, {static_cast<std::uint64_t>(wide) - 1, 999}}, default_mapping(2));
  CHECK(text.elements == kMaxCopied);
  CHECK(text.note.find("Only the first 200 by 1 000 of the 1 099 511 627 776 by 1 000") != std::string::npos);
  const auto reader = core::process_reader(0);
  const std::string sum = summary_of_cells(ValueGrid(snapshot, 0, default_mapping(2)), {dtype("int8")},
                                           {{0, 0}, {static_cast<std::uint64_t>(wide) - 1, 999}}, **reader);
  CHECK(sum.find("too many") != std::string::npos);
}

TEST_CASE("a selection adds up exactly", "[app][models][values]") {
  const auto reader = core::process_reader(0);
  const auto sum = [&](const core::SnapshotPtr& snapshot) {
    const ValueGrid grid(snapshot, 0, default_mapping(snapshot->tensors[0].rank));
    return summary_of_cells(grid, {snapshot->tensors[0].dtype}, {{0, 0}, {grid.rows() - 1, grid.columns() - 1}}, **reader);
  };
  const double doubles[] = {1e16, 1.0, -1e16, kNan};
  CHECK(sum(local_tensor(doubles, dtype("float64"), core::Layout::c_order({4}, 64))) ==
        "4 values: sum 1.0, min -1e+16, max 1e+16, mean 0.3333333333333333; left out: 1 NaN");
  const std::uint64_t message[] = {~std::uint64_t{0}, ~std::uint64_t{0}};
  CHECK(sum(local_tensor(message, dtype("uint64"), core::Layout::c_order({2}, 64))) ==
        "2 values: sum 36893488147419103230, min 18446744073709551615, max 18446744073709551615, mean 1.8446744073709552e+19");
  const std::uint8_t bools[] = {1, 0, 7};
  CHECK(sum(local_tensor(bools, dtype("bool"), core::Layout::c_order({3}, 8))) == "3 values: 2 true");
  const double special[] = {0.0, -0.0, kInfinity, 3.0, kNan, -kInfinity, kInfinity, 6.0};
  CHECK(sum(local_tensor(special, dtype("float64"), core::Layout::c_order({8}, 64))) ==
        "8 values: sum 9.0, min 0.0, max 6.0, mean 2.25, 2 zeros; left out: 1 NaN, 2 +Inf, 1 -Inf");
  const double none[] = {kNan, kNan};
  CHECK(sum(local_tensor(none, dtype("float64"), core::Layout::c_order({2}, 64))) == "2 values; left out: 2 NaN");
  const double vast[] = {1e308, 1e308, 1e308};
  CHECK(sum(local_tensor(vast, dtype("float64"), core::Layout::c_order({3}, 64))) ==
        "3 values: sum beyond float64 (> 1.8e+308), min 1e+308, max 1e+308, mean 1e+308");
  const double deep[] = {-1e308, -1e308, kInfinity};
  CHECK(sum(local_tensor(deep, dtype("float64"), core::Layout::c_order({3}, 64))) ==
        "3 values: sum beyond float64 (< -1.8e+308), min -1e+308, max -1e+308, mean -1e+308; left out: 1 +Inf");
  const double complex[] = {1e308, 1.0, 1e308, -3.0};
  CHECK(sum(local_tensor(complex, dtype("complex128"), core::Layout::c_order({2}, 128))) ==
        "2 values: sum beyond complex128 (real part beyond float64), mean 1e+308-1j");
  const std::int64_t dates[] = {19'782, std::numeric_limits<std::int64_t>::min(), 0};
  const core::ItemType days = core::date_item(core::ItemKind::date, core::DateUnit::day, 1, false);
  CHECK(sum(local_tensor(dates, days, core::Layout::c_order({3}, 64))) == "3 values; left out: 1 NaT");
}

TEST_CASE("a selection has the counts that a plain walk finds", "[app][models][values]") {
  std::mt19937 random(20261128);
  std::vector<float> data(700 * 900);
  const float kinds[] = {static_cast<float>(kNan), static_cast<float>(kInfinity), -static_cast<float>(kInfinity), 0.0F, 2.0F};
  for (float& value : data) value = kinds[random() % 5];
  const auto snapshot = local_tensor(data.data(), dtype("float32"), core::Layout::c_order({700, 900}, 32));
  const ValueGrid grid(snapshot, 0, default_mapping(2));
  std::size_t counts[5] = {}, all = 0;
  for (std::size_t row = 3; row <= 690; ++row) {
    for (std::size_t column = 17; column <= 850; ++column, ++all) {
      const float value = data[row * 900 + column];
      ++counts[std::isnan(value) ? 0 : std::isinf(value) ? (value > 0 ? 1 : 2) : value == 0 ? 3 : 4];
    }
  }
  const auto reader = core::process_reader(0);
  const std::string text = summary_of_cells(grid, {dtype("float32")}, {{690, 850}, {3, 17}}, **reader);
  CHECK(text.starts_with(fmt::format("{} values: sum {}.0, min 0.0, max 2.0, mean ", grouped(all), counts[4] * 2)));
  CHECK(text.ends_with(fmt::format(", {} zeros; left out: {} NaN, {} +Inf, {} -Inf", grouped(counts[3]), grouped(counts[0]),
                                   grouped(counts[1]), grouped(counts[2]))));
}

TEST_CASE("conjugated and negated values are shown, copied and added up as the library means them", "[app][models][values]") {
  const float data[] = {1, 2, 3, -4};
  const auto plain = local_tensor(data, dtype("complex64"), core::Layout::c_order({2}, 64));
  const auto with = [&](std::vector<core::RemarkCode> codes) {
    auto out = std::make_shared<core::Snapshot>(*plain);
    out->tensors[0].remarks = {static_cast<std::uint32_t>(out->remarks.size()), static_cast<std::uint32_t>(codes.size())};
    for (const core::RemarkCode code : codes) out->remarks.push_back({code, {}});
    return core::SnapshotPtr(out);
  };
  const auto reader = core::process_reader(0);
  const auto shown = [&](const core::SnapshotPtr& snapshot, NumberFormat format) {
    return read_element(*snapshot, snapshot->tensors[0], 0, **reader, format)->text;
  };
  CHECK(all_of(plain, CopyFormat::python) == "[1.0+2.0j, 3.0-4.0j]");
  const auto conjugated = with({core::RemarkCode::conjugate_bit});
  CHECK(all_of(conjugated, CopyFormat::python) == "[1.0-2.0j, 3.0+4.0j]");
  CHECK(shown(conjugated, {}) == "1.0-2.0j");
  CHECK(shown(conjugated, {.as_stored = true}) == "1.0+2.0j");
  CHECK(shown(conjugated, {.style = NumberStyle::hex}) == shown(plain, {.style = NumberStyle::hex}));
  CHECK(shown(with({core::RemarkCode::negative_bit}), {}) == "-1.0-2.0j");
  CHECK(shown(with({core::RemarkCode::conjugate_bit, core::RemarkCode::negative_bit}), {}) == "-1.0+2.0j");
  const ValueGrid grid(conjugated, 0, default_mapping(1));
  CHECK(summary_of_cells(grid, {dtype("complex64")}, {{0, 0}, {grid.rows() - 1, grid.columns() - 1}}, **reader)
            .find("sum 4+2j") != std::string::npos);
}

}  // namespace dlscope::app
