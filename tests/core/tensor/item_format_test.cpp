// Words of the older protocols for elements that are no single native number.
#include "core/tensor/item_format.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using dlscope::core::item_of_format;
using dlscope::core::item_of_typestr;

namespace {

std::string name_of_format(std::string_view format, std::int64_t bytes) {
  const auto item = item_of_format(format, bytes);
  return item ? item->name : "refused";
}
std::string name_of_typestr(std::string_view typestr) {
  const auto item = item_of_typestr(typestr);
  return item ? item->name : "refused";
}

}  // namespace

TEST_CASE("A struct format with PEP 3118's additions is an item type", "[core][tensor]") {
  CHECK(name_of_format("T{<i:a:<d:b:}", 12) == "struct{a:int32,b:float64}");
  CHECK(name_of_format("T{b:a:d:b:}", 16) == "struct{a:int8,b:float64}");  // native alignment puts a gap between them
  CHECK(name_of_format("T{<i:a:4x<d:b:}", 16) == "struct{a:int32,b:float64}");
  CHECK(name_of_format("T{T{<f:x:>f:y:}:p:(2,3)<h:m:}", 20) == "struct{p:struct{x:float32,y:float32 big-endian},m:int16[2,3]}");
  CHECK(name_of_format(">d", 8) == "float64 big-endian");
  CHECK(name_of_format("3w", 12) == "U3");
  CHECK(name_of_format("5s", 5) == "S5");
  CHECK(name_of_format("c", 1) == "S1");
  CHECK(name_of_format("O", 8) == "object");
  CHECK(name_of_format("ii", 8) == "struct{f0:int32,f1:int32}");
  CHECK(item_of_format("T{<i:a:}", 12)->bytes == 12);  // gaps at the end count
}

TEST_CASE("Formats that say something else than the item size, or nothing, are refused", "[core][tensor]") {
  for (const char* format : {"", "T", "T{", "T{}", "T{i", "T{i:a}", "T{i:a:", "}", "(", "(2", "(2,", "99999999999d", "65536s",
                             "Zq", "&i", "X{}", "i:"}) {
    INFO(format);
    CHECK(name_of_format(format, 8) == "refused");
  }
  CHECK(name_of_format("T{dd}", 8) == "refused");
  CHECK(name_of_format(">d", 0) == "refused");
  CHECK(name_of_format(">d", -8) == "refused");
  CHECK(name_of_format("3w", 80000) == "refused");
  CHECK(name_of_format(std::string(100, 'T') + std::string(100, '{'), 8) == "refused");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "T{";
  CHECK(name_of_format(deep, 8) == "refused");
}

TEST_CASE("A typestr of a date, a text, raw bytes or the other byte order is an item type", "[core][tensor]") {
  CHECK(name_of_typestr(">f4") == "float32 big-endian");
  CHECK(name_of_typestr("<M8[25s]") == "datetime64[25s]");
  CHECK(name_of_typestr("<m8") == "timedelta64");
  CHECK(name_of_typestr("<U3") == "U3");
  CHECK(name_of_typestr(">U3") == "U3 big-endian");
  CHECK(name_of_typestr("|S5") == "S5");
  CHECK(name_of_typestr("|V7") == "V7");
  CHECK(name_of_typestr("|O") == "object");
  CHECK(name_of_typestr("<c32") == "complex256");
  for (const char* typestr :
       {"", "<", "x4", "<M8[", "<M8[]", "<M8[0s]", "<M8[q]", "<M4[s]", "|V0", "|V", "|V65536", "<U16384", "<t1", "|V7x"}) {
    INFO(typestr);
    CHECK(name_of_typestr(typestr) == "refused");
  }
}

TEST_CASE("gaps that a format leaves out are C's, or the places of its fields are not known", "[core][tensor]") {
  // ctypes.Structure of Python 3.9 to 3.11: a short, two doubles, three bytes, an object.
  const auto row = item_of_format("T{<h:id:T{<d:lat:<d:lon:}:pos:(3)<B:rgb:<O:owner:}", 40);
  REQUIRE(row);
  REQUIRE(row->fields.size() == 5);
  const std::uint32_t offsets[] = {0, 8, 16, 24, 32};
  for (std::size_t i = 0; i < 5; ++i) CHECK(row->fields[i].layout.offset == offsets[i]);
  CHECK(row->bytes == 40);
  // The same with _pack_ = 4.
  const auto packed = item_of_format("T{<h:id:T{<d:lat:<d:lon:}:pos:(3)<B:rgb:<O:owner:}", 32);
  REQUIRE(packed);
  CHECK(packed->name == "V32");
  // A nested structure ends with a gap, too.
  const auto nested = item_of_format("T{T{<d:a:<b:b:}:first:<b:second:}", 24);
  REQUIRE(nested);
  REQUIRE(nested->fields.size() == 3);
  CHECK(nested->fields[2].layout.offset == 16);
  // A union or a structure with _pack_ inside is one byte in the format; a base class's fields are left out.
  for (const auto& [format, bytes] : {std::pair{"T{<i:x:B:u:<i:z:}", 24}, {"T{<b:x:B:p:<i:z:}", 12}, {"T{<i:c:}", 12}}) {
    INFO(format);
    const auto unknown = item_of_format(format, bytes);
    REQUIRE(unknown);
    CHECK(unknown->name == "V" + std::to_string(bytes));
  }
  // Gaps that are written count, and nothing is added to them (3.12).
  const auto written = item_of_format("T{<h:id:6x<d:lat:}", 16);
  REQUIRE(written);
  CHECK(written->fields[1].layout.offset == 8);
}

TEST_CASE("a gap that NumPy's formats leave out is at the end", "[core][tensor]") {
  struct Case {
    const char* format;
    std::int64_t bytes;
    std::uint32_t second;  // offset of the second field
  };
  // memoryview(np.zeros(1, dtype)).format, for dtypes with an itemsize of their own; NumPy 2.4.
  for (const Case& one : {Case{"T{b:a:=d:b:}", 16, 1}, Case{"T{b:a:=d:b:}", 12, 1}, Case{"T{i:a:=d:b:}", 16, 4}, Case{"T{>i:a:d:b:}", 16, 4},
                          Case{"T{T{b:a:=d:b:}:p:b:c:}", 24, 1}}) {
    INFO(one.format << ", " << one.bytes);
    const auto item = item_of_format(one.format, one.bytes);
    REQUIRE(item);
    REQUIRE(item->fields.size() >= 2);
    CHECK(item->fields[1].layout.offset == one.second);
    CHECK(item->bytes == static_cast<std::uint32_t>(one.bytes));
  }
}
