// Pictures of differences: against a judge that decodes each pair of values by itself; then what must not be lost at any zoom.
#include "core/compare/difference_task.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/tensor/element.h"
#include "tests/support/put_part.h"

namespace dlscope::core {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr std::uint64_t kAll = ~std::uint64_t{0};
constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
const CellAxes kPlain{{0}, {1}, {}, CellValue::mean, {0, 0}};

Layout strided(std::vector<std::int64_t> shape, std::vector<std::int64_t> strides, std::uint32_t bits) {
  Layout out;
  out.shape = std::move(shape);
  for (const std::int64_t stride : strides) out.stride_bits.push_back(stride * bits);
  out.item_bits = bits;
  return out;
}

const std::shared_ptr<const MemoryReader>& memory() {
  static const std::shared_ptr<const MemoryReader> reader(process_reader(0).value());
  return reader;
}

struct Tensor {
  DType dtype;
  Layout layout;
  Address address = 0;
  [[nodiscard]] ComparedTensor compared() const { return {dtype, layout, address, ElementSource::checked(*memory())}; }
};

template <class T>
Tensor matrix(const char* dtype, const std::vector<T>& data, std::int64_t rows, std::int64_t columns) {
  const DType type = *dtype_from_name(dtype);
  return {type, strided({rows, columns}, {columns, 1}, type.bits), reinterpret_cast<Address>(data.data())};
}

struct Picture {
  Texels texels;
  std::size_t sampled = 0, exact = 0;
  std::string failed;
};

Picture picture_of(const Tensor& a, const Tensor& b, const CellWindow& window, DifferenceKind kind = DifferenceKind::difference,
                   std::uint64_t most_exact = kAll, const CellAxes& axes = kPlain, unsigned threads = 0) {
  auto task = make_difference_task(a.compared(), b.compared(), axes, window, kind, most_exact, nullptr, threads);
  INFO((task ? std::string() : task.error().message));
  REQUIRE(task);
  Picture out;
  out.texels.resize({0, 0, static_cast<std::uint32_t>(window.texel_rows()), static_cast<std::uint32_t>(window.texel_columns())});
  for (bool more = true; more;) {
    const auto state = (*task)->step();
    more = state && *state == Task::State::more;
    if (!state) out.failed = state.error().message;
    CHECK((*task)->progress().done <= (*task)->progress().total);
    while (const auto part = (*task)->take(1000)) {
      (part->method == TexelMethod::exact ? out.exact : out.sampled) += part->rect.size();
      REQUIRE(fits(*part, out.texels));
      tests::put_part(*part, out.texels);
    }
  }
  return out;
}

// One pair of values as the words of pair_differences.h have it; of single numbers.
struct Judged {
  double value = 0;
  bool unequal = false;
};
Judged judged(const Value& a, const Value& b, DifferenceKind kind) {
  const auto number = [](const Value& v) {
    if (v.kind == ValueKind::signed_integer) return static_cast<long double>(v.as_signed);
    if (v.kind == ValueKind::boolean) return v.as_unsigned != 0 ? 1.0L : 0.0L;
    if (v.kind == ValueKind::unsigned_integer) return static_cast<long double>(v.as_unsigned);
    return static_cast<long double>(v.real);
  };
  const long double x = number(a), y = number(b);
  if (x == y || (std::isnan(x) && std::isnan(y))) return {};
  if (kind == DifferenceKind::unequal) return {1, true};
  if (std::isnan(x) || std::isnan(y)) return {kNan, true};
  const bool finite = std::isfinite(x) && std::isfinite(y);
  long double out = x - y;
  if (kind == DifferenceKind::absolute) out = std::fabs(out);
  if (kind == DifferenceKind::relative) {
    if (y == 0 || !finite) return {kInf, true};
    out = std::fabs(x - y) / std::fabs(y);
  }
  const long double most = std::numeric_limits<double>::max();
  if (finite) out = std::min(std::max(out, -most), most);
  return {static_cast<double>(out), true};
}

bool nearly(double x, double y) { return x == y || std::fabs(x - y) <= 4e-16 * std::max(std::fabs(x), std::fabs(y)); }

}  // namespace

TEST_CASE("the difference of a negated view is that of what PyTorch means, sampled and exact", "[core][compare]") {
  const std::vector<float> data{1, 2, 3, 4};
  const Tensor plain = matrix("float32", data, 2, 2);
  ComparedTensor negated = plain.compared();
  negated.signs.negate = true;
  for (const std::uint64_t most_exact : {std::uint64_t{0}, kAll}) {
    const CellWindow window{0, 0, 2, 2, 1, 1};
    auto task =
        make_difference_task(plain.compared(), negated, kPlain, window, DifferenceKind::difference, most_exact, nullptr);
    REQUIRE(task);
    Texels texels;
    texels.resize({0, 0, 2, 2});
    for (auto state = Task::State::more; state == Task::State::more;) {
      state = (*task)->step().value();
      while (const auto part = (*task)->take(1000)) tests::put_part(*part, texels);
    }
    CHECK(texels.mean == std::vector<double>{2, 4, 6, 8});
  }
}

TEST_CASE("every texel of a difference is that of its pairs, for any two dtypes, strides, zoom and kind", "[core][compare]") {
  std::mt19937 random(7);
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); };
  std::vector<std::uint8_t> bytes(1 << 21);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  const std::vector<const char*> names{"float32", "float64",       "float16",     "bfloat16",     "int8",
                                       "uint16",  "int64",         "uint64",      "bool",         "int4",
                                       "uint2",   "float8_e4m3fn", "float8_e5m2", "float4_e2m1fn"};
  for (int round = 0; round < 1200; ++round) {
    const std::int64_t rows = 1 + below(9), columns = 1 + below(round % 40 == 0 ? 20000 : round % 20 == 0 ? 3000 : 40);
    std::vector<Tensor> sides;
    for (int side = 0; side < 2; ++side) {
      const DType dtype = *dtype_from_name(names[static_cast<std::size_t>(below(static_cast<std::int64_t>(names.size())))]);
      const std::vector<std::int64_t> strides = below(2) == 0   ? std::vector<std::int64_t>{1, rows}
                                                : below(6) == 0 ? std::vector<std::int64_t>{0, 1}
                                                                : std::vector<std::int64_t>{columns, 1};
      // Of one dtype the same bytes now and then, so that some values are equal.
      const bool same = side == 1 && below(2) == 0;
      if (same) sides.push_back(sides[0]);
      else
        sides.push_back(
            {dtype, strided({rows, columns}, strides, dtype.bits), reinterpret_cast<Address>(bytes.data() + side * 16)});
      if (same && below(2) == 0) sides[1].address += 16;
    }
    const auto kind = static_cast<DifferenceKind>(below(4));
    const CellWindow window{0, 0, rows, columns, 1 + below(rows), 1 + below(columns)};
    INFO(dtype_name(sides[0].dtype) << " - " << dtype_name(sides[1].dtype)
                                    << fmt::format(" {}x{} steps {},{} kind {}", rows, columns, window.row_step,
                                                   window.column_step, static_cast<int>(kind)));
    const Picture got = picture_of(sides[0], sides[1], window, kind);
    REQUIRE(got.failed.empty());
    CHECK(got.exact > 0);
    Texels expected;
    expected.resize(got.texels.rect);
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        const auto value = [&](const Tensor& of) {
          const std::int64_t bit = row * of.layout.stride_bits[0] + column * of.layout.stride_bits[1];
          const auto* const from = reinterpret_cast<const std::byte*>(of.address) + bit / 8;
          return decode_element(of.dtype, {from, 16}, static_cast<std::size_t>(bit % 8));
        };
        const Judged pair = judged(value(sides[0]), value(sides[1]), kind);
        const auto texel = static_cast<std::size_t>(row / window.row_step * window.texel_columns() + column / window.column_step);
        std::uint8_t& flags = expected.flags[texel];
        if (pair.unequal) flags |= kTexelUnequal;
        if (!std::isfinite(pair.value)) {
          flags |= std::isnan(pair.value) ? kTexelNan : pair.value > 0 ? kTexelPosInf : kTexelNegInf;
          continue;
        }
        const bool is_first = (flags & kTexelFinite) == 0;
        flags |= kTexelFinite;
        expected.min[texel] = is_first ? pair.value : std::min(expected.min[texel], pair.value);
        expected.max[texel] = is_first ? pair.value : std::max(expected.max[texel], pair.value);
      }
    }
    REQUIRE(got.texels.flags == expected.flags);
    for (std::size_t i = 0; i < expected.flags.size(); ++i) {
      if ((expected.flags[i] & kTexelFinite) == 0) continue;
      REQUIRE(nearly(got.texels.min[i], expected.min[i]));
      REQUIRE(nearly(got.texels.max[i], expected.max[i]));
      REQUIRE((got.texels.mean[i] >= got.texels.min[i] && got.texels.mean[i] <= got.texels.max[i]));
    }
  }
}

TEST_CASE("integers of 64 bits do not wrap, large floats saturate, and complex values differ by a magnitude", "[core][compare]") {
  const CellWindow two{0, 0, 1, 2, 1, 1};
  const std::vector<std::int64_t> x{std::int64_t{1} << 62, std::numeric_limits<std::int64_t>::min()};
  const std::vector<std::int64_t> y{(std::int64_t{1} << 62) + 1, std::numeric_limits<std::int64_t>::max()};
  const Picture wide = picture_of(matrix("int64", x, 1, 2), matrix("int64", y, 1, 2), two);
  CHECK(wide.texels.min == std::vector{-1.0, -18446744073709551615.0});
  const std::vector<std::uint64_t> u{0, ~std::uint64_t{0}}, v{~std::uint64_t{0}, 0};
  const Picture unsigned_ones = picture_of(matrix("uint64", u, 1, 2), matrix("uint64", v, 1, 2), two);
  CHECK(unsigned_ones.texels.min == std::vector{-18446744073709551615.0, 18446744073709551615.0});
  const Picture mixed = picture_of(matrix("int64", x, 1, 2), matrix("uint64", v, 1, 2), two);
  CHECK(mixed.texels.min[0] == -13835058055282163712.0);  // 2^62 - (2^64 - 1), rounded once

  const double most = std::numeric_limits<double>::max();
  const std::vector<double> big{most, -most}, other{-most, 1e-300};
  const Picture large = picture_of(matrix("float64", big, 1, 2), matrix("float64", other, 1, 2), two);
  CHECK(large.texels.min[0] == most);
  CHECK(large.texels.flags[0] == (kTexelFinite | kTexelUnequal));
  const Picture relative =
      picture_of(matrix("float64", big, 1, 2), matrix("float64", other, 1, 2), two, DifferenceKind::relative);
  CHECK(relative.texels.min == std::vector{2.0, most});

  const std::vector<float> a{1, 1, 3, 4}, b{-1, 1, 0, 0};
  const Picture complex = picture_of(matrix("complex64", a, 1, 2), matrix("complex64", b, 1, 2), two);
  CHECK(complex.texels.max == std::vector{2.0, 5.0});
  const std::vector<float> real{3, 3};
  const Picture with_real = picture_of(matrix("complex64", a, 1, 2), matrix("float32", real, 1, 2), two);
  CHECK((std::fabs(with_real.texels.max[0] - std::sqrt(5.0)) < 1e-15 && with_real.texels.max[1] == 4));
}

TEST_CASE("NaN and infinities: equal on both sides, marked on one", "[core][compare]") {
  const std::vector<double> a{kNan, kNan, kInf, kInf, kInf, 1, 0.0}, b{kNan, 1, kInf, -kInf, 1, -kInf, -0.0};
  const CellWindow window{0, 0, 1, 7, 1, 1};
  const auto flags = [&](DifferenceKind kind) {
    return picture_of(matrix("float64", a, 1, 7), matrix("float64", b, 1, 7), window, kind).texels;
  };
  const std::uint8_t equal = kTexelFinite, nan = kTexelNan | kTexelUnequal, more = kTexelPosInf | kTexelUnequal,
                     less = kTexelNegInf | kTexelUnequal, one = kTexelFinite | kTexelUnequal;
  CHECK(flags(DifferenceKind::difference).flags == std::vector<std::uint8_t>{equal, nan, equal, more, more, more, equal});
  CHECK(flags(DifferenceKind::relative).flags == std::vector<std::uint8_t>{equal, nan, equal, more, more, more, equal});
  CHECK(flags(DifferenceKind::unequal).flags == std::vector<std::uint8_t>{equal, one, equal, one, one, one, equal});
  CHECK(flags(DifferenceKind::unequal).max == std::vector<double>{0, 1, 0, 1, 1, 1, 0});
  const Picture back = picture_of(matrix("float64", b, 1, 7), matrix("float64", a, 1, 7), window);
  CHECK(back.texels.flags == std::vector<std::uint8_t>{equal, nan, equal, less, less, less, equal});
}

TEST_CASE("one value that differs among millions is marked at every zoom, once every pair was read", "[core][compare]") {
  constexpr std::int64_t kSide = 4200;  // more than is read without a sample first
  std::vector<float> a(kSide * kSide, 2), b = a;
  b[17 * kSide + 333] = 2.5F;
  for (const std::int64_t step : {4200, 100, 16}) {
    const CellWindow window{0, 0, kSide, kSide, step, step};
    const Picture whole = picture_of(matrix("float32", a, kSide, kSide), matrix("float32", b, kSide, kSide), window);
    CHECK((whole.sampled == whole.texels.rect.size() && whole.exact == whole.texels.rect.size()));
    const auto at = static_cast<std::size_t>(17 / step * window.texel_columns() + 333 / step);
    for (std::size_t i = 0; i < whole.texels.flags.size(); ++i)
      REQUIRE(whole.texels.flags[i] == (i == at ? kTexelFinite | kTexelUnequal : kTexelFinite));
    CHECK((whole.texels.min[at] == -0.5 && whole.texels.max[at] == 0));
  }
  const CellWindow window{0, 0, kSide, kSide, 100, 100};
  const Picture sampled =
      picture_of(matrix("float32", a, kSide, kSide), matrix("float32", b, kSide, kSide), window, DifferenceKind::absolute, 1);
  CHECK((sampled.exact == 0 && sampled.sampled == 42 * 42));
}

TEST_CASE("no axis, no element, several axes one way, and pairs that repeat", "[core][compare]") {
  const std::vector<float> a{1, 2, 3, 4, 5, 6, 7, 8}, b{1, 2, 3, 4, 5, 6, 7, 9};
  const DType f32 = *dtype_from_name("float32");
  const auto tensor = [&](const std::vector<float>& data, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
    return Tensor{f32, strided(std::move(shape), std::move(strides), 32), reinterpret_cast<Address>(data.data())};
  };
  const Picture scalar = picture_of(tensor(a, {}, {}), tensor(b, {}, {}), {0, 0, 1, 1, 1, 1}, DifferenceKind::difference, kAll,
                                    {{}, {}, {}, CellValue::mean, {}});
  CHECK((scalar.texels.flags[0] == kTexelFinite && scalar.texels.mean[0] == 0));
  const Picture none = picture_of(tensor(a, {0, 4}, {4, 1}), tensor(b, {0, 4}, {4, 1}), {0, 0, 0, 4, 1, 1});
  CHECK((none.exact == 0 && none.failed.empty()));
  const CellAxes tiles{{0, 1}, {2}, {}, CellValue::mean, {0, 0, 0}};
  const Picture cube = picture_of(tensor(a, {2, 2, 2}, {4, 2, 1}), tensor(b, {2, 2, 2}, {4, 2, 1}), {0, 0, 4, 2, 1, 1},
                                  DifferenceKind::difference, kAll, tiles);
  CHECK(cube.texels.min == std::vector<double>{0, 0, 0, 0, 0, 0, 0, -1});
  constexpr std::int64_t kMany = 1'000'000'000'000;
  const Tensor many_a = tensor(a, {kMany, 8}, {0, 1}), many_b = tensor(b, {kMany, 8}, {0, 1});
  auto task = make_difference_task(many_a.compared(), many_b.compared(), kPlain, {0, 0, kMany, 8, kMany / 4, 1},
                                   DifferenceKind::difference, 1000, nullptr);
  REQUIRE(task);
  while (*(*task)->step() == Task::State::more) continue;
  const auto part = (*task)->take(1000);
  REQUIRE(part);
  CHECK((part->method == TexelMethod::exact && part->repeats_down && part->flags[7] == (kTexelFinite | kTexelUnequal)));
}

TEST_CASE("any number of threads gives the same differences, bit by bit", "[core][compare]") {
  constexpr std::int64_t kRows = 900, kColumns = 700;
  std::mt19937 random(3);
  std::vector<float> a(kRows * kColumns);
  for (float& x : a) x = static_cast<float>(random() % 100'003) / 7;
  std::vector<float> b = a;
  for (int i = 0; i < 20'000; ++i) b[random() % b.size()] += 0.1F;
  const DType f32 = *dtype_from_name("float32");
  const Tensor first = matrix("float32", a, kRows, kColumns), second = matrix("float32", b, kRows, kColumns);
  const Tensor turned{f32, strided({kRows, kColumns}, {1, kRows}, 32), reinterpret_cast<Address>(b.data())};
  for (const Tensor& other : {second, turned}) {
    for (const std::uint64_t most_exact : {std::uint64_t{0}, kAll}) {
      const CellWindow window{0, 0, kRows, kColumns, 7, 5};
      const Picture alone = picture_of(first, other, window, DifferenceKind::absolute, most_exact, kPlain, 1);
      for (const unsigned threads : {2U, 5U}) {
        const Picture shared = picture_of(first, other, window, DifferenceKind::absolute, most_exact, kPlain, threads);
        CHECK(shared.texels.mean == alone.texels.mean);
        CHECK(shared.texels.min == alone.texels.min);
        CHECK(shared.texels.max == alone.texels.max);
        CHECK(shared.texels.flags == alone.texels.flags);
        CHECK(shared.exact == alone.exact);
        CHECK(shared.sampled == alone.sampled);
      }
    }
  }
}

TEST_CASE("what cannot be subtracted is refused in words, and memory that is not there is no crash", "[core][compare]") {
  const std::vector<float> data(12);
  const Tensor a = matrix("float32", data, 3, 4);
  const auto why = [&](const Tensor& x, const Tensor& y, const CellAxes& axes) {
    const auto made =
        make_difference_task(x.compared(), y.compared(), axes, {0, 0, 3, 4, 1, 1}, DifferenceKind::absolute, kAll, nullptr);
    return made ? std::string() : made.error().message;
  };
  CHECK(why(a, a, kPlain).empty());
  CHECK_THAT(why(a, matrix("float32", data, 4, 3), kPlain), ContainsSubstring("same shape"));
  CHECK_THAT(why(a, a, {{0}, {}, {{1, CellValue::mean}}, CellValue::mean, {0, 0}}), ContainsSubstring("choose an index"));
  CHECK_THAT(why(a, {DType{a.dtype.code, 32, 2}, strided({3, 4}, {4, 1}, 64), a.address}, kPlain),
             ContainsSubstring("2 numbers"));
  CHECK_FALSE(
      make_difference_task(a.compared(), a.compared(), kPlain, {0, 0, 9, 4, 1, 1}, DifferenceKind::absolute, kAll, nullptr));
  const Tensor nowhere{a.dtype, a.layout, 4096};
  const Picture lost = picture_of(a, nowhere, {0, 0, 3, 4, 1, 1});
  CHECK_FALSE(lost.failed.empty());
  CHECK((lost.sampled == 12 && lost.texels.flags[0] == kTexelUnread));
}

}  // namespace dlscope::core
