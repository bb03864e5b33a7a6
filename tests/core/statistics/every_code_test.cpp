// Exhaustive: each bit pattern of the 8- and 16-bit types in a tensor of its own and beside all others, through the quick loops, the
// careful loops and the counting of codes.
#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "core/statistics/statistics.h"
#include "slow_reference.h"

namespace dlscope::core {

TEST_CASE("every code of 8 and 16 bits is taken for what it is", "[core][statistics]") {
  for (const char* const name :
       {"bool", "int8", "uint8", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
        "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "int16", "uint16", "float16", "bfloat16"}) {
    const DType dtype = *dtype_from_name(name);
    const std::size_t codes = std::size_t{1} << dtype.bits, bytes = dtype.bits / 8u;
    std::vector<std::byte> memory(codes * bytes + 64);
    for (std::size_t code = 0; code < codes; ++code) std::memcpy(memory.data() + code * bytes, &code, bytes);
    for (const bool histogram : {false, true}) {
      StatisticsOptions options;
      options.histogram = histogram;
      const auto check = [&](std::size_t from, std::size_t count) {
        const Layout layout = Layout::c_order({static_cast<std::int64_t>(count)}, dtype.bits);
        const std::byte* const data = memory.data() + from * bytes;
        const auto got =
            exact_statistics({dtype, layout, reinterpret_cast<Address>(data), ElementSource::held_memory()}, options);
        REQUIRE(got);
        const auto expected = test::slow_statistics(dtype, layout, data);
        INFO(name << " from " << from << " x " << count);
        REQUIRE(test::difference(got->summary, expected) == "");
        if (histogram) REQUIRE(test::difference(got->histogram, expected) == "");
      };
      check(0, codes);
      const std::size_t step = histogram && dtype.bits == 16 ? 257 : 1;  // a table of 65536 codes for each is slow
      for (std::size_t code = 0; code < codes; code += step) check(code, 1);
      for (std::size_t code = 0; code + 100 < codes; code += 100) check(code, 100);
    }
  }
}

}  // namespace dlscope::core
