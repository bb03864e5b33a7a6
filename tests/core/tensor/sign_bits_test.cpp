#include "core/tensor/sign_bits.h"

#include <catch2/catch_test_macros.hpp>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace dlscope::core {
namespace {

constexpr SignBits kConjugate{.conjugate = true}, kNegate{.negate = true}, kBoth{.conjugate = true, .negate = true};

template <class T>
std::vector<T> meant(const char* dtype, SignBits signs, std::vector<T> values) {
  apply_sign_bits(dtype_from_name(dtype).value(), signs, std::as_writable_bytes(std::span(values)));
  return values;
}

template <class T>
std::string shown(const char* name, SignBits signs, T value) {
  const DType dtype = dtype_from_name(name).value();
  return format_value(dtype, with_sign_bits(dtype, decode_element(dtype, std::as_bytes(std::span(&value, 1)), 0), signs));
}

}  // namespace

TEST_CASE("stored values become the ones the library means", "[core][tensor]") {
  using Complex = std::complex<float>;
  const std::vector<Complex> stored{{1, 2}, {-3, 0}};
  CHECK(meant("complex64", kConjugate, stored) == std::vector<Complex>{{1, -2}, {-3, -0.0F}});
  CHECK(meant("complex64", kNegate, stored) == std::vector<Complex>{{-1, -2}, {3, -0.0F}});
  CHECK(meant("complex64", kBoth, stored) == std::vector<Complex>{{-1, 2}, {3, 0}});
  CHECK(meant("complex64", kBoth, meant("complex64", kBoth, stored)) == stored);
  CHECK(meant<double>("float64", kNegate, {1.5, -2}) == std::vector<double>{-1.5, 2});
  CHECK(meant<double>("float64", kConjugate, {1.5, -2}) == std::vector<double>{1.5, -2});
  CHECK(meant<std::uint16_t>("bfloat16", kNegate, {0x3f80, 0x8000}) == std::vector<std::uint16_t>{0xbf80, 0});
  CHECK(meant<std::int32_t>("int32", kNegate, {7, -8}) == std::vector<std::int32_t>{-7, 8});
  CHECK(meant<std::uint8_t>("uint8", kNegate, {1, 0}) == std::vector<std::uint8_t>{255, 0});
  CHECK(meant<std::uint8_t>("bool", kNegate, {1, 0}) == std::vector<std::uint8_t>{1, 0});
  CHECK(meant("complex64", {}, stored) == stored);
  using Bytes = std::vector<std::uint8_t>;
  for (const char* dtype : {"float8_e3m4", "float8_e4m3", "float8_e4m3fn", "float8_e5m2"})
    CHECK(meant<std::uint8_t>(dtype, kNegate, {0x38, 0xb8, 0x00}) == Bytes{0xb8, 0x38, 0x80});
  for (const char* dtype : {"float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e4m3b11fnuz"})  // 0x80 is NaN, there is no minus zero
    CHECK(meant<std::uint8_t>(dtype, kNegate, {0x38, 0xb8, 0x00, 0x80}) == Bytes{0xb8, 0x38, 0x00, 0x80});
  CHECK(meant<std::uint8_t>("float8_e8m0fnu", kNegate, {0x7f}) == Bytes{0x7f});  // has no negative numbers
}

TEST_CASE("a decoded value is the one the library means, its raw bits are the stored ones", "[core][tensor]") {
  CHECK(shown("complex128", kConjugate, std::complex<double>(1, 2)) == "1.0-2.0j");
  CHECK(shown("float32", kNegate, std::numeric_limits<float>::infinity()) == "-inf");
  CHECK(shown("int8", kNegate, std::int8_t{-128}) == "-128");  // wraps, as in PyTorch
  CHECK(shown("uint8", kNegate, std::uint8_t{1}) == "255");
  const float one = 1;
  const DType dtype = dtype_from_name("float32").value();
  const Value stored = decode_element(dtype, std::as_bytes(std::span(&one, 1)), 0);
  CHECK(with_sign_bits(dtype, stored, kNegate).raw == stored.raw);
}

}  // namespace dlscope::core
