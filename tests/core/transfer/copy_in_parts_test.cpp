// Copies in parts against the same copy in one go, and against each element on its own: every order of axes, holes, reversal,
// broadcast sources, parts from one element to all of them.
#include "core/transfer/copy_in_parts.h"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "core/transfer/convert.h"

namespace dlscope::core {
namespace {

constexpr DType kFloat32{2, 32, 1}, kFloat64{2, 64, 1}, kInt16{0, 16, 1}, kInt4{0, 4, 1};

bool always(std::uint64_t, std::uint64_t) { return true; }

std::vector<std::int64_t> c_strides(std::span<const std::int64_t> shape, std::uint32_t bits) {
  std::vector<std::int64_t> strides(shape.size());
  REQUIRE(c_order_strides(shape, bits, strides));
  return strides;
}

// Element by element, by its index.
template <class Visit>
void each_index(std::span<const std::int64_t> shape, Visit visit) {
  std::vector<std::int64_t> index(shape.size());
  if (std::ranges::find(shape, 0) != shape.end()) return;
  for (;;) {
    visit(index);
    std::size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

std::int64_t offset(std::span<const std::int64_t> index, std::span<const std::int64_t> stride_bits) {
  return std::inner_product(index.begin(), index.end(), stride_bits.begin(), std::int64_t{0}) / 8;
}

}  // namespace

TEST_CASE("a copy in parts of any size is the copy element by element", "[core][transfer]") {
  std::mt19937 random(20261122);
  for (int round = 0; round < 300; ++round) {
    const std::size_t rank = random() % 5;
    std::vector<std::int64_t> shape(rank), strides(rank);
    for (auto& n : shape) n = static_cast<std::int64_t>(random() % 5 + (random() % 20 == 0 ? 0 : 1));
    for (auto& s : strides) s = (static_cast<std::int64_t>(random() % 9) - 4) * 32;  // 0: broadcast; negative: reversed
    std::vector<float> memory(4096);
    std::iota(memory.begin(), memory.end(), 1.0F);
    const auto* start = reinterpret_cast<const std::byte*>(memory.data() + 2048);
    const CopySource from{start, {shape, strides, 32}, kFloat32};

    // C order, or the axes of the target in the opposite order.
    std::vector<std::int64_t> to_strides = c_strides(shape, 32);
    if (round % 2 == 1) {
      std::vector<std::int64_t> reversed(shape.rbegin(), shape.rend());
      to_strides = c_strides(reversed, 32);
      std::ranges::reverse(to_strides);
    }
    const std::int64_t elements = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    std::vector<float> copied(static_cast<std::size_t>(elements) + 1, -1.0F);
    const CopyTarget to{reinterpret_cast<std::byte*>(copied.data()), {shape, to_strides, 32}, kFloat32};
    const std::uint64_t part_bytes = 4 << random() % 8;
    std::uint64_t last = 0, told_total = 0;
    const auto result = copy_in_parts(
        from, to,
        [&](std::uint64_t done, std::uint64_t total) {
          CHECK(done >= last);
          CHECK(done <= total);
          last = done;
          told_total = total;
          return true;
        },
        part_bytes);
    REQUIRE(result);
    CHECK(*result);
    CHECK(last == told_total);
    CHECK(told_total == static_cast<std::uint64_t>(elements) * 4);
    each_index(shape, [&](const std::vector<std::int64_t>& index) {
      float source = 0, target = 0;
      std::memcpy(&source, start + offset(index, strides), 4);
      std::memcpy(&target, reinterpret_cast<const std::byte*>(copied.data()) + offset(index, to_strides), 4);
      CHECK(source == target);
    });
    CHECK(copied.back() == -1.0F);
    CHECK(is_copy_of(from, to, always, part_bytes).value() == true);
    if (elements > 0) {
      copied[random() % static_cast<std::size_t>(elements)] += 0.5F;
      CHECK(is_copy_of(from, to, always, part_bytes).value() == false);
    }
  }
}

TEST_CASE("a conversion in parts is the conversion of each element", "[core][transfer]") {
  const std::vector<std::int64_t> shape{7, 3, 5}, strides{3 * 5 * 64, 64, 3 * 64};
  std::vector<double> source(105);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<double>(i) * 1000.25 - 40000;
  const CopySource from{reinterpret_cast<const std::byte*>(source.data()), {shape, strides, 64}, kFloat64};
  const std::vector<std::int64_t> to_strides = c_strides(shape, 16);
  std::vector<std::int16_t> made(105, -1);
  const CopyTarget to{reinterpret_cast<std::byte*>(made.data()), {shape, to_strides, 16}, kInt16};
  for (const std::uint64_t part_bytes : {8U, 64U, 100U, 1U << 20}) {
    std::ranges::fill(made, std::int16_t{-1});
    REQUIRE(copy_in_parts(from, to, always, part_bytes).value());
    each_index(shape, [&](const std::vector<std::int64_t>& index) {
      std::int16_t expected = 0;
      convert_elements(kFloat64, from.bytes + offset(index, strides), kInt16, reinterpret_cast<std::byte*>(&expected), 1);
      CHECK(made[static_cast<std::size_t>(offset(index, to_strides) / 2)] == expected);
    });
    CHECK(is_copy_of(from, to, always, part_bytes).value() == true);
    made[50] = static_cast<std::int16_t>(made[50] + 1);
    CHECK(is_copy_of(from, to, always, part_bytes).value() == false);
  }
}

TEST_CASE("a large conversion is the one of its elements, in every order of source and target", "[core][transfer]") {
  constexpr DType kFloat16{2, 16, 1};
  const std::vector<std::int64_t> shape{3, 830, 517};  // several tiles, and parts for several threads
  const auto elements = static_cast<std::size_t>(3 * 830 * 517);
  std::vector<std::uint16_t> halves(elements);
  std::mt19937 random(5);
  for (auto& half : halves) half = static_cast<std::uint16_t>(random());
  const auto strides_in = [&](std::array<std::size_t, 3> axes, std::uint32_t bits) {  // the outermost axis first
    std::vector<std::int64_t> strides(3);
    std::int64_t step = bits;
    for (const std::size_t d : {axes[2], axes[1], axes[0]}) {
      strides[d] = step;
      step *= shape[d];
    }
    return strides;
  };
  using Axes = std::array<std::size_t, 3>;
  for (const auto& [source_axes, target_axes] : {std::pair{Axes{0, 1, 2}, Axes{0, 1, 2}}, std::pair{Axes{2, 1, 0}, Axes{0, 1, 2}},
                                                 std::pair{Axes{1, 2, 0}, Axes{2, 0, 1}}}) {
    const auto strides = strides_in(source_axes, 16), to_strides = strides_in(target_axes, 32);
    std::vector<std::uint16_t> ordered(elements);
    for (std::int64_t a = 0; a < shape[0]; ++a) {
      for (std::int64_t b = 0; b < shape[1]; ++b) {
        for (std::int64_t c = 0; c < shape[2]; ++c)
          ordered[static_cast<std::size_t>(a * to_strides[0] + b * to_strides[1] + c * to_strides[2]) / 32] =
              halves[static_cast<std::size_t>(a * strides[0] + b * strides[1] + c * strides[2]) / 16];
      }
    }
    std::vector<float> made(elements, -1), expected = made;
    convert_one_by_one(kFloat16, reinterpret_cast<const std::byte*>(ordered.data()), kFloat32,
                       reinterpret_cast<std::byte*>(expected.data()), elements);
    const CopySource from{reinterpret_cast<const std::byte*>(halves.data()), {shape, strides, 16}, kFloat16};
    const CopyTarget to{reinterpret_cast<std::byte*>(made.data()), {shape, to_strides, 32}, kFloat32};
    REQUIRE(copy_in_parts(from, to, always).value());
    CHECK(std::memcmp(made.data(), expected.data(), elements * 4) == 0);
    CHECK(is_copy_of(from, to, always).value() == true);
    made[random() % elements] = -1.2345F;  // no float16
    CHECK(is_copy_of(from, to, always).value() == false);
  }
}

TEST_CASE("a target with gaps gets its elements, and the bytes between them are left as they are", "[core][transfer]") {
  std::mt19937 random(20261123);
  for (int round = 0; round < 300; ++round) {
    const std::size_t rank = random() % 4;
    std::vector<std::int64_t> shape(rank), strides(rank);
    for (auto& n : shape) n = static_cast<std::int64_t>(random() % 5 + 1);
    // From the innermost axis outwards with room between neighbours, then the axes in any order and some of them backwards.
    std::vector<std::size_t> axes(rank);
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    std::ranges::shuffle(axes, random);
    const bool converts = round % 2 == 1;
    const std::uint32_t target_bits = converts ? 16 : 64;
    std::int64_t step = target_bits, lowest = 0;
    for (const std::size_t d : axes) {
      strides[d] = (step + static_cast<std::int64_t>(random() % 3) * target_bits) * (random() % 3 == 0 ? -1 : 1);
      step = std::abs(strides[d]) * shape[d];
      if (strides[d] < 0) lowest += strides[d] * (shape[d] - 1);
    }
    const std::vector<std::int64_t> from_strides = c_strides(shape, 64);
    std::vector<double> source(1 << 10);
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<double>(i) * 3 - 100;
    std::vector<std::byte> made(static_cast<std::size_t>(step / 8 + 8), std::byte{0xa5}), expected = made;
    const CopySource from{reinterpret_cast<const std::byte*>(source.data()), {shape, from_strides, 64}, kFloat64};
    const CopyTarget to{made.data() - lowest / 8, {shape, strides, target_bits}, converts ? kInt16 : kFloat64};
    each_index(shape, [&](const std::vector<std::int64_t>& index) {
      const std::byte* const element = from.bytes + offset(index, from_strides);
      std::byte* const place = expected.data() - lowest / 8 + offset(index, strides);
      if (converts)
        convert_elements(kFloat64, element, kInt16, place, 1);
      else
        std::memcpy(place, element, 8);
    });
    REQUIRE(copy_in_parts(from, to, always, std::uint64_t{8} << random() % 8).value());
    CHECK(made == expected);
  }
}

TEST_CASE("packed sub-byte elements are copied as they are, the rest of the last byte is nobody's", "[core][transfer]") {
  const std::vector<std::int64_t> shape{3, 3}, strides{12, 4};
  const std::array<unsigned char, 5> source{0x21, 0x43, 0x65, 0x87, 0xf9};
  std::array<unsigned char, 5> made{};
  const CopySource from{reinterpret_cast<const std::byte*>(source.data()), {shape, strides, 4}, kInt4};
  const CopyTarget to{reinterpret_cast<std::byte*>(made.data()), {shape, strides, 4}, kInt4};
  REQUIRE(copy_in_parts(from, to, always, 1).value());
  CHECK(is_copy_of(from, to, always, 1).value() == true);
  made[4] = static_cast<unsigned char>(made[4] ^ 0xf0);
  CHECK(is_copy_of(from, to, always, 1).value() == true);
  made[4] = static_cast<unsigned char>(made[4] ^ 0x01);
  CHECK(is_copy_of(from, to, always, 1).value() == false);
}

TEST_CASE("packed sub-byte elements are converted in any order, to and fro", "[core][transfer]") {
  const std::vector<std::int64_t> shape{3, 3}, rows{12, 4}, columns{4, 12}, wide{3 * 16, 16};
  const std::array<unsigned char, 5> packed{0x21, 0x43, 0x65, 0x87, 0xf9};  // 1, 2, ..., 7, -8, -7
  for (const bool transposed : {false, true}) {
    const auto& strides = transposed ? columns : rows;
    const CopySource from{reinterpret_cast<const std::byte*>(packed.data()), {shape, strides, 4}, kInt4};
    std::array<std::int16_t, 9> made{};
    const CopyTarget to{reinterpret_cast<std::byte*>(made.data()), {shape, wide, 16}, kInt16};
    REQUIRE(copy_in_parts(from, to, always, 1).value());
    CHECK(made == (transposed ? std::array<std::int16_t, 9>{1, 4, 7, 2, 5, -8, 3, 6, -7}
                              : std::array<std::int16_t, 9>{1, 2, 3, 4, 5, 6, 7, -8, -7}));
    CHECK(is_copy_of(from, to, always, 1).value() == true);
    std::array<unsigned char, 5> back{0, 0, 0, 0, 0xf0};
    const CopySource from_wide{reinterpret_cast<const std::byte*>(made.data()), {shape, wide, 16}, kInt16};
    const CopyTarget to_packed{reinterpret_cast<std::byte*>(back.data()), {shape, strides, 4}, kInt4};
    REQUIRE(copy_in_parts(from_wide, to_packed, always, 1).value());
    CHECK(back == packed);
    CHECK(is_copy_of(from_wide, to_packed, always, 1).value() == true);
    made[4] = 0;
    CHECK(is_copy_of(from, to, always, 1).value() == false);
  }
}

TEST_CASE("a packed tensor and a padded one of the same dtype are not compared, in either direction", "[core][transfer]") {
  const std::vector<std::int64_t> shape{6}, packed_strides{4}, padded_strides{8};
  std::vector<std::byte> packed(3), padded(6);  // no byte more: what is read beyond them is found with a sanitizer
  const CopySource from_packed{packed.data(), {shape, packed_strides, 4}, kInt4};
  const CopySource from_padded{padded.data(), {shape, padded_strides, 8}, kInt4};
  const CopyTarget to_packed{packed.data(), {shape, packed_strides, 4}, kInt4};
  const CopyTarget to_padded{padded.data(), {shape, padded_strides, 8}, kInt4};
  CHECK_FALSE(is_copy_of(from_packed, to_padded, always));
  const auto reverse = is_copy_of(from_padded, to_packed, always);
  REQUIRE_FALSE(reverse);
  CHECK(reverse.error().message == "the elements of one are 8 bits apart and those of the other 4");
  CHECK_FALSE(copy_in_parts(from_packed, to_padded, always));
  CHECK_FALSE(copy_in_parts(from_padded, to_packed, always));
  CHECK(is_copy_of(from_padded, CopyTarget{padded.data(), {shape, padded_strides, 8}, kInt4}, always).value() == true);
}

#ifdef __x86_64__
TEST_CASE("a conversion keeps subnormals and rounds to nearest, whatever the thread has set for its own arithmetic",
          "[core][transfer]") {
  const std::vector<float> singles{1e-40F, std::numeric_limits<float>::denorm_min(), 1.0F};
  const std::vector<double> doubles{1e-310, 1e-40, 1.0 + 3 * std::numeric_limits<float>::epsilon() / 4};
  const std::vector<std::int64_t> shape{3}, narrow{32}, wide{64};
  std::vector<double> widened(3, -1);
  std::vector<float> narrowed(3, -1);
  const CopySource from{reinterpret_cast<const std::byte*>(singles.data()), {shape, narrow, 32}, kFloat32};
  const CopyTarget to{reinterpret_cast<std::byte*>(widened.data()), {shape, wide, 64}, kFloat64};
  const CopySource from_wide{reinterpret_cast<const std::byte*>(doubles.data()), {shape, wide, 64}, kFloat64};
  const CopyTarget to_narrow{reinterpret_cast<std::byte*>(narrowed.data()), {shape, narrow, 32}, kFloat32};

  const unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before | 0x8040 | 0x6000);  // subnormals are zero, round towards zero
  const bool made = copy_in_parts(from, to, always).value() && copy_in_parts(from_wide, to_narrow, always).value();
  const bool same = is_copy_of(from, to, always).value().value() && is_copy_of(from_wide, to_narrow, always).value().value();
  const unsigned control = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before);

  CHECK((made && same));
  CHECK((control & 0xffc0) == ((before | 0x8040 | 0x6000) & 0xffc0));  // the thread's own again
  CHECK(widened == std::vector<double>(singles.begin(), singles.end()));
  CHECK(narrowed == std::vector<float>{0.0F, 1e-40F, 1.0F + std::numeric_limits<float>::epsilon()});
  CHECK(is_copy_of(from, to, always).value() == true);
}
#endif

TEST_CASE("a copy that is told to stop stops before the next part", "[core][transfer]") {
  std::vector<float> source(1000, 1.0F), made(1000, 0.0F);
  const std::vector<std::int64_t> shape{1000}, strides{32};
  const CopySource from{reinterpret_cast<const std::byte*>(source.data()), {shape, strides, 32}, kFloat32};
  const CopyTarget to{reinterpret_cast<std::byte*>(made.data()), {shape, strides, 32}, kFloat32};
  const auto until_half = [](std::uint64_t done, std::uint64_t total) { return done < total / 2; };
  CHECK_FALSE(copy_in_parts(from, to, until_half, 400).value());
  CHECK(std::ranges::count(made, 1.0F) == 500);
  CHECK_FALSE(is_copy_of(from, to, [](std::uint64_t, std::uint64_t) { return false; }, 400).value().has_value());
}

}  // namespace dlscope::core
