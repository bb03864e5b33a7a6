// dtype words of the older protocols.
#include "core/tensor/dtype_format.h"

#include <catch2/catch_test_macros.hpp>

using namespace dlscope;
using core::DType;
using core::DTypeCode;
using core::dtype_of_format;
using core::dtype_of_typestr;

namespace {
DType dtype(DTypeCode code, int bits) { return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1}; }
}  // namespace

TEST_CASE("A struct format of one number is a dtype of the exporter's width", "[core][tensor]") {
  CHECK(dtype_of_format("", 1) == dtype(DTypeCode::uint, 8));
  CHECK(dtype_of_format("?", 1) == dtype(DTypeCode::bool_, 8));
  CHECK(dtype_of_format("l", 8) == dtype(DTypeCode::int_, 64));
  CHECK(dtype_of_format("l", 4) == dtype(DTypeCode::int_, 32));
  CHECK(dtype_of_format("@e", 2) == dtype(DTypeCode::float_, 16));
  CHECK(dtype_of_format("<Zd", 16) == dtype(DTypeCode::complex, 128));
  CHECK(dtype_of_format(">B", 1) == dtype(DTypeCode::uint, 8));  // one byte has no order
}

TEST_CASE("Formats that are not one native number are refused with the reason", "[core][tensor]") {
  for (const char* format : {"c", "P", "O", "s", "4s", "T{i:a:}", "ii", "Zq", "x"}) {
    INFO(format);
    const auto told = dtype_of_format(format, 4);
    REQUIRE_FALSE(told.has_value());
    CHECK(told.error().kind == core::ErrorKind::unsupported);
  }
  CHECK(dtype_of_format(">i", 4).error().message.find("byte order") != std::string::npos);
  CHECK_FALSE(dtype_of_format("?", 4).has_value());
  CHECK(dtype_of_format("B", 4).error().message == "format 'B' is one byte, and an item has 4");  // a union of ctypes
  CHECK_FALSE(dtype_of_format("f", 3).has_value());
  CHECK_FALSE(dtype_of_format("i", 0).has_value());
  CHECK_FALSE(dtype_of_format("i", -8).has_value());
}

TEST_CASE("A typestr is a dtype when it is a plain native number", "[core][tensor]") {
  CHECK(dtype_of_typestr("<f4") == dtype(DTypeCode::float_, 32));
  CHECK(dtype_of_typestr("|u1") == dtype(DTypeCode::uint, 8));
  CHECK(dtype_of_typestr("|b1") == dtype(DTypeCode::bool_, 8));
  CHECK(dtype_of_typestr("<c16") == dtype(DTypeCode::complex, 128));
  for (const char* typestr :
       {"", "f4", "<f", "<f4x", "<f-4", "<f99999999999999999999", "<i3", "<V2", "<M8[s]", "<U4", ">f8", "<c32"}) {
    INFO(typestr);
    CHECK_FALSE(dtype_of_typestr(typestr).has_value());
  }
}
