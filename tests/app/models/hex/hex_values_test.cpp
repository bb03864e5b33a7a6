// A search of memory for values, against every byte decoded one by one: elements of odd strides, fields of records, numbers in the other
// byte order and in bytes of their own.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "app/models/hex/byte_search.h"
#include "core/inventory/field_view.h"
#include "core/tensor/item_type.h"
#include "core/tensor/typed_item.h"
#include "tests/support/local_tensor.h"

namespace dlscope::app {
namespace {

core::DType dtype(const char* name) { return core::dtype_from_name(name).value(); }

OwnNumbers numbers(const char* name, bool swapped = false) {
  const core::DType own = dtype(name);
  const unsigned part = own.bits / 8u / (std::string(name).starts_with("complex") ? 2 : 1);
  return {{own, static_cast<std::uint8_t>(swapped && part > 1 ? part : 0)}, own.item_bits()};
}

std::vector<std::byte> as_bytes(const std::vector<int>& numbers) {
  std::vector<std::byte> out;
  for (const int number : numbers) out.push_back(static_cast<std::byte>(number));
  return out;
}

// To the other byte order, where the numbers are in that.
void turn_around(const OwnNumbers& own, std::vector<std::byte>& value) {
  const auto each = static_cast<std::ptrdiff_t>(own.numbers.reversed_bytes);
  for (auto part = value.begin(); each > 0 && part != value.end(); part += each) std::reverse(part, part + each);
}

// All matches in these bytes of this process.
std::vector<core::Address> all(ByteSearch search, std::span<const std::byte> bytes, bool forward) {
  const auto memory = core::process_reader(0);
  search.first = reinterpret_cast<core::Address>(bytes.data());
  search.last = search.first + bytes.size() - 1;
  search.from = forward ? search.first : search.last;
  search.forward = forward;
  search.most = ~std::uint64_t{0};
  std::vector<core::Address> found;
  const auto go_on = [](std::uint64_t) { return true; };
  while (const auto at = search_bytes(search, **memory, go_on).address) {
    found.push_back(*at);
    search.from = forward ? *at + 1 : *at - 1;
  }
  if (!forward) std::ranges::reverse(found);
  return found;
}

std::string problem(const char* text, const OwnNumbers& own) {
  const auto made = BytePattern::parse(text, own);
  return made ? "" : made.error().message;
}

}  // namespace

TEST_CASE("Every place where a value lies is found, in both directions and in the byte order of the tensor", "[app][models][hex]") {
  struct Case {
    const char *dtype, *text;
    std::vector<int> value;  // its bytes, the lowest first
  };
  const Case cases[] = {{"float64", "1.5", {0, 0, 0, 0, 0, 0, 0xf8, 0x3f}},
                        {"float64", "0", {0, 0, 0, 0, 0, 0, 0, 0x80}},
                        {"float32", "1.5", {0, 0, 0xc0, 0x3f}},
                        {"complex64", "1.5-0j", {0, 0, 0xc0, 0x3f, 0, 0, 0, 0}},
                        {"complex128", "2j", {0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x40}},
                        {"float32", "nan", {1, 0, 0x80, 0xff}},
                        {"float16", "nan", {0, 0x7e}},
                        {"bfloat16", "1.5", {0xc0, 0x3f}},
                        {"int32", "257", {1, 1, 0, 0}},
                        {"uint64", "65537", {1, 0, 1, 0, 0, 0, 0, 0}},
                        {"int16", "-2", {0xfe, 0xff}},
                        {"int64", "-2", {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
                        {"int64", "0", {0, 0, 0, 0, 0, 0, 0, 0}},
                        {"float64", "inf", {0, 0, 0, 0, 0, 0, 0xf0, 0x7f}},
                        {"float64", "-nan", {1, 0, 0, 0, 0, 0, 0xf0, 0xff}},
                        {"complex64", "nan", {0, 0, 0, 0, 0, 0, 0xc0, 0x7f}},
                        {"complex128", "nan", {0, 0, 0, 0, 0, 0, 0xf8, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0}},
                        {"uint8", "7", {7}},
                        {"float8_e4m3fn", "nan", {0x7f}},
                        {"bool", "True", {1}}};
  std::mt19937 chance(20261128);
  for (const Case& one : cases) {
    for (const bool swapped : {false, true}) {
      const OwnNumbers own = numbers(one.dtype, swapped);
      const auto pattern = BytePattern::parse("= " + std::string(one.text), own).value();
      const std::size_t size = pattern.size();
      std::vector<std::byte> value = as_bytes(one.value), bytes(40'011, std::byte{0x55});
      turn_around(own, value);
      for (std::size_t i = 0; i < 60; ++i) {  // at any byte, also at the ends and where one block of the search ends
        const std::size_t last = bytes.size() - size, block = 16'384 * (1 + i % 2) + chance() % 16;
        const std::size_t at = i == 0 ? 0 : i == 1 ? last : i < 40 ? chance() % last : block;
        std::ranges::copy(value, bytes.begin() + static_cast<std::ptrdiff_t>(at));
      }
      const bool nan = std::string(one.text).ends_with("nan");
      const auto test = core::ValueTest::make(
          own.numbers.dtype, nan ? core::SearchedValue::nan : core::SearchedValue::equal, nan ? "" : one.text).value();
      for (std::size_t step = 1; step <= size; step *= 2) {
        std::vector<core::Address> expected;
        for (std::size_t at = 3 % step; at + size <= bytes.size(); at += step) {
          value.assign(bytes.data() + at, bytes.data() + at + size);
          turn_around(own, value);
          if (test.matches(value, 0)) expected.push_back(reinterpret_cast<core::Address>(bytes.data() + at));
        }
        INFO(pattern.description() << ", every " << step);
        CHECK(expected.size() > 20 / size);
        const ByteSearch search{.pattern = pattern, .origin = reinterpret_cast<core::Address>(bytes.data() + 3), .step = step};
        CHECK(all(search, bytes, true) == expected);
        CHECK(all(search, bytes, false) == expected);
      }
    }
  }
}

TEST_CASE("Each element that has the value is found, however its tensor is laid out", "[app][models][hex]") {
  struct Case {
    const char* dtype;
    std::vector<int> two;
  };
  const Case cases[] = {{"float64", {0, 0, 0, 0, 0, 0, 0, 0x40}}, {"float32", {0, 0, 0, 0x40}}, {"float16", {0, 0x40}},
                        {"int32", {2, 0, 0, 0}},                  {"int16", {2, 0}},            {"uint8", {2}}};
  std::mt19937 random(20261129);
  const auto chance = [&random](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  for (int round = 0; round < 300; ++round) {
    // A field of records as NumPy packs and pads them, at any address; axes with gaps, or from the last element to the first.
    const Case& one = cases[chance(std::size(cases))];
    const bool swapped = chance(2) == 0, backwards = chance(3) == 0;
    std::vector<std::byte> two = as_bytes(one.two);
    const auto size = static_cast<std::uint32_t>(two.size());
    const std::uint32_t offset = chance(9), bytes_each = offset + size + chance(6);
    const core::ItemType item = core::record_item({{"before", 0, core::raw_item(std::max(offset, 1U)), {}},
                                                   {"b", offset, core::number_item(dtype(one.dtype), swapped), {}}}, bytes_each);
    const std::int64_t rows = 1 + chance(5), columns = 1 + chance(9), across = item.bytes + chance(3),
                       down = across * columns + chance(5);
    core::Layout layout;
    layout.item_bits = item.bytes * 8;
    layout.shape = {rows, columns};
    layout.stride_bits = {down * 8, (backwards ? -across : across) * 8};
    std::vector<std::byte> memory(static_cast<std::size_t>(rows * down + item.bytes) + 64);
    for (std::byte& byte : memory) byte = static_cast<std::byte>(chance(3));
    std::byte* const begin = memory.data() + chance(17) + (backwards ? across * (columns - 1) : 0);
    const auto snapshot = tests::local_tensor(begin, item, layout);
    const auto part = core::part_view(snapshot, 0, 1).value();
    const OwnNumbers own = own_numbers(*part.snapshot, part.record());
    turn_around(own, two);
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        std::byte* const at = begin + row * down + (backwards ? -column : column) * across + offset;
        if (chance(4) == 0) std::memcpy(at, two.data(), size);
      }
    }
    std::vector<core::Address> expected;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        const std::byte* const at = begin + row * down + (backwards ? -column : column) * across + offset;
        if (std::memcmp(at, two.data(), size) == 0) expected.push_back(reinterpret_cast<core::Address>(at));
      }
    }
    std::ranges::sort(expected);
    for (const std::string& typed : {std::string("= 2"), std::string(one.dtype) + " 2"}) {
      const auto pattern = BytePattern::parse(typed, own).value();
      ByteSearch search{.pattern = pattern};
      if (pattern.is_of_own()) {
        const ValuePlaces places = places_of_values(part.record().address, part.layout(), pattern.size());
        search.origin = places.origin;
        search.step = places.step;
      }
      INFO(typed << " of " << item.name << ", every " << search.step);
      CHECK(std::ranges::includes(all(search, memory, true), expected));
      CHECK(std::ranges::includes(all(search, memory, false), expected));
    }
  }
}

TEST_CASE("Elements that lie side by side are found where they lie and not across two of them", "[app][models][hex]") {
  const std::int32_t values[] = {256, 0, 1, 0x0100'0000, 0};  // across the first two of them lies a 1, too
  const ValuePlaces places = places_of_values(reinterpret_cast<core::Address>(values), core::Layout::c_order({5}, 32), 4);
  const auto pattern = BytePattern::parse("= 1", numbers("int32")).value();
  const auto bytes = std::as_bytes(std::span(values));
  const core::Address at = places.origin;
  CHECK(places.step == 4);
  CHECK(all({.pattern = pattern, .origin = places.origin, .step = places.step}, bytes, true) == std::vector<core::Address>{at + 8});
  CHECK(all({.pattern = pattern}, bytes, true) == std::vector<core::Address>{at + 1, at + 8, at + 15});
}

TEST_CASE("Dates, durations and texts are searched by their bytes, as the window writes them", "[app][models][hex]") {
  struct Case {
    core::ItemType item;
    const char *typed, *description;
  };
  using core::DateUnit;
  using core::ItemKind;
  const Case cases[] = {
      {date_item(ItemKind::date, DateUnit::ns, 1, false), "= 2024-02-29T05",
       "datetime64[ns] values equal to 2024-02-29T05:00:00.000000000"},
      {date_item(ItemKind::date, DateUnit::day, 1, true), "= NaT", "datetime64[D] big-endian values equal to NaT"},
      {date_item(ItemKind::duration, DateUnit::second, 1, false), "= 2 m", "timedelta64[s] values equal to 120 s"},
      {text_item(ItemKind::byte_text, 5, false), "= abc", "S5 values equal to b'abc'"},
      {text_item(ItemKind::ucs4_text, 3, true), "= 'ab'", "U3 big-endian values equal to 'ab'"}};
  for (const Case& one : cases) {
    const core::FieldLayout& field = one.item.fields[0].layout;
    const auto wanted = core::typed_item(field, std::string_view(one.typed).substr(2)).value();
    std::vector<std::byte> memory(4 * wanted.size() + 3, std::byte{'b'});
    std::ranges::copy(wanted, memory.begin() + 1);
    std::ranges::copy(wanted, memory.begin() + static_cast<std::ptrdiff_t>(2 * wanted.size() + 2));
    const auto snapshot = tests::local_tensor(memory.data(), one.item, core::Layout::c_order({4}, one.item.bytes * 8));
    const auto pattern = BytePattern::parse(one.typed, own_numbers(*snapshot, snapshot->tensors[0])).value();
    CHECK(pattern.description() == one.description);
    CHECK(pattern.is_of_own());
    CHECK(pattern.size() == wanted.size());
    CHECK(pattern.find(memory, 0) == 1U);
    CHECK(pattern.find(memory, 2) == 2 * wanted.size() + 2);
    CHECK(pattern.find_last(memory, 0) == 2 * wanted.size() + 2);
  }
  const auto days = core::date_item(ItemKind::date, DateUnit::day, 1, false);
  const OwnNumbers own{{core::dtype_of_item(8)}, 64, {}, days.fields[0].layout};
  CHECK(problem("= 2024-02-29T05", own) == "'2024-02-29T05' lies between two values of datetime64[D], so none is equal to it.");
}

TEST_CASE("Numbers in the other byte order and in bytes of their own are searched, and what has no NaN says so", "[app][models][hex]") {
  CHECK(BytePattern::parse("= 1.5", numbers("float32", true)).value().description() == "big-endian float32 values equal to 1.5");
  CHECK(BytePattern::parse("float32 1.5", numbers("float32", true)).value().description() == "big-endian float32 values equal to 1.5");
  CHECK(BytePattern::parse("float64 1.5", numbers("float32", true)).value().description() == "float64 values equal to 1.5");

  const auto payload = BytePattern::parse("nan:0x12", numbers("float32", true)).value();
  const unsigned char quiet[] = {0x00, 0x7f, 0xc0, 0x00, 0x12, 0x00};
  CHECK(payload.find(std::as_bytes(std::span(quiet)), 0) == 1U);
  CHECK(payload.description() == "big-endian float32 NaN with payload 0x12");

  const OwnNumbers int4{{dtype("int4")}, 8};
  const unsigned char bytes[] = {0x07, 0x0d, 0xfd, 0x03};  // ml_dtypes writes the sign into the upper bits, or not
  const auto pattern = BytePattern::parse("= -3", int4).value();
  CHECK(pattern.find(std::as_bytes(std::span(bytes)), 0) == 1U);
  CHECK(pattern.find_last(std::as_bytes(std::span(bytes)), 0) == 2U);
  CHECK(problem("= -3", OwnNumbers{{dtype("int4")}, 4}).find("whole bytes") != std::string::npos);

  CHECK(problem("nan", numbers("bool")) == "bool has no NaN.");
  CHECK(problem("bool nan", numbers("float32")) == "bool has no NaN.");
  CHECK(problem("nan", OwnNumbers{{dtype("float4_e2m1fn")}, 8}) == "float4_e2m1fn has no NaN.");
  CHECK(problem("nan", numbers("int32", true)) == "big-endian int32 has no NaN.");
  CHECK(problem("nan", numbers("float8_e4m3fn")).empty());
  CHECK(problem("= 1", OwnNumbers{{core::dtype_of_item(12)}, 96}).starts_with("Records are not searched"));
}

}  // namespace dlscope::app
