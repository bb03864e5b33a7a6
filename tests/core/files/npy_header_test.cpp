#include "core/files/npy_header.h"

#include <catch2/catch_test_macros.hpp>

#include <string>

#include "core/tensor/item_type.h"
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

TEST_CASE("every dtype that NumPy saves without pickling is known, the rest has words", "[core][files]") {
  const std::pair<const char*, const char*> known[] = {
      {"|b1", "bool"},      {"|i1", "int8"},        {"<i2", "int16"},  {"<i4", "int32"},   {"<i8", "int64"},   {"|u1", "uint8"},
      {"<u2", "uint16"},    {"<u4", "uint32"},      {"<u8", "uint64"}, {"<f2", "float16"}, {"<f4", "float32"}, {"<f8", "float64"},
      {"<c8", "complex64"}, {"<c16", "complex128"}, {">u1", "uint8"},  {"=f4", "float32"}};
  for (const auto& [descr, name] : known) {
    INFO(descr);
    const NpyType type = npy_type(descr);
    REQUIRE(type.dtype);
    CHECK_FALSE(type.item);
    CHECK(dtype_name(*type.dtype) == name);
  }
  const std::pair<const char*, const char*> items[] = {{">f4", "float32 big-endian"},
                                                       {">c16", "complex128 big-endian"},
                                                       {">i2", "int16 big-endian"},
                                                       {">f16", "float128 big-endian"},
                                                       {"<f16", "float128"},
                                                       {"<c32", "complex256"},
                                                       {"<U3", "U3"},
                                                       {">U3", "U3 big-endian"},
                                                       {"|S5", "S5"},
                                                       {"S5", "S5"},
                                                       {"<M8[ns]", "datetime64[ns]"},
                                                       {">M8[D]", "datetime64[D] big-endian"},
                                                       {"<m8[25s]", "timedelta64[25s]"},
                                                       {"|V8", "V8"}};
  for (const auto& [descr, name] : items) {
    INFO(descr);
    const NpyType type = npy_type(descr);
    REQUIRE(type.item);
    CHECK(type.item->name == name);
    CHECK(type.dtype == dtype_of_item(type.item->bytes));
    CHECK(type.why_not.empty());
  }
  const std::pair<const char*, const char*> refused[] = {{"|O", "pickled"},
                                                         {"O8", "pickled"},
                                                         {"|S0", "S0"},
                                                         {"<U99999", "U99999"},
                                                         {"<M4", "M4"},
                                                         {"", "''"},
                                                         {"<", "'<'"},
                                                         {"<f", "f"},
                                                         {"<f4x", "f4x"},
                                                         {"<i3", "i3"},
                                                         {"<f99999999999999", "f9999"},
                                                         {"zz", "zz"}};
  for (const auto& [descr, text] : refused) {
    INFO(descr);
    const NpyType type = npy_type(descr);
    CHECK_FALSE(type.dtype);
    CHECK_FALSE(type.item);
    CHECK(type.why_not.find(text) != std::string::npos);
  }
}

TEST_CASE("records are known with their nested ones, sub-arrays, titles and gaps", "[core][files]") {
  const auto type_of = [](const std::string& descr) {
    const std::string file = npy_with_header("{'descr': " + descr + ", 'fortran_order': False, 'shape': (2,)}", "");
    const auto header = read_npy_header(reading(file));
    REQUIRE(header);
    return header->type;
  };
  const auto record = [&](const std::string& descr) {
    const NpyType type = type_of(descr);
    INFO(descr << ": " << type.why_not);
    REQUIRE(type.item);
    CHECK(type.dtype == dtype_of_item(type.item->bytes));
    return *type.item;
  };
  const ItemType plain = record("[('a', '<i4'), ('b', '>f8', (2,))]");
  CHECK(plain.name == "struct{a:int32,b:float64 big-endian[2]}");
  CHECK(plain.bytes == 20);
  const ItemType gaps = record("[('a', '|i1'), ('', '|V7'), ('t', '<M8[us]'), ('', '|V4')]");
  CHECK(gaps.name == "struct{a:int8,t:datetime64[us]}");
  CHECK(gaps.bytes == 20);
  REQUIRE(gaps.fields.size() == 2);
  CHECK(gaps.fields[1].layout.offset == 8);
  const ItemType nested = record("[(('a title', 'p'), [('x', '<f4'), ('y', '<U2')]), ('m', [('k', '<i2')], (2, 3)), ('n', ('<i4', (2,)))]");
  CHECK(nested.name == "struct{p:struct{x:float32,y:U2},m:struct{k:int16}[2,3],n:int32[2]}");
  CHECK(nested.bytes == 12 + 12 + 8);

  const auto why = [&](const std::string& descr) {
    const NpyType type = type_of(descr);
    CHECK_FALSE(type.dtype);
    return type.why_not;
  };
  CHECK(why("[('a', '<i4'), ('b', '|O')]").find("pickled") != std::string::npos);
  CHECK(why("[('a', [('b', '|O')])]").find("pickled") != std::string::npos);
  for (const char* const descr : {"[]", "[1]", "[('a',)]", "[('a', 4)]", "[(4, '<i4')]", "[('a', '')]", "[('a', '<i4', (-1,))]",
                                  "[('a', '<x4')]", "[('', '|V4')]", "[('a', '|V65535', (2,))]", "[('a', ('<i4', (2,), 3))]"}) {
    INFO(descr);
    CHECK(why(descr).find("records") != std::string::npos);
  }
  for (const char* const descr : {"[('x', '|S0')]", "[('x', '|S0'), ('y', [('z', '<U0')])]", "[('a', '<x4'), ('b', '|S0')]",
                                  "[('a', '|V65535'), ('c', '|V0'), ('b', '|i1')]"}) {
    INFO(descr);
    CHECK(why(descr).find("records") != std::string::npos);
  }
  CHECK(record("[('b0', '<u4'), ('x', '|S0'), ('N2', '<i8')]").name == "V12");
  CHECK(record("[('a', '>f8', (2, 3)), ('n', [('k', '<U2'), ('x', '|V0', (4,))], (5,)), ('t', '<U0')]").name == "V88");
  std::string wide = "[";
  for (int i = 0; i < 300; ++i) wide += "('f" + std::to_string(i) + "', '<i2'), ";
  CHECK(record(wide + "]").name == "V600");
}

// The headers are those that np.save() of NumPy 2 writes.
TEST_CASE("names of fields are the text that NumPy means", "[core][files]") {
  const auto name_of = [](const std::string& literal, int version) {
    const std::string header = "{'descr': [(" + literal + ", '<f4')], 'fortran_order': False, 'shape': (1,), }";
    const auto read = read_npy_header(reading(npy_with_header(header, "", version)));
    return read && read->type.item ? read->type.item->fields[0].name : "refused";
  };
  CHECK(name_of("'\xfc" "1'", 1) == "\u00fc1");
  CHECK(name_of("'\xfc" "1'", 2) == "\u00fc1");
  CHECK(name_of("'\xe6\x97\xa5'", 3) == "\u65e5");
  CHECK(name_of("\"a'b\"", 1) == "a'b");
  CHECK(name_of(R"('a\'b"c\\')", 1) == R"(a'b"c\)");
  CHECK(name_of(R"('a\nb\t\x01\x7f')", 1) == "a\nb\t\x01\x7f");
  CHECK(name_of(R"('\xa0\xad')", 1) == "\u00a0\u00ad");
  CHECK(name_of("'\xf0\x9f\x98\x80\\ue000'", 3) == "\U0001f600\ue000");
  CHECK(name_of(R"('\U0001f600')", 1) == "\U0001f600");
  CHECK(name_of(R"('\ud800')", 1) == "\ufffd");
  for (const char* const wrong : {R"('a\')", R"('\x1')", R"('\xzz')", R"('\u12')", R"('\U00110000')", R"('\q')", "'a", "'\\"}) {
    INFO(wrong);
    CHECK(name_of(wrong, 1) == "refused");
  }
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
