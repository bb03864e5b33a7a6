#include "core/tensor/dtype.h"

#include <dlpack/dlpack.h>

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>

namespace dlscope::core {
namespace {

constexpr DType dtype(DTypeCode code, std::uint8_t bits, std::uint16_t lanes = 1) {
  return {static_cast<std::uint8_t>(code), bits, lanes};
}

TEST_CASE("dtype codes are those of dlpack.h", "[tensor]") {
  STATIC_CHECK(static_cast<int>(DTypeCode::int_) == kDLInt);
  STATIC_CHECK(static_cast<int>(DTypeCode::uint) == kDLUInt);
  STATIC_CHECK(static_cast<int>(DTypeCode::float_) == kDLFloat);
  STATIC_CHECK(static_cast<int>(DTypeCode::opaque) == kDLOpaqueHandle);
  STATIC_CHECK(static_cast<int>(DTypeCode::bfloat) == kDLBfloat);
  STATIC_CHECK(static_cast<int>(DTypeCode::complex) == kDLComplex);
  STATIC_CHECK(static_cast<int>(DTypeCode::bool_) == kDLBool);
  STATIC_CHECK(static_cast<int>(DTypeCode::float8_e3m4) == kDLFloat8_e3m4);
  STATIC_CHECK(static_cast<int>(DTypeCode::float8_e4m3) == kDLFloat8_e4m3);
  STATIC_CHECK(static_cast<int>(DTypeCode::float8_e4m3b11fnuz) == kDLFloat8_e4m3b11fnuz);
  STATIC_CHECK(static_cast<int>(DTypeCode::float8_e4m3fn) == kDLFloat8_e4m3fn);
  STATIC_CHECK(static_cast<int>(DTypeCode::float8_e4m3fnuz) == kDLFloat8_e4m3fnuz);
  STATIC_CHECK(static_cast<int>(DTypeCode::float8_e5m2) == kDLFloat8_e5m2);
  STATIC_CHECK(static_cast<int>(DTypeCode::float8_e5m2fnuz) == kDLFloat8_e5m2fnuz);
  STATIC_CHECK(static_cast<int>(DTypeCode::float8_e8m0fnu) == kDLFloat8_e8m0fnu);
  STATIC_CHECK(static_cast<int>(DTypeCode::float6_e2m3fn) == kDLFloat6_e2m3fn);
  STATIC_CHECK(static_cast<int>(DTypeCode::float6_e3m2fn) == kDLFloat6_e3m2fn);
  STATIC_CHECK(static_cast<int>(DTypeCode::float4_e2m1fn) == kDLFloat4_e2m1fn);
}

TEST_CASE("dtype names are those of NumPy and ml_dtypes", "[tensor]") {
  CHECK(dtype_name(dtype(DTypeCode::float_, 32)) == "float32");
  CHECK(dtype_name(dtype(DTypeCode::bool_, 8)) == "bool");
  CHECK(dtype_name(dtype(DTypeCode::complex, 128)) == "complex128");
  CHECK(dtype_name(dtype(DTypeCode::bfloat, 16)) == "bfloat16");
  CHECK(dtype_name(dtype(DTypeCode::int_, 4)) == "int4");
  CHECK(dtype_name(dtype(DTypeCode::float8_e4m3fn, 8)) == "float8_e4m3fn");
  CHECK(dtype_name(dtype(DTypeCode::float4_e2m1fn, 4, 2)) == "float4_e2m1fnx2");
  CHECK(dtype_name(dtype(DTypeCode::uint, 8, 4)) == "uint8x4");
}

TEST_CASE("a dtype nobody named shows its numbers", "[tensor]") {
  CHECK(dtype_name(dtype(DTypeCode::float4_e2m1fn, 3)) == "code17_bits3");
  CHECK(dtype_name(dtype(DTypeCode::int_, 7)) == "code0_bits7");
  CHECK(dtype_name({200, 255, 0}) == "code200_bits255x0");
}

TEST_CASE("every dtype's name leads back to it, and no two share one", "[tensor]") {
  std::set<std::string> seen;
  for (int code = 0; code < 256; ++code) {
    for (int bits = 0; bits < 256; ++bits) {
      for (const std::uint16_t lanes : {std::uint16_t{0}, std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{65535}}) {
        const DType given{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), lanes};
        const std::string name = dtype_name(given);
        const bool back = dtype_from_name(name) == given;
        const bool is_new = seen.insert(name).second;
        if (!back || !is_new) FAIL_CHECK(name);
      }
    }
  }
}

TEST_CASE("common aliases are understood", "[tensor]") {
  CHECK(dtype_from_name("float") == dtype(DTypeCode::float_, 32));
  CHECK(dtype_from_name("double") == dtype(DTypeCode::float_, 64));
  CHECK(dtype_from_name("half") == dtype(DTypeCode::float_, 16));
  CHECK(dtype_from_name("halfx2") == dtype(DTypeCode::float_, 16, 2));
}

TEST_CASE("text that names no dtype is refused", "[tensor]") {
  for (const char* text : {"", "x", "x4", "float33", "uint8x", "uint8x-1", "uint8x65536", "code_bits", "code1_bits",
                           "code256_bits8", "code1_bits8 ", " int8", "int8x4x2", "code1_bits2x"}) {
    CAPTURE(text);
    CHECK_FALSE(dtype_from_name(text));
  }
}

TEST_CASE("only dtypes with a width of their own can be decoded", "[tensor]") {
  CHECK(dtype_is_known(dtype(DTypeCode::int_, 64)));
  CHECK(dtype_is_known(dtype(DTypeCode::uint, 4)));
  CHECK(dtype_is_known(dtype(DTypeCode::float6_e3m2fn, 6)));
  CHECK(dtype_is_known(dtype(DTypeCode::uint, 8, 65535)));
  CHECK_FALSE(dtype_is_known(dtype(DTypeCode::int_, 7)));
  CHECK_FALSE(dtype_is_known(dtype(DTypeCode::int_, 0)));
  CHECK_FALSE(dtype_is_known(dtype(DTypeCode::int_, 32, 0)));
  CHECK_FALSE(dtype_is_known(dtype(DTypeCode::float_, 8)));
  CHECK_FALSE(dtype_is_known(dtype(DTypeCode::opaque, 64)));
  CHECK_FALSE(dtype_is_known(dtype(DTypeCode::float_, 128)));  // 80 bits padded or a true quad: nobody says
  CHECK_FALSE(dtype_is_known({18, 8, 1}));
  CHECK_FALSE(dtype_is_known({255, 32, 1}));
}

TEST_CASE("the size of an element counts its lanes", "[tensor]") {
  STATIC_CHECK(dtype(DTypeCode::uint, 8, 4).item_bits() == 32);
  STATIC_CHECK(DType{0, 255, 65535}.item_bits() == 255u * 65535u);
  STATIC_CHECK(DType{0, 8, 0}.item_bits() == 0);
}

}  // namespace
}  // namespace dlscope::core
