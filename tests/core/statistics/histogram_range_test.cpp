// The ends of a histogram are values of the dtype: they are compared with its values, on the host and on a device.
#include "core/statistics/histogram_range.h"

#include <catch2/catch_test_macros.hpp>
#include <limits>

namespace dlscope::core {
namespace {

bool is_float(double value) {
  const volatile float narrow = static_cast<float>(value);  // volatile: as in histogram_range.cpp
  return static_cast<double>(narrow) == value;
}

}  // namespace

TEST_CASE("the ends of a float's histogram are floats", "[core][statistics]") {
  for (const char* name : {"float32", "float16", "bfloat16"}) {
    const DType dtype = *dtype_from_name(name);
    for (const float upper : {0.4F, 0.7F, 1.0F, 1.2F, 3e38F}) {
      const BinScale scale = histogram_range({-std::numeric_limits<float>::max(), std::numeric_limits<float>::max(), 0.1F, upper}, dtype);
      INFO(name << ' ' << upper << ": " << scale.low << " to " << scale.high);
      CHECK(is_float(scale.low));
      CHECK(is_float(scale.high));
      CHECK(scale.low < 0.1F);
      CHECK(scale.high > upper);
    }
  }
  const BinScale scale = histogram_range({-100, 100, 0.1F, 0.7F}, *dtype_from_name("float32"));
  CHECK(scale.high < 1.5);
  const BinScale fine = histogram_range({-100, 100, 0.1F, 0.7F}, *dtype_from_name("float64"));
  CHECK_FALSE(is_float(fine.high));
}

}  // namespace dlscope::core
