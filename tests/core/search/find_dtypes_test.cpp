#include <catch2/catch_test_macros.hpp>
#include <random>
#include <span>
#include <vector>

#include "core/inventory/snapshot_builder.h"
#include "core/search/find_value.h"
#include "tests/core/search/searched_snapshot.h"

namespace dlscope::core {
namespace {

// The judge decodes each element by itself.
TEST_CASE("values of every dtype are found in any layout, however many match", "[core][search]") {
  std::mt19937_64 random(23);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  struct Case {
    const char *dtype, *text;  // "": what is special
  };
  constexpr Case kCases[] = {{"bool", "True"},         {"bool", ""},           {"int4", "-3"},          {"uint4", "7"},
                             {"int8", "-1"},           {"uint8", "0"},         {"int16", "0"},          {"uint32", "1"},
                             {"int64", "-1"},          {"float16", ""},        {"bfloat16", "0"},       {"float32", ""},
                             {"float32", "0"},         {"float64", "nan"},     {"complex32", ""},       {"complex64", "0"},
                             {"complex64", "nan"},     {"complex128", "0"},    {"float8_e4m3fn", ""},   {"float8_e4m3fn", "0"},
                             {"float8_e5m2", "inf"},   {"float8_e8m0fnu", "1"}, {"float8_e3m4", ""},    {"float6_e2m3fn", "0.5"},
                             {"float8_e4m3fnuz", "nan"}, {"float6_e3m2fn", ""}, {"float4_e2m1fn", "-1"}, {"float32x4", ""},
                             {"float4_e2m1fnx2", ""}};
  std::vector<std::byte> memory(1 << 21);
  for (const Case& one : kCases) {
    const DType dtype = dtype_from_name(one.dtype).value();
    const ValueTest test =
        ValueTest::make(dtype, *one.text == '\0' ? SearchedValue::special : SearchedValue::equal, one.text).value();
    const auto bits = static_cast<std::int64_t>(dtype.item_bits());
    for (int round = 0; round < 24; ++round) {
      const unsigned zeros = round == 0 ? 1 : round == 8 ? 1000 : 4;  // of so many bytes all but one
      for (std::byte& byte : std::span(memory).first(round % 8 == 0 ? memory.size() : 0))
        byte = random() % zeros == 0 ? static_cast<std::byte>(random()) : std::byte{0};
      std::vector<std::int64_t> shape, strides;
      for (int axis = pick(0, 3); axis-- > 0;) {
        shape.push_back(pick(1, 12));
        strides.push_back(pick(0, 4) == 0 ? 0 : pick(-40, 40));
      }
      if (pick(0, 1) == 0 && !shape.empty()) shape.back() = pick(1, 400);
      const Layout layout = pick(0, 1) ? Layout::c_order(shape, static_cast<std::uint32_t>(bits))
                                       : Layout::from_element_strides(shape, strides, static_cast<std::uint32_t>(bits));
      const std::byte* const middle = memory.data() + memory.size() / 2;
      const SnapshotPtr snapshot = snapshot_of(middle, dtype, layout);
      const std::uint64_t elements = snapshot->tensors[0].elements, from = random() % (elements + 1);
      std::uint64_t elements_hit = 0;
      std::optional<std::uint64_t> first, next;
      for (std::uint64_t i = 0; i < elements; ++i) {
        const std::int64_t at = bit_offset_of(layout, i);
        const std::byte* const begin = middle + (at >= 0 ? at / 8 : -((-at + 7) / 8));
        const auto bit = static_cast<std::size_t>(at & 7);
        if (!test.matches({begin, (bit + static_cast<std::size_t>(bits) + 7) / 8}, bit)) continue;
        ++elements_hit;
        if (!first) first = i;
        if (!next && i >= from) next = i;
      }
      FindValueTask task(snapshot, 0, process_reader(0).value(), test, from, 1 + round % 2);
      while (task.step().value() == Task::State::more) {
      }
      INFO(one.dtype << " " << one.text << ", " << elements << " elements, from " << from);
      if (dtype.lanes == 1) REQUIRE(task.found().matches == elements_hit);
      REQUIRE(task.found().first == first);
      REQUIRE(task.found().next == next);
      REQUIRE(task.found().searched == elements * dtype.lanes);
      REQUIRE(task.tested() <= 2 * elements * dtype.lanes);
    }
  }
}

// Every value matches, and looking for the first one does not go through all of them, whatever the order.
TEST_CASE("where all values match, few are tested by themselves", "[core][search]") {
  const std::vector<float> zeros(1 << 18, 0.0F);
  for (const Layout& layout : {Layout::c_order({512, 512}, 32), Layout::from_element_strides({512, 512}, {1, 512}, 32)}) {
    const SnapshotPtr snapshot = snapshot_of(zeros.data(), *dtype_from_name("float32"), layout);
    for (const std::uint64_t from : {std::uint64_t{0}, std::uint64_t{100'000}, std::uint64_t{1} << 18}) {
      FindValueTask task(snapshot, 0, process_reader(0).value(),
                         ValueTest::make(snapshot->tensors[0].dtype, SearchedValue::equal, "0").value(), from, 1);
      while (task.step().value() == Task::State::more) {
      }
      CHECK(task.found().matches == 1 << 18);
      CHECK(task.found().first == 0);
      CHECK(task.found().next == (from < 1 << 18 ? std::optional<std::uint64_t>(from) : std::nullopt));
      CHECK(task.tested() <= (1 << 18) + 2000);
    }
  }
}

}  // namespace
}  // namespace dlscope::core
