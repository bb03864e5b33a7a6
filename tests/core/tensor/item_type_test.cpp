// Elements DLPack has no dtype for: their names, and their values written out.
#include "core/tensor/item_type.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <limits>
#include <string_view>

#include "core/tensor/fields_text.h"

using namespace dlscope::core;

namespace {

template <class T>
std::string text(const FieldLayout& field, T value) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &value, sizeof value);
  return format_field(field, bytes);
}

std::string date(std::int64_t count, DateUnit unit, std::uint32_t multiple = 1) {
  return text(date_item(ItemKind::date, unit, multiple, false).fields[0].layout, count);
}

}  // namespace

TEST_CASE("A date is written as far as its unit goes", "[core][tensor]") {
  CHECK(date(54, DateUnit::year) == "2024");
  CHECK(date(-1, DateUnit::month) == "1969-12");
  CHECK(date(19782, DateUnit::day) == "2024-02-29");
  CHECK(date(-1, DateUnit::day) == "1969-12-31");
  CHECK(date(-719529, DateUnit::day) == "-001-12-31");
  CHECK(date(1, DateUnit::week) == "1970-01-08");
  CHECK(date(-1, DateUnit::hour) == "1969-12-31T23");
  CHECK(date(61, DateUnit::minute) == "1970-01-01T01:01");
  CHECK(date(2, DateUnit::second, 25) == "1970-01-01T00:00:50");
  CHECK(date(-1, DateUnit::ns) == "1969-12-31T23:59:59.999999999");
  CHECK(date(1'500, DateUnit::ms) == "1970-01-01T00:00:01.500");
  CHECK(date(std::numeric_limits<std::int64_t>::min(), DateUnit::day) == "NaT");
  CHECK(date(std::numeric_limits<std::int64_t>::max(), DateUnit::year) == "9223372036854775807 Y");
  CHECK(date(std::numeric_limits<std::int64_t>::max(), DateUnit::as).starts_with("1970-01-01T00:00:09.223372036854775807"));
  CHECK(text(date_item(ItemKind::duration, DateUnit::second, 1, false).fields[0].layout, std::int64_t{-3}) == "-3 s");
}

TEST_CASE("Numbers in the other byte order are turned round, a complex one in halves", "[core][tensor]") {
  const ItemType big = number_item(*dtype_from_name("int32"), true);
  CHECK(big.name == "int32 big-endian");
  CHECK(text(big.fields[0].layout, std::uint32_t{0x01000000}) == "1");
  const ItemType pair = number_item(*dtype_from_name("complex64"), true);
  const std::array<std::uint8_t, 8> one_and_two{0x3f, 0x80, 0, 0, 0x40, 0, 0, 0};
  CHECK(text(pair.fields[0].layout, one_and_two) == "1.0+2.0j");
}

TEST_CASE("Texts end at their padding and hold nothing that a terminal would obey", "[core][tensor]") {
  const FieldLayout wide = text_item(ItemKind::ucs4_text, 4, false).fields[0].layout;
  CHECK(text(wide, std::array<std::uint32_t, 4>{'a', 0xe9, 0x1f600, 0}) == "'a\u00e9\U0001f600'");
  CHECK(text(wide, std::array<std::uint32_t, 4>{0x1b, 0x202e, 0xd800, 0x110000}) == "'\\x1b\\u202e\\ud800\\U00110000'");
  const FieldLayout narrow = text_item(ItemKind::byte_text, 3, false).fields[0].layout;
  CHECK(text(narrow, std::array<char, 3>{'a', '\'', 0}) == "b'a\\''");
}

TEST_CASE("A record names its members, and its fields lie in it", "[core][tensor]") {
  const ItemType inner = record_item({{"x", 0, number_item(*dtype_from_name("float32"), false), {}}}, 4);
  const ItemType outer = record_item({{"n", 0, number_item(*dtype_from_name("int8"), false), {}},
                                      {"p", 4, inner, {}},
                                      {"a", 8, number_item(*dtype_from_name("int16"), false), {2, 3}},
                                      {"far", 60, raw_item(8), {}}},
                                     24);
  CHECK(outer.name == "struct{n:int8,p:struct{x:float32},a:int16[2,3],far:V8}");
  CHECK(outer.bytes == 24);
  REQUIRE(outer.fields.size() == 3);  // what would lie outside is left out
  CHECK(outer.fields[1].name == "p.x");
  CHECK(outer.fields[1].layout.offset == 4);
  CHECK(text(outer.fields[2].layout, std::array<std::int16_t, 12>{0, 0, 0, 0, 1, 2, 3, 4, 5, 6}) == "[1, 2, 3, 4, 5, 6]");
  CHECK(format_field(outer.fields[2].layout, {}) == "[?, ?, ?, ?, ?, ?]");
}

TEST_CASE("A record in a record keeps its parentheses", "[core][tensor]") {
  const ItemType byte = number_item(*dtype_from_name("uint8"), false);
  const ItemType pair = record_item({{"x", 0, byte, {}}, {"y", 1, byte, {}}}, 2);
  const ItemType two = record_item({{"from", 0, pair, {}}, {"fro", 2, pair, {}}}, 4);
  const ItemType deep = record_item({{"a", 0, record_item({{"a", 0, two, {}}}, 4), {}}, {"b", 4, byte, {}}, {"c", 5, pair, {}}}, 7);
  const std::array<std::byte, 7> bytes{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}, std::byte{6}, std::byte{7}};
  const auto written = [&](const ItemType& type) {
    return fields_text(type.fields, [](const ItemField& field) { return std::string_view(field.name); }, bytes, ItemText::whole);
  };
  CHECK(written(byte) == "1");
  CHECK(written(pair) == "(1, 2)");
  CHECK(written(two) == "((1, 2), (3, 4))");
  CHECK(written(deep) == "((((1, 2), (3, 4))), 5, (6, 7))");  // as NumPy prints it, but for the commas of records of one field
  CHECK(written(record_item({{"p.x", 0, byte, {}}, {"p.y", 1, byte, {}}}, 2)) == "(1, 2)");  // dots in the producer's own names
}
