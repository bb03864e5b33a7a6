#include "app/models/hex/byte_decoding.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <utility>

#include "app/models/hex/byte_text.h"

namespace dlscope::app {
namespace {

template <class T>
std::array<std::byte, 16> bytes_of(T value) {
  std::array<std::byte, 16> out{};
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

DecodedBytes as(const char* dtype, std::span<const std::byte> bytes, ByteOrder order = ByteOrder::little) {
  return decode_as(core::dtype_from_name(dtype).value(), bytes, order);
}

}  // namespace

TEST_CASE("A float is taken apart into sign, exponent and fraction", "[app][models][hex]") {
  const auto bytes = bytes_of(-6.5F);
  const DecodedBytes f32 = as("float32", bytes);
  CHECK(f32.value == "-6.5");
  CHECK(f32.bits == "1 10000001 10100000000000000000000");
  CHECK(f32.parts == "− 2^2 × 1.625");
  CHECK(f32.widths == "1 + 8 + 23 bits: sign, exponent (bias 127), fraction");
  CHECK(as("float64", bytes_of(1.0)).parts == "+ 2^0 × 1");
  CHECK(as("float64", bytes_of(0.0)).parts == "+ 2^-1022 × 0");
  CHECK(as("float16", bytes_of(std::uint16_t{0x0001})).parts == "+ 2^-14 × 0.0009765625");
  CHECK(as("bfloat16", bytes_of(std::uint16_t{0x3fc0})).parts == "+ 2^0 × 1.5");
  CHECK(as("bfloat16", bytes_of(std::uint16_t{0x3fc0})).widths == "1 + 8 + 7 bits: sign, exponent (bias 127), fraction");
}

TEST_CASE("NaN says whether it is quiet and what its payload is; infinity is none", "[app][models][hex]") {
  CHECK(as("float32", bytes_of(0x7fc00000U)).parts == "+ NaN, quiet, payload 0x0");
  CHECK(as("float32", bytes_of(0xffc01234U)).parts == "− NaN, quiet, payload 0x1234");
  CHECK(as("float32", bytes_of(0x7f800001U)).parts == "+ NaN, signalling, payload 0x1");
  CHECK(as("float32", bytes_of(0xff800000U)).parts == "− infinity");
  CHECK(as("float32", bytes_of(0x7fc00000U)).value_class == core::ValueClass::nan);
  CHECK(as("float8_e4m3fn", bytes_of(std::uint8_t{0x7f})).parts == "NaN");
  CHECK(as("float8_e8m0fnu", bytes_of(std::uint8_t{130})).parts == "2^3");
}

TEST_CASE("The parts multiply to the value, for every pattern of the small formats", "[app][models][hex]") {
  for (const char* const name : {"float16", "bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn",
                                 "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"}) {
    const core::DType dtype = core::dtype_from_name(name).value();
    for (unsigned pattern = 0; pattern < (1U << dtype.bits); ++pattern) {
      const auto bytes = bytes_of(pattern);
      const core::Value value = core::decode_element(dtype, bytes, 0);
      if (value.value_class == core::ValueClass::nan || value.value_class == core::ValueClass::positive_infinity ||
          value.value_class == core::ValueClass::negative_infinity)
        continue;
      const std::string parts = decode_as(dtype, bytes, ByteOrder::little).parts;
      const std::size_t power = parts.find("2^"), times = parts.find("× ");
      REQUIRE(power != std::string::npos);
      const double of_one = times == std::string::npos ? 1 : std::strtod(parts.c_str() + times + std::strlen("× "), nullptr);
      const double product = std::ldexp(of_one, static_cast<int>(std::strtol(parts.c_str() + power + 2, nullptr, 10)));
      INFO(name << " " << pattern << ": " << parts);
      REQUIRE((parts.starts_with("−") ? -product : product) == value.real);
    }
  }
}

TEST_CASE("The bytes are read in the other order on request, each part of a complex number by itself", "[app][models][hex]") {
  const auto bytes = bytes_of(std::uint32_t{0x01020304});
  CHECK(as("uint32", bytes).value == "16909060");
  CHECK(as("uint32", bytes, ByteOrder::big).value == "67305985");
  CHECK(as("int16", bytes, ByteOrder::big).value == "1027");
  CHECK(as("uint8", bytes, ByteOrder::big).value == as("uint8", bytes).value);
  std::array<std::byte, 16> complex{};
  const std::uint32_t one = __builtin_bswap32(std::bit_cast<std::uint32_t>(1.0F)),
                      two = __builtin_bswap32(std::bit_cast<std::uint32_t>(2.0F));
  std::memcpy(complex.data(), &one, 4);
  std::memcpy(complex.data() + 4, &two, 4);
  CHECK(as("complex64", complex, ByteOrder::big).value == "1.0+2.0j");
}

TEST_CASE("Each dtype of up to 16 bytes is decoded, and what has too few bytes says how many it needs", "[app][models][hex]") {
  std::vector<DecodedBytes> all;
  const auto bytes = bytes_of(std::uint64_t{0x3ff0000000000000});
  decode_bytes(bytes, ByteOrder::little, all);
  for (const DecodedBytes& one : all) {
    INFO(one.name);
    CHECK(one.complete);
    CHECK_FALSE(one.value.empty());
  }
  for (const char* const name : {"int8", "uint64", "float16", "bfloat16", "complex128", "bool", "float8_e4m3fn", "int4x2"})
    CHECK(std::ranges::count(all, name, &DecodedBytes::name) == 1);
  decode_bytes(std::span(bytes).first(3), ByteOrder::little, all);
  for (const DecodedBytes& one : all) {
    const bool fits = one.dtype.item_bits() <= 24;
    CHECK(one.complete == fits);
    if (one.name == "float64") CHECK(one.value == "needs 8 bytes");
  }
  decode_bytes({}, ByteOrder::little, all);
  CHECK(std::ranges::none_of(all, &DecodedBytes::complete));
}

TEST_CASE("Both numbers of a complex one are taken apart as floats of half its width", "[app][models][hex]") {
  std::mt19937 random(20261128);
  for (const auto& [complex, part] : {std::pair{"complex32", "float16"}, {"complex64", "float32"}, {"complex128", "float64"}}) {
    const std::size_t half = core::dtype_from_name(part).value().bits / 8;
    for (int i = 0; i < 200; ++i) {
      std::array<std::byte, 16> bytes{};
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 4 == 0 ? 0xff : random() % 256);
      for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        const DecodedBytes whole = as(complex, bytes, order);
        CHECK(whole.parts == as(part, bytes, order).parts + "; imaginary: " + as(part, std::span(bytes).subspan(half), order).parts);
        CHECK(whole.widths == as(part, bytes).widths + ", of each of the two numbers");
      }
    }
  }
}

TEST_CASE("Packed values of a byte are written lowest bits first", "[app][models][hex]") {
  const std::array bytes{std::byte{0xf1}};
  CHECK(as("int4x2", bytes).value == "(1, -1)");
  CHECK(as("uint4x2", bytes).value == "(1, 15)");
  CHECK(as("uint2x4", bytes).value == "(1, 0, 3, 3)");
  CHECK(as("int2x4", bytes).value == "(1, 0, -1, -1)");
  CHECK(as("uint1x8", bytes).value == "(1, 0, 0, 0, 1, 1, 1, 1)");
  CHECK(as("int1x8", bytes).value == "(-1, 0, 0, 0, -1, -1, -1, -1)");
}

TEST_CASE("Bytes are copied as hex, C and Python write them", "[app][models][hex]") {
  const std::array bytes{std::byte{0xde}, std::byte{'A'}, std::byte{'\''}, std::byte{0}, std::byte{'\\'}, std::byte{'\n'}};
  CHECK(bytes_text(bytes, ByteFormat::hex) == "de 41 27 00 5c 0a");
  CHECK(bytes_text(bytes, ByteFormat::c) == "{0xde, 0x41, 0x27, 0x00, 0x5c, 0x0a}");
  CHECK(bytes_text(bytes, ByteFormat::python) == "b\"\\xdeA'\\x00\\\\\\n\"");
  CHECK(bytes_text({}, ByteFormat::python) == "b''");
  const std::vector<std::byte> line(17);
  CHECK(std::ranges::count(bytes_text(line, ByteFormat::hex), '\n') == 1);
}

TEST_CASE("Characters are themselves where ASCII prints them", "[app][models][hex]") {
  CHECK(printable(std::byte{'A'}) == 'A');
  CHECK(printable(std::byte{0x7f}) == '.');
  CHECK(printable(std::byte{0xe4}) == '.');
  CHECK(character_text(std::byte{'A'}) == "'A'");
  CHECK(character_text(std::byte{'\n'}) == "'\\n'");
  CHECK(character_text(std::byte{0x1b}) == "'\\x1b', a control character");
  CHECK(character_text(std::byte{0xe4}) == "not ASCII");
}

}  // namespace dlscope::app
