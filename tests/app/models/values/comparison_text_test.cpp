#include "app/models/values/comparison_text.h"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <string>

namespace dlscope::app {
namespace {

std::string verdict(const core::Comparison& found, core::Tolerance tolerance = {}) {
  const core::Layout layout = core::Layout::c_order({3, 4}, 32);
  return comparison_text(found, layout, tolerance, {"float32"}, {found.same_dtype ? "float32" : "float64"}).verdict;
}

}  // namespace

TEST_CASE("the verdict says what was found, where, and how sure", "[app][models][values]") {
  core::Comparison found;
  found.same_dtype = true;
  found.values = 12;
  CHECK(verdict(found) == "Bit-equal: 12 values with the same bits.");
  found.different_bits = 1;
  found.first_bits = 5;
  CHECK(verdict(found) ==
        "Equal values, not equal bits: 1 value differs in bits only, the first at [1, 1]. Examples are 0 and -0, and NaN with "
        "different bits.");
  found.same_dtype = false;
  CHECK(verdict(found) == "Equal values: 12 values hold the same numbers as float32 and as float64.");
  found.different = 3;
  found.outside = 3;
  found.first = 6;
  CHECK(verdict(found) == "Different: 3 of 12 values differ (25.00 %), the first at [1, 2].");
  CHECK(verdict(found, {.absolute = 1}) ==
        "Different: 3 of 12 values differ (25.00 %), 3 of them by more than the tolerance; the first at [1, 2].");
  found.outside = 0;
  CHECK(verdict(found, {.absolute = 1}) == "Within the tolerance: 3 of 12 values differ (25.00 %), none by more than it allows.");
  found = {};
  found.same_dtype = true;
  CHECK(verdict(found) == "Both are empty.");
}

TEST_CASE("what the library means by conjugated and negated values is said, and is not called bit-equal",
          "[app][models][values]") {
  const core::Layout layout = core::Layout::c_order({3, 4}, 64);
  core::Comparison found;
  found.same_dtype = true;
  found.values = 12;
  const auto text = [&](core::SignBits a, core::SignBits b) {
    return comparison_text(found, layout, {}, {"complex64", a}, {"complex64", b});
  };
  CHECK(text({}, {.conjugate = true}).verdict ==
        "Equal values, stored differently: 12 values. PyTorch means the conjugate of what is stored in B.");
  CHECK(text({}, {.conjugate = true}).tone == Tone::warn);
  CHECK(comparison_text(found, layout, {}, {"float32", {}}, {"float32 big-endian", {}}).verdict ==
        "Equal values, stored differently: 12 values.");
  const core::SignBits negated{.negate = true};
  CHECK(text(negated, negated).verdict ==
        "Bit-equal: 12 values with the same bits. PyTorch means the negative of what is stored in both.");
  found.different = found.different_bits = 12;
  found.first = found.first_bits = 0;
  CHECK(text(negated, {.conjugate = true, .negate = true}).verdict ==
        "Different: 12 of 12 values differ (all of them), the first at [0, 0]. PyTorch means the negative of what is stored in A "
        "and the negative conjugate of what is stored in B.");
}

TEST_CASE("figures name the element, also of vector elements", "[app][models][values]") {
  const core::Layout layout = core::Layout::c_order({3, 4}, 64);
  core::Comparison found;
  found.same_dtype = true;
  found.lanes = 2;
  found.values = 24;
  found.different = found.different_bits = 1;
  found.first = found.first_bits = 13;
  found.absolute = {0.5, 13};
  const ComparisonText text = comparison_text(found, layout, {}, {"float32x2"}, {"float32x2"});
  CHECK(text.first == 6u);
  const auto figure = [&](const char* label) {
    for (const ComparisonFigure& each : text.figures)
      if (each.label == label) return each;
    FAIL("no figure " << label);
    return ComparisonFigure{};
  };
  CHECK(figure("different").element == 6u);
  CHECK(figure("largest |A - B|").value == "0.5");
  CHECK(figure("largest |A - B|").element == 6u);
}

TEST_CASE("an error of whole numbers has all its digits, and says where they may be rounded", "[app][models][values]") {
  const core::Layout layout = core::Layout::c_order({4}, 64);
  const auto largest = [&](double size) {
    core::Comparison found;
    found.values = 4;
    found.different = 1;
    found.first = 0;
    found.absolute = {size, 0};
    for (const ComparisonFigure& each : comparison_text(found, layout, {}, {"int64"}, {"int64"}).figures)
      if (each.label == "largest |A - B|") return each.value;
    return std::string();
  };
  CHECK(largest(1'234'567) == "1 234 567");
  CHECK(largest(1'234'567'890'123'457) == "1 234 567 890 123 457");
  CHECK(largest(9'007'199'254'740'991) == "9 007 199 254 740 991");
  CHECK(largest(9'007'199'254'740'992) == "≈ 9 007 199 254 740 992");  // or one more
  CHECK(largest(9'223'372'036'854'775'808.0) == "≈ 9 223 372 036 854 775 808");
  CHECK(largest(18'446'744'073'709'551'616.0) == "≈ 18 446 744 073 709 551 615");
  CHECK(largest(1e300) == "1e+300");
  CHECK(largest(0.125) == "0.125");
  CHECK(largest(std::numeric_limits<double>::infinity()) == "inf");
}

}  // namespace dlscope::app
