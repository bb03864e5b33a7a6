// Where the first and the last NaN or infinity lies, whatever the order of the axes in memory.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <initializer_list>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "core/statistics/outermost_special.h"
#include "core/statistics/statistics.h"
#include "slow_reference.h"

namespace dlscope::core {

using test::slow_statistics;

TEST_CASE("a NaN that is gone at the second look leads to no place outside the block", "[core][statistics]") {
  for (const std::uint64_t step : {1U, 2U, 3U, 7U}) {
    for (std::uint64_t begin = 0; begin < 9; ++begin) {
      for (std::uint64_t end = begin + 1; end < begin + 30; ++end) {
        const auto never = [&](std::uint64_t at) {
          REQUIRE((at >= begin && at < end));
          return false;
        };
        CHECK(last_special(begin, end, step, never) == begin);
        CHECK(first_special(begin, end, step, never) >= end);
        const std::uint64_t only = begin + (end - 1 - begin) / step / 2 * step;
        CHECK(last_special(begin, end, step, [&](std::uint64_t at) { return at == only; }) == only);
        CHECK(first_special(begin, end, step, [&](std::uint64_t at) { return at == only; }) == only);
      }
    }
  }
}

TEST_CASE("the first and the last special value are found where neighbours in memory lie far apart by index",
          "[core][statistics]") {
  std::mt19937_64 chance(7);
  const std::vector<std::vector<std::int64_t>> shapes{{2, 9000},    {9000, 2},   {3, 2, 3000},
                                                      {2, 3000, 3}, {50, 7, 51}, {2, 2, 2, 2000}};
  for (const auto& shape : shapes) {
    // In every order of the axes in memory, each walked either way, dense or with a gap behind the rows.
    std::vector<std::size_t> axes(shape.size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    do {
      const auto byte = [](int bits) { return static_cast<std::byte>(bits); };
      for (const auto& [name, infinity] : std::initializer_list<std::pair<const char*, std::vector<std::byte>>>{
               {"float32", {byte(0), byte(0), byte(0x80), byte(0x7f)}},
               {"float16", {byte(0), byte(0xfc)}},
               {"float8_e5m2", {byte(0x7c)}},
               {"complex64", {byte(0), byte(0), byte(0x80), byte(0xff), byte(0), byte(0), byte(0), byte(0)}}}) {
        const DType dtype = *dtype_from_name(name);
        std::vector<std::int64_t> strides(shape.size());
        std::int64_t reach = 1, offset = 0;
        for (const std::size_t axis : axes) {
          strides[axis] = chance() % 2 == 0 ? reach : -reach;
          if (strides[axis] < 0) offset += reach * (shape[axis] - 1);
          reach *= shape[axis] + static_cast<std::int64_t>(chance() % 2 == 0 ? 0 : 5);
        }
        const std::size_t bytes = dtype.bits / 8u;
        std::vector<std::byte> memory(static_cast<std::size_t>(reach) * bytes);
        const std::uint64_t rare = std::uint64_t{1} << chance() % 18;  // one in so many values is special; 1: all of them
        for (std::size_t i = 0; i < memory.size() / bytes; ++i) {
          if (chance() % rare != 0) continue;
          const auto at = memory.begin() + static_cast<std::ptrdiff_t>(i * bytes);
          std::fill_n(at, bytes, std::byte{0xff});  // a NaN of every type
          if (chance() % 2 == 0) std::ranges::copy(infinity, at);
        }
        const Layout layout = Layout::from_element_strides(shape, strides, dtype.bits);
        const std::byte* const data = memory.data() + static_cast<std::size_t>(offset) * bytes;
        StatisticsOptions options;
        options.threads = static_cast<unsigned>(1 + chance() % 3);
        options.histogram = chance() % 2 == 0;
        const auto got =
            exact_statistics({dtype, layout, reinterpret_cast<Address>(data), ElementSource::held_memory()}, options);
        REQUIRE(got);
        const ValueSummary expected = slow_statistics(dtype, layout, data).summary;
        INFO(name << " rank " << shape.size() << " of " << shape[0] << ", one in " << rare);
        REQUIRE(got->summary.first_special.index == expected.first_special.index);
        REQUIRE(got->summary.last_special.index == expected.last_special.index);
        REQUIRE(got->summary.first_special.kind == expected.first_special.kind);
        REQUIRE(got->summary.last_special.kind == expected.last_special.kind);
      }
    } while (std::ranges::next_permutation(axes).found);
  }
}

}  // namespace dlscope::core
