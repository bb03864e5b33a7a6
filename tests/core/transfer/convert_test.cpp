// Every set of conversion loops this machine can run, against the conversion one by one: every value of the sources of 8 and 16
// bits, and of the wider ones the edges of all targets and random bit patterns. (ml_dtypes judges both: tests/embed/tensors.)
#include "core/transfer/convert.h"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "core/tensor/item_type.h"
#include "core/transfer/convert_kernels.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace {

using namespace dlscope::core;

constexpr DType dtype(DTypeCode code, std::size_t bits) {
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1};
}
constexpr DType kFloat32 = dtype(DTypeCode::float_, 32), kFloat64 = dtype(DTypeCode::float_, 64);
const std::vector<DType> kNarrowFloats{
    dtype(DTypeCode::float_, 16),           dtype(DTypeCode::bfloat, 16),         dtype(DTypeCode::float8_e3m4, 8),
    dtype(DTypeCode::float8_e4m3, 8),       dtype(DTypeCode::float8_e4m3b11fnuz, 8), dtype(DTypeCode::float8_e4m3fn, 8),
    dtype(DTypeCode::float8_e4m3fnuz, 8),   dtype(DTypeCode::float8_e5m2, 8),     dtype(DTypeCode::float8_e5m2fnuz, 8)};

template <class T>
void append(std::vector<std::byte>& bytes, T value) {
  const auto* const begin = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof value);
}

// The bit patterns around every value that a narrow float can have, around every middle between two of them (where rounding
// decides), and around powers of two, which bound the integers.
template <class Float, class Bits>
void append_edges(std::vector<std::byte>& bytes) {
  const auto append_around = [&](Float value) {
    const auto bits = std::bit_cast<Bits>(value);
    for (const Bits near : {bits - 1, bits, bits + 1}) append(bytes, static_cast<Bits>(near));
  };
  for (const DType narrow : kNarrowFloats) {
    Float before = 0;
    for (std::uint32_t code = 0; code < 1U << narrow.bits; ++code) {
      Float value{};
      convert_one_by_one(narrow, reinterpret_cast<const std::byte*>(&code), dtype(DTypeCode::float_, 8 * sizeof value),
                         reinterpret_cast<std::byte*>(&value), 1);
      append_around(value);
      append_around((before + value) / 2);
      before = value;
    }
  }
  for (int power = -160; power < 160; ++power) append_around(static_cast<Float>(std::ldexp(1.0, power)));
}

std::vector<std::byte> numbers_of(DType source) {
  std::vector<std::byte> bytes;
  if (source.bits <= 16) {
    for (std::uint32_t code = 0; code < 1U << source.bits; ++code) {
      append(bytes, static_cast<std::uint8_t>(code));
      if (source.bits == 16) append(bytes, static_cast<std::uint8_t>(code >> 8));
    }
    return bytes;
  }
  append(bytes, ~std::uint64_t{0});  // of floats, the NaN with the greatest bits
  if (source == kFloat32) append_edges<float, std::uint32_t>(bytes);
  if (source == kFloat64) append_edges<double, std::uint64_t>(bytes);
  std::mt19937_64 random(11);
  for (int i = 0; i < 50'000; ++i) append(bytes, random() >> (random() % 64));  // of every magnitude, also as integers
  for (int i = 0; i < 50'000; ++i) append(bytes, random());
  return bytes;
}

std::vector<DType> whole_byte_types() {
  std::vector<DType> all = kNarrowFloats;
  for (const std::size_t bits : {8, 16, 32, 64}) {
    all.push_back(dtype(DTypeCode::int_, bits));
    all.push_back(dtype(DTypeCode::uint, bits));
  }
  const DType bool8 = dtype(DTypeCode::bool_, 8);
  for (const DType other : {kFloat32, kFloat64, bool8, dtype(DTypeCode::complex, 64), dtype(DTypeCode::complex, 128)})
    all.push_back(other);
  return all;
}

// What a caller's program may have set: rounding upwards, and subnormal operands and results taken for 0.
class StrangeFloatEnvironment {
 public:
  StrangeFloatEnvironment() {
    std::fegetenv(&before_);
    std::fesetround(FE_UPWARD);
#ifdef __SSE2__
    _mm_setcsr(_mm_getcsr() | 0x8040);
    set_ = _mm_getcsr();
#endif
  }
  // Neither the modes nor the flags have changed since.
  [[nodiscard]] bool is_untouched() const {
#ifdef __SSE2__
    return _mm_getcsr() == set_;
#else
    return std::fegetround() == FE_UPWARD;
#endif
  }
  ~StrangeFloatEnvironment() { std::fesetenv(&before_); }
  StrangeFloatEnvironment(const StrangeFloatEnvironment&) = delete;
  StrangeFloatEnvironment& operator=(const StrangeFloatEnvironment&) = delete;

 private:
  std::fenv_t before_{};
  unsigned set_ = 0;
};

void check_equal(const std::vector<std::byte>& source, DType from, const std::vector<std::byte>& made,
                 const std::vector<std::byte>& expected, DType to) {
  const auto first = static_cast<std::size_t>(std::ranges::mismatch(made, expected).in1 - made.begin());
  if (first == made.size()) return;
  const auto bits_of = [at = first / (to.bits / 8U)](const std::vector<std::byte>& bytes, DType type) {
    std::uint64_t bits = 0;
    const std::size_t size = type.bits / 8U;
    std::memcpy(&bits, bytes.data() + at * size, std::min(sizeof bits, size));
    return bits;
  };
  INFO(dtype_name(from) << " " << bits_of(source, from) << " to " << dtype_name(to));
  CHECK(bits_of(made, to) == bits_of(expected, to));
}

// How many pairs of types the loops convert; all of them are compared.
int compare_all(const ConvertKernels& kernels) {
  int pairs = 0;
  for (const DType from : whole_byte_types()) {
    const std::vector<std::byte> source = numbers_of(from);
    const std::uint64_t count = source.size() / (from.bits / 8U);
    for (const DType to : whole_byte_types()) {
      if (!why_not_convertible(from, to).empty()) continue;
      std::vector<std::byte> made(count * (to.bits / 8U)), expected = made, made_elsewhere = made;
      if (!convert_with(kernels, from, source.data(), to, made.data(), count)) continue;
      ++pairs;
      bool untouched = false;
      {
        const StrangeFloatEnvironment environment;
        static_cast<void>(convert_with(kernels, from, source.data(), to, made_elsewhere.data(), count));
        untouched = environment.is_untouched();
      }
      CHECK(untouched);
      convert_one_by_one(from, source.data(), to, expected.data(), count);
      check_equal(source, from, made, expected, to);
      check_equal(source, from, made_elsewhere, expected, to);
    }
  }
  return pairs;
}

TEST_CASE("What is not converted is said in words, without a dtype's number where it has a name", "[core][transfer]") {
  const DType float32{2, 32, 1};
  CHECK(why_not_convertible({0, 3, 1}, float32) == "there is no conversion for 3 bits of DLPack's dtype code 0 (int)");
  CHECK(why_not_convertible(float32, {99, 8, 2}) == "there is no conversion for 8 bits of DLPack's dtype code 99, 2 lanes");
  CHECK(why_not_convertible({2, 128, 1}, float32) == "there is no conversion for float128");
  CHECK(why_not_convertible({1, 8, 4}, float32) == "there is no conversion for uint8x4");
  CHECK(why_not_convertible(dtype_of_item(12), float32) ==
        "there is no conversion for elements of 12 bytes that are not plain numbers");
}

TEST_CASE("Every set of loops converts as the rules say, bit by bit, in any floating-point environment", "[core][transfer]") {
  REQUIRE_FALSE(all_convert_kernels().empty());
  for (const ConvertKernels* kernels : all_convert_kernels()) {
    CAPTURE(kernels->name);
    const int complex = 2, real = static_cast<int>(whole_byte_types().size()) - complex;
    CHECK(compare_all(*kernels) == real * (real - 1) + real * complex + complex * (complex - 1));  // all but to the same type
  }
}

TEST_CASE("Any number of elements at any address is converted, and no byte beside them written", "[core][transfer]") {
  std::mt19937 random(3);
  const DType source = dtype(DTypeCode::float8_e4m3fn, 8);
  for (const DType target : {kFloat32, dtype(DTypeCode::float_, 16), dtype(DTypeCode::float8_e5m2, 8)}) {
    const std::size_t item = target.bits / 8U;
    for (std::size_t count = 0; count < 70; ++count) {
      std::vector<std::byte> from(count + 1);
      for (std::byte& byte : from) byte = static_cast<std::byte>(random());
      std::vector<std::byte> to(count * item + 2, std::byte{0xEE}), expected = to;
      convert_elements(source, from.data() + 1, target, to.data() + 1, count);
      convert_one_by_one(source, from.data() + 1, target, expected.data() + 1, count);
      CHECK(to == expected);
    }
  }
}

TEST_CASE("Packed numbers are converted bit by bit, and the bits after the last one stay", "[core][transfer]") {
  const std::vector<DType> packed{dtype(DTypeCode::int_, 4), dtype(DTypeCode::uint, 4), dtype(DTypeCode::float4_e2m1fn, 4),
                                  dtype(DTypeCode::float6_e2m3fn, 6), dtype(DTypeCode::float6_e3m2fn, 6)};
  std::vector<DType> all = packed;
  for (const DType type : whole_byte_types()) {
    if (static_cast<DTypeCode>(type.code) != DTypeCode::complex) all.push_back(type);
  }
  std::vector<std::vector<std::byte>> sources;
  for (const DType type : all) sources.push_back(numbers_of(type.bits < 8 ? dtype(DTypeCode::uint, 16) : type));
  const auto compare = [&](const ConvertKernels& kernels, DType from, DType to, std::uint64_t count) {
    const std::vector<std::byte>& source = sources[static_cast<std::size_t>(std::ranges::find(all, from) - all.begin())];
    count = std::min(count, source.size() * 8 / from.bits);
    std::vector<std::byte> made((count * to.bits + 7) / 8, std::byte{0xA5}), expected = made;
    const bool converts = convert_with(kernels, from, source.data(), to, made.data(), count);
    convert_one_by_one(from, source.data(), to, expected.data(), count);
    return converts && made == expected;
  };
  for (const ConvertKernels* kernels : all_convert_kernels()) {
    for (const DType small : packed) {
      for (const DType other : all) {
        if (small == other) continue;
        CAPTURE(kernels->name, dtype_name(small), dtype_name(other));
        const int most = other == kFloat32 ? 10'000'000 : 20'000;  // float32 has the edges
        for (const int numbers : {0, 1, 2, 3, 5, 31, 1023, 1025, most}) {
          const auto count = static_cast<std::uint64_t>(numbers);
          CHECK(compare(*kernels, small, other, count));
          CHECK(compare(*kernels, other, small, count));
        }
      }
    }
  }
}

}  // namespace
