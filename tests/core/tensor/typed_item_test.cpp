// Dates, durations and texts that were typed are the bytes that NumPy stores for them.
#include "core/tensor/typed_item.h"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include "core/tensor/item_format.h"

namespace dlscope::core {
namespace {

constexpr std::int64_t kNaT = std::numeric_limits<std::int64_t>::min();
constexpr std::optional<std::int64_t> kNone;

FieldLayout field_of(const std::string& typestr) { return item_of_typestr(typestr).value().fields[0].layout; }

std::string why(const FieldLayout& field, const char* text) {
  const auto typed = typed_item(field, text);
  return typed ? std::string() : typed.error().message;
}

std::string bytes_of(const std::string& typestr, const char* text) {
  const auto typed = typed_item(field_of(typestr), text);
  if (!typed) return "refused: " + typed.error().message;
  return {reinterpret_cast<const char*>(typed->data()), typed->size()};
}

constexpr const char* kTexts[] = {
    "2024-02-29", "2024-02-29T00", "2024-02-29T05", "2024-02-29T05:06", "2024-02-29T05:06:07", "2024-02-29T05:06:07.5",
    "2024-02-29T05:06:07.123456", "2024-02", "2024", "1969-12-31T23:59:59.999", "1970-01-01", "0001-01-01",
    "-005-03-01", "2023-02-29", "2024-13-01", "1900-02-29", "2000-02-29 12:00", "9999-12-31", "1969-12-25", "NaT",
    "1677-09-22T00:12:43.145224", "1970-01-01T00:00:50"};

// What NumPy 2 has in an array of the unit that is equal to each of these texts; kNone: nothing is. Left out are its answers to a year as
// weeks, which it rounds down before it compares: np.datetime64('2024') == np.datetime64('2023-12-28', 'W').
struct OfUnit {
  const char* unit;
  std::array<std::optional<std::int64_t>, std::size(kTexts)> counts;
};
const OfUnit kByNumPy[] = {
    {"Y", {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, 54, kNone, 0, -1969, kNone, kNone, kNone, kNone, kNone,
     kNone, kNone, kNaT, kNone, kNone}},
    {"M", {kNone, kNone, kNone, kNone, kNone, kNone, kNone, 649, 648, kNone, 0, -23628, -23698, kNone, kNone, kNone, kNone,
     kNone, kNone, kNaT, kNone, kNone}},
    {"W", {2826, 2826, kNone, kNone, kNone, kNone, kNone, 2822, kNone, kNone, 0, kNone, kNone, kNone, kNone, kNone, kNone,
     kNone, -1, kNaT, kNone, kNone}},
    {"D", {19782, 19782, kNone, kNone, kNone, kNone, kNone, 19754, 19723, kNone, 0, -719162, -721295, kNone, kNone, kNone,
     kNone, 2932896, -7, kNaT, kNone, kNone}},
    {"h", {474768, 474768, 474773, kNone, kNone, kNone, kNone, 474096, 473352, kNone, 0, -17259888, -17311080, kNone, kNone,
     kNone, 264396, 70389504, -168, kNaT, kNone, kNone}},
    {"m", {28486080, 28486080, 28486380, 28486386, kNone, kNone, kNone, 28445760, 28401120, kNone, 0, -1035593280,
     -1038664800, kNone, kNone, kNone, 15863760, 4223370240, -10080, kNaT, kNone, kNone}},
    {"s", {1709164800, 1709164800, 1709182800, 1709183160, 1709183167, kNone, kNone, 1706745600, 1704067200, kNone, 0,
     -62135596800, -62319888000, kNone, kNone, kNone, 951825600, 253402214400, -604800, kNaT, kNone, 50}},
    {"ms", {1709164800000, 1709164800000, 1709182800000, 1709183160000, 1709183167000, 1709183167500, kNone, 1706745600000,
     1704067200000, -1, 0, -62135596800000, -62319888000000, kNone, kNone, kNone, 951825600000, 253402214400000, -604800000,
     kNaT, kNone, 50000}},
    {"us", {1709164800000000, 1709164800000000, 1709182800000000, 1709183160000000, 1709183167000000, 1709183167500000,
     1709183167123456, 1706745600000000, 1704067200000000, -1000, 0, -62135596800000000, -62319888000000000, kNone, kNone,
     kNone, 951825600000000, 253402214400000000, -604800000000, kNaT, -9223285636854776, 50000000}},
    {"ns", {1709164800000000000, 1709164800000000000, 1709182800000000000, 1709183160000000000, 1709183167000000000,
     1709183167500000000, 1709183167123456000, 1706745600000000000, 1704067200000000000, -1000000, 0, kNone, kNone, kNone,
     kNone, kNone, 951825600000000000, kNone, -604800000000000, kNaT, -9223285636854776000, 50000000000}},
    {"10Y", {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, 0, kNone, kNone, kNone, kNone, kNone,
     kNone, kNone, kNone, kNaT, kNone, kNone}},
    {"3M", {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, 216, kNone, 0, -7876, kNone, kNone, kNone, kNone, kNone,
     kNone, kNone, kNaT, kNone, kNone}},
    {"2W", {1413, 1413, kNone, kNone, kNone, kNone, kNone, 1411, kNone, kNone, 0, kNone, kNone, kNone, kNone, kNone, kNone,
     kNone, kNone, kNaT, kNone, kNone}},
    {"7D", {2826, 2826, kNone, kNone, kNone, kNone, kNone, 2822, kNone, kNone, 0, kNone, kNone, kNone, kNone, kNone, kNone,
     kNone, -1, kNaT, kNone, kNone}},
    {"25s", {68366592, 68366592, 68367312, kNone, kNone, kNone, kNone, 68269824, 68162688, kNone, 0, -2485423872,
     -2492795520, kNone, kNone, kNone, 38073024, 10136088576, -24192, kNaT, kNone, 2}},
};

}  // namespace

TEST_CASE("a typed date is the count of its unit that NumPy compares as equal to it, or none", "[core][tensor]") {
  for (const OfUnit& of : kByNumPy) {
    for (const char* const order : {"<", ">"}) {
      const FieldLayout field = field_of(std::string(order) + "M8[" + of.unit + "]");
      for (std::size_t i = 0; i < std::size(kTexts); ++i) {
        const auto typed = typed_time(field, kTexts[i]);
        INFO(kTexts[i] << " as [" << of.unit << "]: " << (typed ? std::to_string(*typed) : typed.error().message));
        REQUIRE((typed ? std::optional(*typed) : kNone) == of.counts[i]);
      }
    }
  }
}

TEST_CASE("whatever is written of a date, a duration or a text can be typed", "[core][tensor]") {
  std::mt19937_64 random(7);
  for (const char* const unit : {"", "[Y]", "[M]", "[W]", "[D]", "[h]", "[m]", "[s]", "[ms]", "[us]", "[ns]", "[ps]", "[fs]", "[as]",
                                 "[25s]", "[3M]", "[7ns]"}) {
    for (const char kind : {'M', 'm'}) {
      const FieldLayout field = field_of(std::string(random() % 2 == 0 ? "<" : ">") + kind + "8" + unit);
      for (int round = 0; round < 2000; ++round) {
        const auto count = static_cast<std::int64_t>(random()) >> random() % 64;
        std::uint64_t stored = static_cast<std::uint64_t>(count);
        if (field.swapped) stored = __builtin_bswap64(stored);
        std::array<std::byte, 8> bytes;
        std::memcpy(bytes.data(), &stored, sizeof stored);
        const std::string text = format_field(field, bytes);
        const auto typed = typed_item(field, text);
        INFO(text << " " << kind << unit << " " << (typed ? "" : typed.error().message));
        REQUIRE(typed);
        REQUIRE(std::ranges::equal(*typed, bytes));
      }
    }
  }
  for (const char* const typestr : {"<U6", ">U6", "|S6"}) {
    const FieldLayout field = field_of(typestr);
    const bool wide = field.kind == ItemKind::ucs4_text;
    for (int round = 0; round < 2000; ++round) {
      std::vector<std::byte> item(field.bytes);
      const std::size_t length = random() % 7;
      constexpr std::uint32_t kSome[] = {'a', '\'', '\\', '"', 0x20ac, 0x1f600, 0, 7, 0xd800, 0x200e, ' ', 0xe4};
      for (std::size_t i = 0; i < length; ++i) {
        std::uint32_t character = wide ? kSome[random() % std::size(kSome)] : static_cast<std::uint32_t>(random() % 256);
        if (wide && field.swapped) character = __builtin_bswap32(character);
        std::memcpy(item.data() + i * (wide ? 4 : 1), &character, wide ? 4 : 1);
      }
      const std::string text = format_field(field, item, ItemText::whole);
      const auto typed = typed_item(field, text);
      INFO(text << " " << (typed ? "" : typed.error().message));
      REQUIRE(typed);
      REQUIRE(*typed == item);
    }
  }
}

TEST_CASE("a duration is typed with its unit, or another one that fits into it exactly", "[core][tensor]") {
  CHECK(typed_time(field_of("<m8[s]"), "90 s") == 90);
  CHECK(typed_time(field_of("<m8[s]"), "-90s") == -90);
  CHECK(typed_time(field_of("<m8[s]"), "2 m") == 120);
  CHECK(typed_time(field_of("<m8[25s]"), "125 s") == 5);
  CHECK(typed_time(field_of("<m8[25s]"), "5 x 25 s") == 5);
  CHECK(typed_time(field_of("<m8[ns]"), "1 W") == 604'800'000'000'000);
  CHECK(typed_time(field_of("<m8[M]"), "2 Y") == 24);
  CHECK(typed_time(field_of("<m8"), "7") == 7);
  CHECK(typed_time(field_of("<m8[D]"), "nat") == kNaT);
  CHECK(why(field_of("<m8[m]"), "90 s") == "'90 s' lies between two values of timedelta64[m], so none is equal to it");
  CHECK(why(field_of("<m8[25s]"), "26 s") == "'26 s' lies between two values of timedelta64[25s], so none is equal to it");
  CHECK(why(field_of("<m8[s]"), "90") == "'90' is not a value of timedelta64[s], which are written as 3 s");
  CHECK(why(field_of("<m8"), "90 s") == "'90 s' is not a value of timedelta64, which are written as plain numbers");
  CHECK(why(field_of("<m8[as]"), "1 W") == "timedelta64[as] cannot hold '1 W'");
  CHECK(why(field_of("<m8[as]"), "9223372036854775807 W") == "timedelta64[as] cannot hold '9223372036854775807 W'");
  CHECK(typed_time(field_of("<m8[as]"), "0 W") == 0);
  CHECK(why(field_of("<m8[D]"), "1 M").find("have none in days") != std::string::npos);
}

TEST_CASE("what is no date, or lies between two, says so", "[core][tensor]") {
  CHECK(why(field_of("<M8[D]"), "2024-02-29T05") == "'2024-02-29T05' lies between two values of datetime64[D], so none is equal to it");
  CHECK(why(field_of("<M8[D]"), "2023-02-29") == "'2023-02-29' is not a value of datetime64[D], which are written as 1970-01-01");
  CHECK(why(field_of("<M8[ns]"), "9999-12-31") == "datetime64[ns] cannot hold '9999-12-31'");
  for (const char* const text : {"", "5", "2024-1-1", "2024-01-01T", "2024-01-01T24", "2024-01-01T00:60", "2024-01-01T00:00:00.",
                                 "2024-01-01Z", "2024-01-01T00:00:00.0000000000000000001", "99999999999999999999", "2024-00-01"}) {
    INFO(text);
    CHECK_FALSE(why(field_of("<M8[s]"), text).empty());
  }
}

TEST_CASE("a typed text is padded as NumPy pads it, and one that is too long is refused", "[core][tensor]") {
  CHECK(bytes_of("|S5", "abc") == std::string("abc\0\0", 5));
  CHECK(bytes_of("|S5", "b'abc'") == std::string("abc\0\0", 5));
  CHECK(bytes_of("|S5", "'a\\xffb\\0'") .starts_with("refused"));
  CHECK(bytes_of("|S5", "b'a\\xff'") == std::string("a\xff\0\0\0", 5));
  CHECK(bytes_of("|S5", "''") == std::string(5, '\0'));
  CHECK(bytes_of("|S5", "it's") == std::string("it's\0", 5));
  CHECK(bytes_of("|S5", "a\\n") == std::string("a\\n\0\0", 5));
  CHECK(bytes_of("<U2", "'\\u20ac'") == std::string("\xac\x20\0\0\0\0\0\0", 8));
  CHECK(bytes_of("<U2", "\xe2\x82\xac") == std::string("\xac\x20\0\0\0\0\0\0", 8));
  CHECK(bytes_of(">U1", "a") == std::string("\0\0\0a", 4));
  CHECK(bytes_of("|S3", "'abc\\x00'") == "abc");  // a zero at the end is padding
  CHECK(why(field_of("<U3"), "abcd") == "abcd has 4 characters, and a value of U3 has 3 at most: none is equal to it");
  CHECK(why(field_of("|S3"), "\xe2\x82\xac\xe2\x82\xac") == "\xe2\x82\xac\xe2\x82\xac has 6 bytes, and a value of S3 has 3 at most: none is equal to it");
  CHECK(why(field_of("|S3"), "'abc") == "'abc has no quote at its end");
  CHECK(why(field_of("|S3"), "") == "type a text; '' is an empty one");
  CHECK(why(field_of("<U3"), "\xff") == "the text is not valid UTF-8");
}

}  // namespace dlscope::core
