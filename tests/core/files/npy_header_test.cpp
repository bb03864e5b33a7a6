#include "core/files/npy_header.h"

#include <catch2/catch_test_macros.hpp>

#include "file_bytes.h"

namespace dlscope::core {
namespace {

using test::npy;
using test::npy_with_header;
using test::reading;

std::string refusal(const std::string& bytes) {
  const auto header = read_npy_header(reading(bytes));
  return header ? "" : header.error().message;
}

}  // namespace

TEST_CASE("headers of every version are read", "[core][files]") {
  for (const int version : {1, 2, 3}) {
    const std::string file = npy("<f4", "(3, 4)", std::string(48, 'x'), true, version);
    const auto header = read_npy_header(reading(file));
    REQUIRE(header);
    CHECK(header->shape == std::vector<std::int64_t>{3, 4});
    CHECK(header->fortran_order);
    CHECK(header->type.dtype == DType{2, 32, 1});
    CHECK(header->data_offset == file.size() - 48);
    CHECK(header->data_offset % 64 == 0);
  }
  const std::string old = npy_with_header("{\"shape\": (10L,), 'fortran_order': False , 'descr':\"|u1\"}", "");
  CHECK(read_npy_header(reading(old))->shape == std::vector<std::int64_t>{10});
  CHECK(read_npy_header(reading(npy("<f8", "()", "")))->shape.empty());
}

TEST_CASE("every dtype that DLPack has is known, the rest has words", "[core][files]") {
  const std::pair<const char*, const char*> known[] = {
      {"|b1", "bool"},      {"|i1", "int8"},        {"<i2", "int16"},  {"<i4", "int32"},   {"<i8", "int64"},   {"|u1", "uint8"},
      {"<u2", "uint16"},    {"<u4", "uint32"},      {"<u8", "uint64"}, {"<f2", "float16"}, {"<f4", "float32"}, {"<f8", "float64"},
      {"<c8", "complex64"}, {"<c16", "complex128"}, {">u1", "uint8"},  {"=f4", "float32"}};
  for (const auto& [descr, name] : known) {
    INFO(descr);
    const NpyType type = npy_type(descr, false);
    REQUIRE(type.dtype);
    CHECK(dtype_name(*type.dtype) == name);
  }
  const std::pair<const char*, const char*> refused[] = {{"|O", "pickled"},
                                                         {"O8", "pickled"},
                                                         {">f4", "big-endian float32"},
                                                         {"<U3", "text"},
                                                         {"|S5", "text"},
                                                         {"<M8[ns]", "dates"},
                                                         {"|V8", "raw bytes"},
                                                         {"<f16", "f16"},
                                                         {"", "''"},
                                                         {"<", "'<'"},
                                                         {"<f", "f"},
                                                         {"<f4x", "f4x"},
                                                         {"<i3", "i3"},
                                                         {"<f99999999999999", "f9999"},
                                                         {"zz", "zz"}};
  for (const auto& [descr, text] : refused) {
    INFO(descr);
    const NpyType type = npy_type(descr, false);
    CHECK_FALSE(type.dtype);
    CHECK(type.why_not.find(text) != std::string::npos);
  }
  const std::string list =
      npy_with_header("{'descr': [('a', '<i4'), ('b', '<f8', (2,))], 'fortran_order': False, 'shape': (2,)}", "");
  CHECK(read_npy_header(reading(list))->type.why_not.find("structured") != std::string::npos);
}

TEST_CASE("headers that are wrong are refused in words", "[core][files]") {
  CHECK(refusal("") != "");
  CHECK(refusal("PK\x03\x04 and more than twelve bytes").find("not a .npy file") != std::string::npos);
  std::string future = npy("<f4", "(1,)", "");
  future[6] = 9;
  CHECK(refusal(future).find("version 9.0") != std::string::npos);
  std::string lying = npy("<f4", "(1,)", "");
  lying[8] = lying[9] = '\xff';
  CHECK(refusal(lying).find("cut off") != std::string::npos);
  std::string vast = npy("<f4", "(1,)", "", false, 2);
  vast[11] = '\x7f';
  CHECK(refusal(vast).find("claims to have") != std::string::npos);
  const char* const headers[] = {
      "",
      "{}",
      "[1]",
      "{'descr': '<f4'}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
      "{'descr': '<f4', 'fortran_order': 1, 'shape': (3,)}",
      "{'descr': 4, 'fortran_order': True, 'shape': (3,)}",
      "{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (3,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'x': __import__('os').system('true')}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': ((((((((((((((((((((1,),),),),),),),),),),),),),),),),),),),)}",
      "{'descr': '<f4, 'fortran_order': False, 'shape': (3,)}"};
  for (const char* const header : headers) {
    INFO(header);
    CHECK(refusal(npy_with_header(header, "")) != "");
  }
}

}  // namespace dlscope::core
