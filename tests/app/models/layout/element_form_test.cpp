#include "app/models/layout/element_form.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "tests/support/sample_snapshot.h"

namespace dlscope::app {

TEST_CASE("all cells say their elements in one form, the longest that each has room for", "[app][layout]") {
  const auto snapshot = tests::snapshot_of({{.name = "x", .address = 0x1000, .shape = {3, 12}}});
  const core::LayoutView layout = snapshot->layout(snapshot->tensors[0]);
  CHECK(element_form(layout, 36, 7) == ElementForm::index);  // "[2, 11]"
  CHECK(element_form(layout, 36, 6) == ElementForm::number);  // "[0, 0]" has room, "[2, 11]" has not
  CHECK(element_form(layout, 36, 2) == ElementForm::number);
  CHECK(element_form(layout, 36, 1) == ElementForm::none);  // ten of them would be 0 to 9, the others nothing
  CHECK(element_form(layout, 36, 0) == ElementForm::none);
  CHECK(element_text(ElementForm::index, layout, 13) == "[1, 1]");
  CHECK(element_text(ElementForm::number, layout, 13) == "13");
  CHECK(element_text(ElementForm::none, layout, 13).empty());
  // Whatever the room: no element's text is longer.
  for (std::size_t most = 0; most < 12; ++most) {
    const ElementForm form = element_form(layout, 36, most);
    for (std::uint64_t element = 0; element < 36; ++element) REQUIRE(element_text(form, layout, element).size() <= most);
  }
}

}  // namespace dlscope::app
