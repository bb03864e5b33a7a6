#include "app/models/values/typed_element.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>

#include "core/tensor/element.h"

using namespace dlscope;
using app::typed_element;

namespace {

core::DType dtype(const char* name) { return core::dtype_from_name(name).value(); }

// What was typed, as the view shows it then; why not, where it was refused.
std::string shown(const char* name, const char* text) {
  const auto bits = typed_element(dtype(name), text);
  if (!bits) return bits.error().message;
  return core::format_value(dtype(name), core::decode_element(dtype(name), *bits, 0));
}

bool is_refused(const char* name, const char* text, const char* why) {
  const auto bits = typed_element(dtype(name), text);
  return !bits && bits.error().message.find(why) != std::string::npos;
}

}  // namespace

TEST_CASE("a typed value becomes the nearest one of its dtype", "[app][values]") {
  CHECK(shown("float32", "0.1") == "0.1");
  CHECK(shown("float32", " -1e-3 ") == "-0.001");
  CHECK(shown("float64", "0.1") == "0.1");
  CHECK(shown("float16", "0.1") == "0.1");
  CHECK(shown("bfloat16", "3.14159") == "3.14");
  CHECK(shown("float32", "nan") == "nan");
  CHECK(shown("float32", "-inf") == "-inf");
  CHECK(shown("float32", "1e-60") == "0.0");
  CHECK(shown("int8", "-128") == "-128");
  CHECK(shown("int8", "+127") == "127");
  CHECK(shown("uint64", "18446744073709551615") == "18446744073709551615");
  CHECK(shown("int64", "-9223372036854775808") == "-9223372036854775808");
  CHECK(shown("bool", "True") == "True");
  CHECK(shown("bool", "0") == "False");
  CHECK(shown("complex64", "1.5-2j") == "1.5-2.0j");
  CHECK(shown("complex64", "1e-2+3e+1j") == "0.01+30.0j");
  CHECK(shown("complex128", "-2.5j") == "0.0-2.5j");
  CHECK(shown("complex64", "4") == "4.0+0.0j");
  CHECK(shown("complex64", "j") == "0.0+1.0j");
  CHECK(shown("complex64", "2-j") == "2.0-1.0j");
}

TEST_CASE("in a negated or conjugated view a number is stored so that PyTorch means it, bits as they are typed",
          "[app][values]") {
  const auto stored = [](const char* name, const char* text, core::SignBits signs) {
    return core::format_value(dtype(name), core::decode_element(dtype(name), typed_element(dtype(name), text, signs).value(), 0));
  };
  const core::SignBits negated{.negate = true};
  CHECK(stored("float32", "5", negated) == "-5.0");
  CHECK(stored("int16", "-7", negated) == "7");
  CHECK(stored("complex64", "1+2j", {.conjugate = true}) == "1.0-2.0j");
  CHECK(stored("float32", "0x3f800000", negated) == "1.0");
}

TEST_CASE("the bits of a value can be typed themselves", "[app][values]") {
  const auto nan = typed_element(dtype("float32"), "0x7fc0_0123");
  REQUIRE(nan);
  CHECK(*nan == std::vector{std::byte{0x23}, std::byte{0x01}, std::byte{0xc0}, std::byte{0x7f}});
  CHECK(shown("float16", "0b0_01111_0000000000") == "1.0");
  CHECK(shown("int4", "0xf") == "-1");
  CHECK(is_refused("float16", "0x12345", "only 16 bits"));
  CHECK(is_refused("float16", "0xzz", "not a digit"));
  CHECK(is_refused("float16", "0x", "digits are missing"));
}

TEST_CASE("what a dtype cannot hold is refused in words", "[app][values]") {
  CHECK(is_refused("int8", "128", "cannot hold 128"));
  CHECK(is_refused("int8", "-129", "cannot hold -129"));
  CHECK(is_refused("uint8", "-1", "cannot hold -1"));
  CHECK(is_refused("int32", "1.5", "not an integer"));
  CHECK(is_refused("int32", "99999999999999999999", "cannot hold"));
  CHECK(is_refused("float16", "1e6", "no value as large as 1e6"));
  CHECK(is_refused("float32", "1e999", "no value as large"));
  CHECK(is_refused("float32", "one", "not a number"));
  CHECK(is_refused("float32", "", "type a value"));
  CHECK(is_refused("bool", "2", "neither True nor False"));
  CHECK(is_refused("float8_e4m3fn", "inf", "no infinity"));
  CHECK(is_refused("float8_e4m3fn", "1000", "no value as large"));
}

TEST_CASE("bits are put where they belong and nowhere else", "[app][values]") {
  std::array<std::byte, 3> bytes{std::byte{0xff}, std::byte{0xff}, std::byte{0xff}};
  const std::array<std::byte, 1> bits{std::byte{0b0101}};
  app::put_bits(bytes, 6, bits, 4);
  CHECK(bytes == std::array<std::byte, 3>{std::byte{0x7f}, std::byte{0xfd}, std::byte{0xff}});
}
