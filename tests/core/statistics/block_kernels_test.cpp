// Every instruction set that this machine has gives the same counts and extremes, and sums within rounding.
#include "core/statistics/block_kernels.h"

#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/statistics/moments.h"
#include "core/statistics/value_summary.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kFloatBytes[] = {2, 2, 4, 8}, kIntBytes[] = {1, 2, 4, 8, 1};

// Bytes that make ordinary numbers of most types: no exponent is at its end.
std::vector<std::byte> ordinary_bytes(std::mt19937& chance, std::size_t type, std::size_t count) {
  std::vector<std::byte> out(kBlockBytes + 64);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = static_cast<double>(static_cast<std::int32_t>(chance())) / (1 << 28);
    const auto single = static_cast<float>(x);
    const auto bits = std::bit_cast<std::uint32_t>(single);
    const auto brain = static_cast<std::uint16_t>(bits >> 16);
    const auto half = static_cast<std::uint16_t>((bits >> 16 & 0x8000) | ((bits >> 13 & 0x3ff) | (15u << 10)));
    std::byte* const to = out.data() + i * kFloatBytes[type];
    if (type == 0) std::memcpy(to, &half, 2);
    if (type == 1) std::memcpy(to, &brain, 2);
    if (type == 2) std::memcpy(to, &single, 4);
    if (type == 3) std::memcpy(to, &x, 8);
  }
  return out;
}

bool close(double a, double b, double scale) { return std::abs(a - b) <= 1e-5 * (scale + 1e-30); }

}  // namespace

TEST_CASE("every instruction set counts and adds the same", "[core][statistics]") {
  const auto all = all_block_kernels();
  REQUIRE_FALSE(all.empty());
  const BlockKernels& plain = *all[0];
  std::mt19937 chance(1);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const BlockKernels& other = *all[k];
    INFO(other.name);
    for (int round = 0; round < 300; ++round) {
      for (std::size_t type = 0; type < 4; ++type) {
        const std::size_t most = kBlockBytes / kFloatBytes[type];
        const auto count = static_cast<std::uint32_t>(round % 3 == 0 ? 1 + chance() % 70 : 1 + chance() % most);
        auto bytes = ordinary_bytes(chance, type, count);
        FloatBlock a, b;
        plain.quick[type](bytes.data(), count, a);
        other.quick[type](bytes.data(), count, b);
        REQUIRE(a.min == b.min);
        REQUIRE(a.max == b.max);
        REQUIRE(a.negative == b.negative);
        REQUIRE(a.zero == b.zero);
        REQUIRE(a.subnormal == b.subnormal);
        const double mean_a = a.shift + a.sum / count, mean_b = b.shift + b.sum / count;
        REQUIRE(close(mean_a, mean_b, std::max(std::abs(a.min), std::abs(a.max))));
        for (std::size_t i = 0; i < count * kFloatBytes[type]; ++i) bytes[i] = static_cast<std::byte>(chance());
        CarefulBlock c, d;
        std::vector<std::uint64_t> bits_c(most / 64 + 2), bits_d(most / 64 + 2);
        plain.careful[type](bytes.data(), count, c, bits_c.data());
        other.careful[type](bytes.data(), count, d, bits_d.data());
        REQUIRE(bits_c == bits_d);
        REQUIRE(c.nan == d.nan);
        REQUIRE(c.pos_inf == d.pos_inf);
        REQUIRE(c.neg_inf == d.neg_inf);
        REQUIRE(c.zero == d.zero);
        REQUIRE(c.subnormal == d.subnormal);
        REQUIRE(c.negative == d.negative);
        REQUIRE(c.min == d.min);
        REQUIRE(c.max == d.max);
        REQUIRE(c.exponent == d.exponent);
      }
      for (std::size_t type = 0; type < 5; ++type) {
        const auto count = static_cast<std::uint32_t>(1 + chance() % (kBlockBytes / kIntBytes[type]));
        std::vector<std::byte> bytes(kBlockBytes + 64);
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(chance());
        for (const bool is_unsigned : {false, true}) {
          IntBlock a, b;
          plain.ints[type](bytes.data(), count, is_unsigned, a);
          other.ints[type](bytes.data(), count, is_unsigned, b);
          REQUIRE(a.min == b.min);
          REQUIRE(a.max == b.max);
          REQUIRE(a.sum == b.sum);
          REQUIRE(a.zero == b.zero);
          REQUIRE(a.negative == b.negative);
          REQUIRE(a.too_wide == b.too_wide);
          REQUIRE(close(a.squares, b.squares, a.squares));
        }
      }
    }
  }
}

TEST_CASE("values of 16 bits are the same by their bits as by their numbers", "[core][statistics]") {
  std::mt19937 chance(3);
  for (const BlockKernels* const kernels : all_block_kernels()) {
    INFO(kernels->name);
    for (int round = 0; round < 2000; ++round) {
      const bool half = round % 2 == 0;
      const DType dtype = *dtype_from_name(half ? "float16" : "bfloat16");
      const auto infinity = static_cast<std::uint16_t>(half ? 0x7c00 : 0x7f80);
      // Of one sign, of both; zeros and the smallest numbers in some, all values equal in others.
      const std::uint16_t signs = round % 3 == 0 ? 0 : round % 3 == 1 ? 0x8000 : 0xffff;
      const std::uint16_t most = round % 5 == 0 ? 3 : round % 5 == 1 ? static_cast<std::uint16_t>(infinity / 16) : infinity;
      const std::size_t count = 1 + chance() % (round % 4 == 0 ? 100 : kBlockBytes / 2);
      const auto first = static_cast<std::uint16_t>(chance() % most);
      std::vector<std::uint16_t> codes(count);
      for (std::uint16_t& code : codes) {
        const auto magnitude = static_cast<std::uint16_t>(round % 7 == 0 ? first : chance() % most);
        const auto sign = static_cast<std::uint16_t>(signs == 0xffff ? chance() % 2 << 15 : signs);
        code = magnitude | sign;
      }
      const auto* const bytes = reinterpret_cast<const std::byte*>(codes.data());
      FloatBlock wanted, found;
      wanted.min = std::numeric_limits<double>::infinity();
      wanted.max = -wanted.min;
      for (std::size_t i = 0; i < count; ++i) {
        const Value value = decode_element(dtype, {bytes + 2 * i, 2}, 0);
        const double number = Number::of(value).as_double();
        wanted.min = std::min(wanted.min, number);
        wanted.max = std::max(wanted.max, number);
        wanted.negative += number < 0 ? 1 : 0;
        wanted.zero += value.value_class == ValueClass::zero ? 1 : 0;
        wanted.subnormal += value.value_class == ValueClass::subnormal ? 1 : 0;
      }
      kernels->quick[half ? 0 : 1](bytes, count, found);
      REQUIRE(found.min == wanted.min);
      REQUIRE(found.max == wanted.max);
      REQUIRE(found.negative == wanted.negative);
      REQUIRE(found.zero == wanted.zero);
      REQUIRE(found.subnormal == wanted.subnormal);
      const auto payload = chance() % 2 == 0 ? 0 : 1 + chance() % 9;  // of a NaN; 0: an infinity
      codes[chance() % count] = static_cast<std::uint16_t>(infinity | chance() % 2 << 15 | payload);
      kernels->quick[half ? 0 : 1](bytes, count, found);
      REQUIRE_FALSE(is_plain(found, half ? FloatType::f16 : FloatType::bf16, static_cast<std::uint32_t>(count)));
    }
  }
}

TEST_CASE("bins of a block that lies in the histogram's range are those of the careful loop", "[core][statistics]") {
  const auto all = all_block_kernels();
  std::mt19937 chance(2);
  const auto check = [&](auto kind, const BlockKernels& kernels, auto bins, auto inside) {
    using T = decltype(kind);
    for (int round = 0; round < 300; ++round) {
      const std::size_t count = 1 + chance() % (round % 2 == 0 ? 70 : kBlockBytes / sizeof(T));
      // Whole numbers lie on edges of bins; the others do not.
      const double step = round % 3 == 0 ? 1 : 1.0 / 7, first = static_cast<double>(chance() % 2000) - 1000;
      std::vector<T> values(count + 64);
      for (T& value : values) value = static_cast<T>(first + step * static_cast<double>(chance() % 257));
      const double low = first, high = static_cast<double>(static_cast<T>(first + 256 * step));
      const double unit = round % 5 == 0 ? 0.5 : 1;
      const BinScale scale{low, high, (high - low) / 256, 256 / (high * unit - low * unit), unit};
      const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
      std::vector<std::uint32_t> slow(256 * kBinTables), quick(256 * kBinTables);
      BinOutliers outliers;
      (kernels.*bins)(bytes, count, scale, nullptr, outliers, slow.data());
      (kernels.*inside)(bytes, count, scale, bytes, quick.data());
      REQUIRE(outliers.below + outliers.above == 0);
      REQUIRE(slow == quick);  // each table by itself: not two values that changed places
      std::array<std::uint32_t, 256> wanted{}, found{};
      for (std::size_t i = 0; i < quick.size(); ++i) found[i % 256] += quick[i];
      for (std::size_t i = 0; i < count && step == 1; ++i) {
        ++wanted[static_cast<std::size_t>(std::min(255.0, static_cast<double>(values[i]) - first))];
      }
      if (step == 1) REQUIRE(found == wanted);
    }
  };
  for (std::size_t k = 0; k < all.size(); ++k) {
    INFO(all[k]->name);
    check(float{}, *all[k], &BlockKernels::count_bins_f32, &BlockKernels::count_inside_f32);
    check(double{}, *all[k], &BlockKernels::count_bins_f64, &BlockKernels::count_inside_f64);
  }
}

}  // namespace dlscope::core
