#include "core/tensor/element.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace dlscope::core;

namespace {

DType dtype(const char* name) { return *dtype_from_name(name); }

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> out(sizeof(T));
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}

std::string text_of(const char* name, auto bits) {
  const DType type = dtype(name);
  return format_value(type, decode_element(type, bytes_of(bits), 0));
}

double real_of(const char* name, unsigned bits) { return decode_element(dtype(name), bytes_of(bits), 0).real; }

struct Census {
  double max = 0, min_nonzero = std::numeric_limits<double>::infinity(), sum = 0;
  int nan = 0, infinite = 0;
};

Census census(const char* name, unsigned patterns) {
  Census out;
  for (unsigned bits = 0; bits < patterns; ++bits) {
    const double v = real_of(name, bits);
    out.nan += std::isnan(v);
    out.infinite += std::isinf(v);
    if (!std::isfinite(v)) continue;
    out.max = std::max(out.max, v);
    if (v != 0) out.min_nonzero = std::min(out.min_nonzero, std::abs(v));
    out.sum += std::abs(v);
  }
  return out;
}

}  // namespace

TEST_CASE("Every pattern of the narrow floats decodes as ml_dtypes does", "[core][tensor][element]") {
  // Largest value, smallest magnitude, sum of magnitudes, NaN and infinity counts, from ml_dtypes 0.5.
  struct Row {
    const char* name;
    unsigned patterns;
    double max, smallest, sum;
    int nan, infinite;
  };
  const Row rows[] = {
      {"float8_e3m4", 256, 15.5, 0.015625, 744.0, 30, 2},
      {"float8_e4m3", 256, 240, 0.001953125, 5887.75, 14, 2},
      {"float8_e4m3b11fnuz", 256, 30, 0.0001220703125, 735.984375, 1, 0},
      {"float8_e4m3fn", 256, 448, 0.001953125, 10815.75, 2, 0},
      {"float8_e4m3fnuz", 256, 240, 0.0009765625, 5887.875, 1, 0},
      {"float8_e5m2", 256, 57344, 1.52587890625e-05, 720895.9995117188, 6, 2},
      {"float8_e5m2fnuz", 256, 57344, 7.62939453125e-06, 720895.9997558594, 1, 0},
      {"float8_e8m0fnu", 256, 1.7014118346046923e+38, 5.877471754111438e-39, 3.402823669209385e+38, 1, 0},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    const Census found = census(row.name, row.patterns);
    CHECK(found.max == row.max);
    CHECK(found.min_nonzero == row.smallest);
    CHECK(std::abs(found.sum - row.sum) <= 1e-12 * row.sum);
    CHECK(found.nan == row.nan);
    CHECK(found.infinite == row.infinite);
  }
  CHECK(real_of("float6_e2m3fn", 17) == 2.25);
  CHECK(real_of("float6_e3m2fn", 31) == 28.0);
  const double fp4[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (unsigned i = 0; i < 8; ++i) {
    CHECK(real_of("float4_e2m1fn", i) == fp4[i]);
    CHECK(real_of("float4_e2m1fn", i + 8) == -fp4[i]);
  }
}

TEST_CASE("float32 and float64 decode to the machine's own value", "[core][tensor][element]") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    const auto d = std::bit_cast<double>(bits);
    const auto f = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    const Value vd = decode_element(dtype("float64"), bytes_of(bits), 0);
    const Value vf = decode_element(dtype("float32"), bytes_of(static_cast<std::uint32_t>(bits)), 0);
    CHECK((std::isnan(d) ? std::isnan(vd.real) : vd.real == d));
    CHECK((std::isnan(f) ? std::isnan(vf.real) : vf.real == static_cast<double>(f)));
  }
}

// Whoever reads a CSV reads it as float64.
TEST_CASE("A float of 8 bits and fewer is the text's float64", "[core][tensor][element]") {
  for (const char* const name : {"float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
                                 "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"}) {
    for (unsigned bits = 0; bits < 1U << dtype(name).bits; ++bits) {
      const Value value = decode_element(dtype(name), bytes_of(static_cast<std::uint8_t>(bits)), 0);
      const std::string text = format_value(dtype(name), value);
      INFO(name << " " << bits << ": " << text);
      CHECK((std::isnan(value.real) ? text == "nan" : std::strtod(text.c_str(), nullptr) == value.real));
    }
  }
  CHECK(text_of("float8_e8m0fnu", std::uint8_t{127 + 29}) == "536870912.0");
  CHECK(text_of("float8_e5m2", std::uint8_t{0x99}) == "-0.00244140625");
}

TEST_CASE("Text is the shortest that reads back", "[core][tensor][element]") {
  CHECK(text_of("float16", std::uint16_t{0x2e66}) == "0.1");
  CHECK(text_of("float16", std::uint16_t{0x7bff}) == "65500.0");   // the largest; NumPy prints the same
  CHECK(text_of("float8_e4m3fn", std::uint8_t{0x7e}) == "448.0");  // exact: 4e+02 would read back too
  CHECK(text_of("float16", std::uint16_t{0x8000}) == "-0.0");
  CHECK(text_of("float16", std::uint16_t{0xfc00}) == "-inf");
  CHECK(text_of("bfloat16", std::uint16_t{0x3f80}) == "1.0");
  CHECK(text_of("float32", 0.1f) == "0.1");
  CHECK(text_of("float64", 0.1) == "0.1");
  CHECK(text_of("float64", 3.0) == "3.0");
  CHECK(text_of("bool", std::uint8_t{1}) == "True");
  CHECK(text_of("bool", std::uint8_t{7}) == "True (byte 7)");
  CHECK(text_of("int64", std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(text_of("uint64", ~std::uint64_t{0}) == "18446744073709551615");
  CHECK(text_of("code3_bits32", std::uint32_t{0xdeadbeef}) == "0xdeadbeef");

  // Every float16: reading the text back lands nearer to it than to any neighbour.
  for (unsigned bits = 0; bits < 0x7c00; ++bits) {
    const DType half = dtype("float16");
    const double v = real_of("float16", bits);
    const double back =
        std::strtod(format_value(half, decode_element(half, bytes_of(static_cast<std::uint16_t>(bits)), 0)).c_str(), nullptr);
    if (bits > 0) CHECK(std::abs(back - v) < std::abs(back - real_of("float16", bits - 1)));
    if (bits < 0x7bff) CHECK(std::abs(back - v) < std::abs(back - real_of("float16", bits + 1)));
  }
}

TEST_CASE("Packed elements start inside a byte, lanes follow each other", "[core][tensor][element]") {
  const std::vector<std::byte> packed{std::byte{0xf1}, std::byte{0x7c}};
  const DType int4 = dtype("int4");
  CHECK(decode_element(int4, packed, 0).as_signed == 1);
  CHECK(decode_element(int4, packed, 4).as_signed == -1);
  CHECK(decode_element(int4, packed, 8).as_signed == -4);
  CHECK(decode_element(int4, packed, 12).as_signed == 7);
  CHECK(decode_element(dtype("float4_e2m1fnx2"), packed, 0, 1).real == -6.0);
  const std::vector<std::byte> six{std::byte{0xc1}, std::byte{0x0f}};
  CHECK(decode_element(dtype("float6_e2m3fn"), six, 6).raw[0] == std::byte{0x3f});
}

TEST_CASE("Complex values take the class of their worse part", "[core][tensor][element]") {
  const DType complex64 = dtype("complex64");
  const float parts[] = {1.0f, std::numeric_limits<float>::quiet_NaN()};
  std::vector<std::byte> bytes(8);
  std::memcpy(bytes.data(), parts, 8);
  CHECK(decode_element(complex64, bytes, 0).value_class == ValueClass::nan);
  const float good[] = {1.5f, -2.0f};
  std::memcpy(bytes.data(), good, 8);
  CHECK(format_value(complex64, decode_element(complex64, bytes, 0)) == "1.5-2.0j");
}

TEST_CASE("Classes are those a viewer marks", "[core][tensor][element]") {
  const auto class_of = [](const char* name, auto bits) { return decode_element(dtype(name), bytes_of(bits), 0).value_class; };
  CHECK(class_of("float32", 1e-40f) == ValueClass::subnormal);
  CHECK(class_of("float32", -0.0f) == ValueClass::zero);
  CHECK(class_of("float64", std::numeric_limits<double>::infinity()) == ValueClass::positive_infinity);
  CHECK(class_of("float8_e4m3fn", std::uint8_t{0xff}) == ValueClass::nan);
  CHECK(class_of("int32", 0) == ValueClass::zero);
  CHECK(class_of("code3_bits32", 0) == ValueClass::normal);
}

TEST_CASE("Bits are grouped as sign, exponent and fraction", "[core][tensor][element]") {
  const DType half = dtype("float16");
  CHECK(format_bits(half, decode_element(half, bytes_of(std::uint16_t{0x2e66}), 0)) == "0 01011 1001100110");
  CHECK(format_bits(dtype("uint8"), decode_element(dtype("uint8"), bytes_of(std::uint8_t{0xa5}), 0)) == "1010 0101");
}

TEST_CASE("Too few bytes and absurd widths do not read past the end", "[core][tensor][element]") {
  const std::vector<std::byte> one{std::byte{0xff}};
  CHECK(decode_element(dtype("float64"), one, 0).raw[1] == std::byte{0});
  CHECK(decode_element(DType{2, 255, 1}, one, 0).kind == ValueKind::bits);
  CHECK(decode_element(DType{99, 0, 1}, {}, 0).kind == ValueKind::bits);
}
