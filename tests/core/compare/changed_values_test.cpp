// Values that a conversion changed, counted as compare_tensors() counts them, judged value by value with decode_element().
#include "core/compare/changed_values.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "core/tensor/element.h"
#include "core/transfer/convert.h"
#include "core/transfer/copy_in_parts.h"

namespace dlscope::core {
namespace {

DType named(const char* name) { return dtype_from_name(name).value(); }

// Exact for every number of at most 64 bits on machines whose long double has 64 bits of mantissa.
std::array<long double, 2> number_of(DType dtype, std::span<const std::byte> bytes, unsigned at) {
  const Value value = decode_element(dtype, bytes, at);
  switch (value.kind) {
    case ValueKind::signed_integer:
      return {static_cast<long double>(value.as_signed), 0};
    case ValueKind::unsigned_integer:
      return {static_cast<long double>(value.as_unsigned), 0};
    case ValueKind::boolean:
      return {value.as_unsigned != 0 ? 1.0L : 0.0L, 0};
    default:
      return {static_cast<long double>(value.real), static_cast<long double>(value.imaginary)};
  }
}

bool is_changed(std::array<long double, 2> a, std::array<long double, 2> b) {
  const bool nan_a = a[0] != a[0] || a[1] != a[1], nan_b = b[0] != b[0] || b[1] != b[1];
  return nan_a || nan_b ? nan_a != nan_b : a != b;
}

std::uint64_t counted(DType from, const std::vector<std::byte>& source, DType to, const std::vector<std::byte>& made,
                      std::uint64_t count) {
  std::uint64_t changed = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto at = [&](DType dtype, const std::vector<std::byte>& bytes) {
      const std::uint64_t bit = i * dtype.bits;
      return number_of(dtype, std::span(bytes).subspan(bit / 8), static_cast<unsigned>(bit % 8));
    };
    changed += is_changed(at(from, source), at(to, made)) ? 1 : 0;
  }
  return changed;
}

TEST_CASE("changed values are counted for every conversion, whatever the bits", "[core][compare]") {
  constexpr std::array kNames{"bool",    "int4",    "uint4",    "int8",    "uint8",   "int16",           "uint16",
                              "int32",   "uint32",  "int64",    "uint64",  "float16", "bfloat16",        "float32",
                              "float64", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2", "float4_e2m1fn", "float6_e3m2fn"};
  constexpr std::uint64_t kCount = 2500;  // more than one block, and not a whole number of them
  std::mt19937_64 random(11);
  for (const char* const from_name : kNames) {
    const DType from = named(from_name);
    std::vector<std::byte> source(kCount * from.bits / 8 + 8);
    for (std::byte& byte : source) byte = static_cast<std::byte>(random() % 3 == 0 ? 0 : random());
    for (const char* const to_name : kNames) {
      const DType to = named(to_name);
      if (from == to || !why_not_convertible(from, to).empty()) continue;
      std::vector<std::byte> made(kCount * to.bits / 8 + 8);
      convert_elements(from, source.data(), to, made.data(), kCount);
      CAPTURE(from_name, to_name);
      CHECK(count_changed(from, source.data(), to, made.data(), kCount) == counted(from, source, to, made, kCount));
    }
  }
}

TEST_CASE("a copy that was compared with its conversion is told how many values that changed", "[core][compare]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::array<float, 7> source{70000, 1e-9F, nan, -1.5F, 3e38F, 255.5F, 3};
  std::array<std::int8_t, 7> made{};
  const std::array<std::int64_t, 1> shape{7}, of_source{32}, of_made{8};
  const CopySource from{reinterpret_cast<const std::byte*>(source.data()), {shape, of_source, 32}, named("float32")};
  const CopyTarget to{reinterpret_cast<std::byte*>(made.data()), {shape, of_made, 8}, named("int8")};
  REQUIRE(copy_in_parts(from, to, [](auto, auto) { return true; }).value());
  std::uint64_t changed = 0;
  const auto see = [&](const std::byte* values, const std::byte* converted, std::uint64_t count) {
    changed += count_changed(from.dtype, values, to.dtype, converted, count);
  };
  CHECK(is_copy_of(from, to, [](auto, auto) { return true; }, kCopyPartBytes, see).value() == true);
  CHECK(changed == 6);
  CHECK(conversion_text({changed, 7}) == "the conversion changed 6 of 7 values");
  CHECK(conversion_text({0, 7}) == "the conversion changed no value");
}

}  // namespace
}  // namespace dlscope::core
