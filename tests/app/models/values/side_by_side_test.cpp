#include "app/models/values/side_by_side.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "tests/support/local_tensor.h"

namespace dlscope::app {

TEST_CASE("elements of two tensors stand beside each other, differences marked", "[app][models][values]") {
  const std::vector<float> data{1, 2, 3, std::nanf(""), 5, 6};
  const std::vector<double> other{1, 3, 2.5, std::nan(""), 5, 6};  // as columns
  const auto a = tests::local_tensor(data.data(), *core::dtype_from_name("float32"), core::Layout::c_order({2, 3}, 32));
  const auto b = tests::local_tensor(other.data(), *core::dtype_from_name("float64"), core::Layout::c_order({2, 3}, 64));
  const auto reader = core::process_reader(0);
  std::vector<SideBySide> rows;
  const SideOfTwo left{*a, a->tensors[0], a->layout(a->tensors[0]), **reader},
      right{*b, b->tensors[0], b->layout(b->tensors[0]), **reader};
  read_side_by_side(left, right, {.first = 1, .columns = 4}, rows);
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].element == 1);
  CHECK(rows[0].a.text == "2.0");
  CHECK(rows[0].b.text == "3.0");
  CHECK(rows[0].differs);
  CHECK(rows[0].difference == "-1");
  CHECK(rows[1].difference == "0.5");
  CHECK_FALSE(rows[2].differs);  // NaN and NaN
  CHECK_FALSE(rows[3].differs);

  // The last two columns, row by row.
  read_side_by_side(left, right, {.first = 1, .rows = 2, .columns = 2, .step = 3}, rows);
  REQUIRE(rows.size() == 4);
  CHECK(rows[1].element == 2);
  CHECK(rows[2].element == 4);
  CHECK(rows[3].a.text == "6.0");
}

TEST_CASE("a conjugated view differs from its base where the numbers shown differ", "[app][models][values]") {
  const std::vector<float> z{1, 2, 3, 0};  // 1+2j, 3+0j
  const core::Layout layout = core::Layout::c_order({2}, 64);
  const core::DType complex64 = *core::dtype_from_name("complex64");
  const auto both = tests::local_tensors(
      {{"z", z.data(), complex64, layout}, {"y", z.data(), complex64, layout, {core::RemarkCode::conjugate_bit}}});
  const auto reader = core::process_reader(0);
  std::vector<SideBySide> rows;
  const SideOfTwo a{*both, both->tensors[0], layout, **reader}, b{*both, both->tensors[1], layout, **reader};
  read_side_by_side(a, b, {.columns = 2}, rows);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].a.text == "1.0+2.0j");
  CHECK(rows[0].b.text == "1.0-2.0j");
  CHECK(rows[0].differs);
  CHECK_FALSE(rows[1].differs);
}

}  // namespace dlscope::app
