#include "app/models/focus/go_to.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "app/models/focus/focus_text.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

IndexPtr tour() {
  GroupColours colours;
  return build_index(tests::tour_snapshot(), colours);
}

// "x 5", "mask" for a whole tensor, or the problem.
std::string where(const IndexPtr& index, const char* selected, std::string_view text) {
  const Destination to = go_to(*index, selected == nullptr ? core::kNone32 : index->find(selected).value(), text);
  if (!to.problem.empty()) return to.problem;
  const std::string name(index->snapshot->name(index->tensor(to.focus.tensor)));
  return to.focus.element ? name + " " + std::to_string(*to.focus.element) : name;
}

}  // namespace

TEST_CASE("an index is understood however it is written", "[app][models][focus]") {
  const IndexPtr index = tour();
  for (const char* text : {"1, 2", "[1,2]", "(1, 2)", " 1 2 ", "[ 1 , 2 ]", "-2, -2", "#6"}) {
    INFO(text);
    CHECK(where(index, "x", text) == "x 6");
  }
  CHECK(where(index, "mask", "63") == "mask 63");
}

TEST_CASE("names win over indices, and take one behind them", "[app][models][focus]") {
  const IndexPtr index = tour();
  CHECK(where(index, nullptr, "t") == "t");
  CHECK(where(index, "x", "arrays['x']") == "x");
  CHECK(where(index, "x", "y[1, 2]") == "y 5");
  CHECK(where(index, nullptr, "x[::-1]") == "x[::-1]");
  CHECK(where(index, nullptr, "x[::-1][0, 1]") == "x[::-1] 1");
  CHECK(where(index, nullptr, "table[:, 0::2][7, 3]") == "table[:, 0::2] 31");
}

TEST_CASE("an address is looked for in the selected tensor first, then anywhere", "[app][models][focus]") {
  const IndexPtr index = tour();
  CHECK(where(index, "x", "0x55812e404a94") == "x 5");
  CHECK(where(index, "y", "0x5581 2e40 4a95") == "y 4");
  CHECK(where(index, "mask", "0X55812E404A94") == "x 5");
  CHECK(where(index, nullptr, "0x7f3a_1020_0008") == "table[:, 1::2] 0");
  CHECK(where(index, "x", "0x10").starts_with("No listed tensor holds"));
}

TEST_CASE("an index with the axes of a field's sub-array, too, is of one of the field's values", "[app][models][focus]") {
  const IndexPtr index = tour();
  const std::uint32_t x = index->find("x").value();  // of shape (3, 4)
  const std::int64_t shape[] = {3, 4, 2};
  const auto value = [&](std::string_view text) { return go_to(*index, x, text, shape).field_value; };
  CHECK(value("1, 2, 1") == 13);
  CHECK(value("x[-1, -1, -1]") == 23);
  CHECK_FALSE(value("1, 2"));
  CHECK(go_to(*index, x, "1, 2", shape).focus.element == 6);
  CHECK_FALSE(value("y[1, 2, 1]"));  // the field is x's
  CHECK(go_to(*index, x, "1, 2, 2", shape).problem == "Axis 2 of the field goes from 0 to 1; 2 is outside.");
  CHECK(go_to(*index, x, "1", shape).problem == "x has 2 axes: give 2 numbers, or 3 for a value of the field.");
}

TEST_CASE("what cannot be reached is said in a sentence", "[app][models][focus]") {
  const IndexPtr index = tour();
  CHECK(where(index, "x", "3, 0") == "Axis 0 of x goes from 0 to 2; 3 is outside.");
  CHECK(where(index, "x", "0, -5") == "Axis 1 of x goes from 0 to 3; -5 is outside.");
  CHECK(where(index, "x", "1") == "x has 2 axes: give 2 numbers.");
  CHECK(where(index, "x", "#12") == "There is no element number 12.");
  CHECK(where(index, nullptr, "1, 2") == "Select a tensor first, or give its name.");
  CHECK(where(index, "x", "nobody") == "There is no tensor called nobody.");
  CHECK(where(index, "x", "") == "Type an index, an address or a name.");
  for (const char* text : {"0x", "0xzz", "[", "1,,2", "99999999999999999999", "#", "[1, 2", "\x01%s%n", "x[", "x[]", "-"}) {
    INFO(text);
    CHECK(where(index, "x", text).ends_with("."));
  }
  CHECK(where(index, "grad", "0").ends_with("."));
}

}  // namespace dlscope::app
