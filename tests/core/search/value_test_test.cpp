#include "core/search/value_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/tensor/element.h"
#include "core/tensor/item_type.h"
#include "core/transfer/convert.h"

namespace dlscope::core {
namespace {

DType dtype_of(const char* name) { return dtype_from_name(name).value(); }

// The numbers of the values that match, tested one by one.
std::vector<std::uint64_t> matches_of(const ValueTest& test, std::span<const std::byte> values, std::size_t each) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i < values.size() / each; ++i)
    if (test.is_match(values.data() + i * each, each)) out.push_back(i);
  return out;
}

constexpr SearchedValue kClasses[] = {SearchedValue::special, SearchedValue::non_finite, SearchedValue::subnormal,
                                      SearchedValue::nan, SearchedValue::infinite};

bool is_sought(DType dtype, SearchedValue sought, std::span<const std::byte> piece) {
  const Value value = decode_element(dtype, piece, 0);
  const bool infinite = value.value_class == ValueClass::positive_infinity || value.value_class == ValueClass::negative_infinity;
  if (sought == SearchedValue::nan) return value.value_class == ValueClass::nan;
  if (sought == SearchedValue::infinite) return infinite;
  if (sought == SearchedValue::subnormal) return value.value_class == ValueClass::subnormal;
  if (sought == SearchedValue::non_finite && value.value_class == ValueClass::subnormal) return false;
  return infinite || value.value_class == ValueClass::nan || value.value_class == ValueClass::subnormal ||
         (value.kind == ValueKind::boolean && value.as_unsigned > 1);
}

TEST_CASE("NaN, infinities and specials are those that decoding says, pattern by pattern", "[core][search]") {
  for (const char* name : {"float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e8m0fnu", "bool",
                           "int8", "uint16", "float8_e3m4", "float8_e4m3b11fnuz"}) {
    const DType dtype = dtype_of(name);
    const std::size_t each = dtype.bits / 8u;
    std::vector<std::byte> all;
    for (std::uint32_t pattern = 0; pattern < (1u << dtype.bits); ++pattern) {
      for (std::size_t i = 0; i < each; ++i) all.push_back(static_cast<std::byte>(pattern >> 8 * i));
    }
    for (const SearchedValue sought : kClasses) {
      const ValueTest test = ValueTest::make(dtype, sought).value();
      std::uint64_t expected = 0;
      for (std::size_t i = 0; i < all.size() / each; ++i) {
        const auto piece = std::span<const std::byte>(all).subspan(i * each, each);
        const bool hit = is_sought(dtype, sought, piece);
        INFO(name << " pattern " << i);
        REQUIRE(test.matches(piece, 0) == hit);
        REQUIRE((test.count(piece, each) == 1) == hit);
        REQUIRE(test.is_match(piece.data(), each) == hit);
        expected += hit ? 1 : 0;
      }
      CHECK(test.count(all, each) == expected);
    }
  }
}

TEST_CASE("wide floats and complex numbers, at random and with every special", "[core][search]") {
  std::mt19937_64 random(3);
  for (const char* name : {"float32", "float64", "complex64", "complex128"}) {
    const DType dtype = dtype_of(name);
    const std::size_t each = dtype.bits / 8u;
    std::vector<std::byte> all(each * 10'000);
    for (std::size_t i = 0; i < all.size(); i += 4) {
      auto word = static_cast<std::uint32_t>(random());
      if (random() % 8 == 0) word = std::vector<std::uint32_t>{0x7f800000, 0xff800000, 0x7fc00000, 1, 0x80000001, 0, 0x80000000,
                                                               0x7ff00000, 0xfff80000, 0x7f800001}[random() % 10];
      std::memcpy(all.data() + i, &word, 4);
    }
    for (const SearchedValue sought : kClasses) {
      const ValueTest test = ValueTest::make(dtype, sought).value();
      std::uint64_t expected = 0, first = 0;
      for (std::size_t i = all.size() / each; i-- > 0;) {
        const auto piece = std::span<const std::byte>(all).subspan(i * each, each);
        bool hit = is_sought(dtype, sought, piece);
        if (dtype.code == static_cast<std::uint8_t>(DTypeCode::complex)) {  // any part counts; decoding tells the worse one
          const DType part{static_cast<std::uint8_t>(DTypeCode::float_), static_cast<std::uint8_t>(dtype.bits / 2), 1};
          hit = is_sought(part, sought, piece.first(each / 2)) || is_sought(part, sought, piece.last(each / 2));
        }
        if (!hit) continue;
        ++expected;
        first = i;
      }
      INFO(name);
      CHECK(test.count(all, each) == expected);
      CHECK(matches_of(test, all, each).front() == first);
      CHECK(test.first(all, each) == first);
      CHECK(matches_of(test, all, each).size() == expected);
    }
  }
}

TEST_CASE("one by one and many at a time the same values match, however many do", "[core][search]") {
  std::mt19937 random(5);
  for (const char* name : {"uint8", "uint4", "int16", "float32", "float64", "complex64"}) {
    const DType dtype = dtype_of(name);
    const std::size_t each = (dtype.bits + 7u) / 8u;
    const bool complex = dtype.code == static_cast<std::uint8_t>(DTypeCode::complex);
    const auto test = complex ? ValueTest::make(dtype, SearchedValue::nan) : ValueTest::make(dtype, SearchedValue::equal, "0");
    REQUIRE(test);
    for (const unsigned others : {0U, 1U, 50U, 1000U}) {  // between two matches, on average
      std::vector<std::byte> all(each * 9'001, complex ? std::byte{0xff} : std::byte{0});
      std::vector<std::uint64_t> expected;
      for (std::uint64_t i = 0; i < 9'001; ++i) {
        if (random() % (others + 1) != 0)
          std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(i * each), each, std::byte{1});
        else
          expected.push_back(i);
      }
      INFO(name << ", " << expected.size() << " matches");
      CHECK(matches_of(*test, all, each) == expected);
      CHECK(test->count(all, each) == expected.size());
      CHECK(test->first(all, each) == (expected.empty() ? std::nullopt : std::optional(expected.front())));
    }
    CHECK(test->count({}, each) == 0);
  }
}

TEST_CASE("a number is looked for as the dtype would hold it", "[core][search]") {
  const auto count = [](const char* dtype, const char* text, auto... values) {
    const std::vector memory{values...};
    const auto test = ValueTest::make(dtype_of(dtype), SearchedValue::equal, text);
    REQUIRE(test);
    return test->count(std::as_bytes(std::span(memory)), sizeof(memory[0]));
  };
  CHECK(count("float32", "0.1", 0.1f, 0.2f, 0.1f) == 2);
  CHECK(count("float64", "0.1", 0.1, static_cast<double>(0.1f)) == 1);
  CHECK(count("float32", "0", 0.0f, -0.0f, 1e-45f) == 2);
  CHECK(count("float32", "nan", NAN, -NAN, 1.0f) == 2);
  CHECK(count("float32", "-inf", -INFINITY, INFINITY) == 1);
  CHECK(count("int32", "-7", -7, 7, -7) == 2);
  CHECK(count("int8", "-128", std::int8_t{-128}, std::int8_t{127}) == 1);
  CHECK(count("uint64", "18446744073709551615", ~std::uint64_t{0}, std::uint64_t{0}) == 1);
  CHECK(count("int64", "-9223372036854775808", INT64_MIN, INT64_MAX) == 1);
  CHECK(count("uint16", "+3.0", std::uint16_t{3}, std::uint16_t{4}) == 1);
  CHECK(count("bool", "True", std::uint8_t{1}, std::uint8_t{0}, std::uint8_t{7}) == 2);
  CHECK(count("float16", "0.1", std::uint16_t{0x2e66}, std::uint16_t{0x2e67}) == 1);
  CHECK(count("bfloat16", "-2", std::uint16_t{0xc000}) == 1);
  CHECK(count("float8_e4m3fn", "448", std::uint8_t{0x7e}, std::uint8_t{0x7f}) == 1);
}

TEST_CASE("a value is found by the text that the window writes of it", "[core][search]") {
  for (const char* name : {"float16", "bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn",
                           "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn",
                           "float6_e3m2fn", "float4_e2m1fn"}) {
    const DType dtype = dtype_of(name);
    const std::uint32_t patterns = 1U << dtype.bits;
    std::vector<std::uint32_t> tested;  // of 16 bits some, and the last ones before infinity
    for (std::uint32_t bits = 0; bits < patterns; bits += dtype.bits < 16 ? 1 : 1009) tested.push_back(bits);
    if (dtype.bits == 16) tested.insert(tested.end(), {0x7bff, 0xfbff, 0x7f7f, 0xff7f, 0x7f7e, 1, 0x8001});
    for (const std::uint32_t bits : tested) {
      std::array<std::byte, 4> bytes{};
      std::memcpy(bytes.data(), &bits, sizeof bits);
      const std::string text = format_value(dtype, decode_element(dtype, bytes, 0));
      INFO(name << " " << bits << ": " << text);
      const auto test = ValueTest::make(dtype, SearchedValue::equal, text);
      REQUIRE(test);
      CHECK(test->matches(bytes, 0));
    }
  }
  CHECK(ValueTest::make(dtype_of("float16"), SearchedValue::equal, "65519"));        // rounded to 65504
  CHECK_FALSE(ValueTest::make(dtype_of("float16"), SearchedValue::equal, "65520"));  // to infinity
}

// Halfway between two values, also between the largest one and what would follow it, and next to that: as conversion rounds.
TEST_CASE("a number is looked for as the value that it is converted to", "[core][search]") {
  const DType wide = dtype_of("float64");
  for (const char* name : {"float16", "bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
                           "float8_e5m2", "float8_e5m2fnuz", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"}) {
    const DType dtype = dtype_of(name);
    const std::uint32_t sign = 1U << (dtype.bits - 1);
    std::vector<double> values;
    for (std::uint32_t bits = 0; bits < sign; ++bits) {
      const double value = decode_element(dtype, std::as_bytes(std::span(&bits, 1)), 0).real;
      if (!std::isfinite(value)) break;
      values.push_back(value);
    }
    const double largest = values.back(), above = largest + (largest - values[values.size() - 2]);
    values.push_back(above);
    const std::size_t first = dtype.bits < 16 ? 0 : values.size() - 4;
    for (std::size_t i = first; i + 1 < values.size(); ++i) {
      const double middle = (values[i] + values[i + 1]) / 2;
      for (const double size : {values[i], std::nextafter(middle, 0), middle, std::nextafter(middle, above)}) {
        for (const double wanted : {size, -size}) {
          std::uint32_t bits = 0;
          convert_one_by_one(wide, reinterpret_cast<const std::byte*>(&wanted), dtype, reinterpret_cast<std::byte*>(&bits), 1);
          const double got = decode_element(dtype, std::as_bytes(std::span(&bits, 1)), 0).real;
          // A format with neither infinity nor NaN has its largest number instead.
          const bool fits = std::isfinite(got) && (size < largest + (above - largest) / 2 || (size == middle && (bits & 1) == 0));
          const auto test = ValueTest::make(dtype, SearchedValue::equal, fmt::format("{:.25g}", wanted));
          INFO(name << " " << wanted << " is " << got);
          REQUIRE(test.has_value() == fits);
          if (fits) CHECK(test->matches(std::as_bytes(std::span(&bits, 1)).first((dtype.bits + 7U) / 8), 0));
        }
      }
    }
  }
  CHECK(ValueTest::make(dtype_of("float8_e4m3fn"), SearchedValue::equal, "464"));
  CHECK_FALSE(ValueTest::make(dtype_of("float8_e4m3fn"), SearchedValue::equal, "464.1"));
  CHECK(ValueTest::make(dtype_of("float8_e8m0fnu"), SearchedValue::equal, "2.3e38"));  // 2^127 is 1.7e38
  CHECK_FALSE(ValueTest::make(dtype_of("float8_e8m0fnu"), SearchedValue::equal, "2.6e38"));
}

TEST_CASE("a number is looked for among the values that the library means, one by one and many at a time", "[core][search]") {
  std::mt19937_64 random(11);
  for (const char* name : {"float16", "bfloat16", "float32", "float64", "float8_e5m2", "int8", "int16", "int32", "int64", "uint8",
                           "uint32", "int4", "bool"}) {
    const DType dtype = dtype_of(name);
    const std::size_t each = (dtype.bits + 7u) / 8u;
    std::vector<std::byte> all(each * 3'000);
    for (std::size_t i = 0; i < all.size(); i += each) {  // few different values, so that most are there with both signs
      const std::uint64_t few[] = {0, 1, 5, 100, ~std::uint64_t{0}, ~std::uint64_t{4}, ~std::uint64_t{99}, random() % 16};
      std::uint64_t pattern = few[random() % 8];
      if (random() % 2 == 0) pattern ^= std::uint64_t{1} << (dtype.bits - 1);
      if (dtype.bits < 64) pattern &= (std::uint64_t{1} << dtype.bits) - 1;
      if (std::string(name) == "bool") pattern &= 1;
      std::memcpy(all.data() + i, &pattern, each);
    }
    const auto piece_at = [&](std::size_t i) { return std::span<const std::byte>(all).subspan(i * each, each); };
    for (const SignBits signs : {SignBits{}, SignBits{.negate = true}, SignBits{.conjugate = true}}) {
      const auto meant = [&](std::size_t i) { return with_sign_bits(dtype, decode_element(dtype, piece_at(i), 0), signs); };
      for (std::size_t wanted = 0; wanted < 40; ++wanted) {
        const Value value = meant(wanted);
        const std::string text = format_value(dtype, value);
        const auto test = ValueTest::make(dtype, SearchedValue::equal, text, signs);
        INFO(name << (signs.negate ? " negated " : " ") << text << " " << (test ? "" : test.error().message));
        REQUIRE(test);
        std::uint64_t expected = 0;
        for (std::size_t i = 0; i < all.size() / each; ++i) {
          const Value other = meant(i);
          const bool nan = std::isnan(value.real) && std::isnan(other.real);
          const bool hit = value.kind == ValueKind::real ? nan || value.real == other.real
                                                         : text == format_value(dtype, other);
          REQUIRE(test->matches(piece_at(i), 0) == hit);
          expected += hit ? 1 : 0;
        }
        CHECK(test->count(all, each) == expected);
        REQUIRE(expected > 0);
      }
    }
  }
}

TEST_CASE("a complex number is looked for by both of its parts, as the library means them", "[core][search]") {
  std::mt19937_64 random(13);
  for (const char* name : {"complex32", "complex64", "complex128"}) {
    const DType dtype = dtype_of(name);
    const DType part{static_cast<std::uint8_t>(DTypeCode::float_), static_cast<std::uint8_t>(dtype.bits / 2), 1};
    const std::size_t each = dtype.bits / 8u, half = each / 2;
    // Few different parts, so that every pair of them is there, and their neighbours.
    const std::vector<double> few{0, -0.0, 1, -1, 0.5, -2, 1e-5, INFINITY, -INFINITY, NAN};
    std::vector<std::byte> all(each * 9'000);
    for (std::size_t at = 0; at < all.size(); at += half) {
      const double value = few[random() % few.size()];
      const std::uint64_t bits = std::isnan(value) ? (half == 2 ? 0x7e00 : half == 4 ? 0x7fc00000 : 0x7ff8000000000000) : 0;
      if (half == 8) std::memcpy(all.data() + at, std::isnan(value) ? static_cast<const void*>(&bits) : &value, half);
      const auto narrow = static_cast<float>(value);
      if (half == 4) std::memcpy(all.data() + at, std::isnan(value) ? static_cast<const void*>(&bits) : &narrow, half);
      for (std::uint64_t code = 0; half == 2 && code < 0x10000; ++code) {
        const double of = decode_element(part, std::as_bytes(std::span(&code, 1)), 0).real;
        const bool same = std::isnan(value) ? std::isnan(of) : of == value && std::signbit(of) == std::signbit(value);
        if (!same && !(value == 1e-5 && code == 168)) continue;  // 168: the float16 nearest to 1e-5
        std::memcpy(all.data() + at, &code, half);
        break;
      }
    }
    const auto piece_at = [&](std::size_t i) { return std::span<const std::byte>(all).subspan(i * each, each); };
    const auto same_part = [](double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b; };
    for (const SignBits signs : {SignBits{}, SignBits{.negate = true}, SignBits{.conjugate = true}, SignBits{true, true}}) {
      const auto meant = [&](std::size_t i) { return with_sign_bits(dtype, decode_element(dtype, piece_at(i), 0), signs); };
      for (std::size_t wanted = 0; wanted < 60; ++wanted) {
        const Value value = meant(wanted);
        const std::string text = format_value(dtype, value);
        const auto test = ValueTest::make(dtype, SearchedValue::equal, text, signs);
        INFO(name << " " << text << " " << (test ? "" : test.error().message));
        REQUIRE(test);
        std::vector<std::uint64_t> expected;
        for (std::size_t i = 0; i < all.size() / each; ++i) {
          const Value other = meant(i);
          const bool hit = same_part(value.real, other.real) && same_part(value.imaginary, other.imaginary);
          REQUIRE(test->matches(piece_at(i), 0) == hit);
          if (hit) expected.push_back(i);
        }
        CHECK(test->count(all, each) == expected.size());
        CHECK(matches_of(*test, all, each) == expected);
      }
    }
  }
}

// NumPy 2's a == text for a = np.array([1+2j, 3j, 1, -1j, 0, 1e-5+1j, inf-infj], dtype), for each text as a complex of Python.
TEST_CASE("a complex number may be typed as Python takes it", "[core][search]") {
  const std::vector<float> parts{1, 2, 0, 3, 1, 0, 0, -1, -0.0F, 0, 1e-5F, 1, INFINITY, -INFINITY, NAN, 0, 0, NAN, NAN, NAN};
  const auto at = [&](const char* text) {
    const auto test = ValueTest::make(dtype_of("complex64"), SearchedValue::equal, text);
    INFO(text << (test ? "" : test.error().message));
    REQUIRE(test);
    return matches_of(*test, std::as_bytes(std::span(parts)), 8);
  };
  using Places = std::vector<std::uint64_t>;
  CHECK(at("1+2j") == Places{0});
  CHECK(at("(1+2j)") == Places{0});
  CHECK(at("1.0 + 2.0J") == Places{0});
  CHECK(at("3j") == Places{1});
  CHECK(at("-0+3e0j") == Places{1});
  CHECK(at("1") == Places{2});
  CHECK(at("1-0j") == Places{2});
  CHECK(at("-j") == Places{3});
  CHECK(at("0") == Places{4});
  CHECK(at("0j") == Places{4});
  CHECK(at("1e-5+1j") == Places{5});
  CHECK(at("1e-5+j") == Places{5});
  CHECK(at("inf-infj") == Places{6});
  CHECK(at("1-2j").empty());
  CHECK(at("inf").empty());
  CHECK(at("nan+0j") == Places{7});
  CHECK(at("nanj") == Places{8});
  CHECK(at("nan+nanj") == Places{9});
  CHECK(at("nan") == Places{7, 8, 9});  // as np.isnan
}

TEST_CASE("what cannot be looked for is said", "[core][search]") {
  const auto why = [](const char* dtype, const char* text) {
    const auto test = ValueTest::make(dtype_of(dtype), SearchedValue::equal, text);
    return test ? std::string() : test.error().message;
  };
  CHECK(why("float32", "one") == "'one' is not a number; float32 has values such as 0.5, 1e-3, nan, inf");
  CHECK(why("float32", "") == "'' is not a number; float32 has values such as 0.5, 1e-3, nan, inf");
  CHECK(why("float16", "1e6") == "float16 has no value as large as 1e6");
  for (const char* text : {"0", "-0", "-5", "1e-300", "-1e300"})  // the nearest value would be 2^-127, which is none of these
    CHECK(why("float8_e8m0fnu", text) == std::string("float8_e8m0fnu has no value as small as ") + text);
  CHECK(why("float8_e8m0fnu", "1e300") == "float8_e8m0fnu has no value as large as 1e300");
  CHECK(why("float8_e8m0fnu", "5.877471754111438e-39").empty());
  for (const char* dtype : {"float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "float6_e2m3fn"}) {
    for (const char* text : {"1e400", "-1e400"})  // no double has it, either, and strtod() makes an infinity of it
      CHECK(why(dtype, text) == fmt::format("{} has no value as large as {}", dtype, text));
    const bool has_infinity = std::string_view(dtype) != "float8_e4m3fn" && std::string_view(dtype) != "float6_e2m3fn";
    for (const char* text : {"inf", "-Infinity"}) CHECK(why(dtype, text) == (has_infinity ? "" : fmt::format("{} has no infinity", dtype)));
  }
  CHECK(why("float8_e8m0fnu", "inf") == "float8_e8m0fnu has no infinity");
  CHECK(why("complex64", "1e400j") == "complex64 has no value as large as 1e400j");
  CHECK(why("complex64", "1+infj").empty());
  CHECK(why("int8", "128") == "int8 cannot hold 128");
  CHECK(why("uint8", "-1") == "uint8 cannot hold -1");
  CHECK(why("int32", "0.5") == "'0.5' is not an integer in digits, and int32 holds nothing but integers");
  CHECK(why("uint64", "18446744073709551616") == "uint64 cannot hold 18446744073709551616");
  CHECK(ValueTest::make(dtype_of_item(4), SearchedValue::nan).error().message == "records and texts are no numbers");
  CHECK(ValueTest::make(dtype_of_item(4), SearchedValue::equal, "1").error().message ==
        "records are searched field by field: choose one of the fields");
  CHECK(why("complex64", "1+2") == "'1+2' is not a complex number; complex64 has values such as 1+2j, 3j, 0.5, nan");
  CHECK(why("complex64", "1+xj") == "'1+xj' is not a complex number; complex64 has values such as 1+2j, 3j, 0.5, nan");
  CHECK(why("complex32", "1e6j") == "complex32 has no value as large as 1e6j");
  CHECK_FALSE(ValueTest::make(DType{200, 7, 1}, SearchedValue::special));
}

}  // namespace
}  // namespace dlscope::core
