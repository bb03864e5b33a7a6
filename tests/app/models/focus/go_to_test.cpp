#include "app/models/focus/go_to.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

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

TEST_CASE("an address is looked for in the memory of the selected tensor, then in the host's, then in any other",
          "[app][models][focus]") {
  constexpr core::Address kShared = 0x7f3a40000000;  // the same numbers on two devices
  const core::DeviceId cuda0{2, 0}, cuda1{2, 1};
  const std::vector<tests::SampleTensor> tensors{{.name = "host", .address = 0x558120000000, .shape = {4}},
                                                 {.name = "d0", .address = kShared, .shape = {4}, .device = cuda0},
                                                 {.name = "d1", .address = kShared, .shape = {4}, .device = cuda1},
                                                 {.name = "other1", .address = kShared + 4096, .shape = {4}, .device = cuda1}};
  GroupColours colours;
  const IndexPtr index = build_index(tests::snapshot_of(tensors), colours);
  CHECK(where(index, "d1", "0x7f3a 4000 0004") == "d1 1");
  CHECK(where(index, "other1", "0x7f3a 4000 0004") == "d1 1");
  CHECK(where(index, "host", "0x7f3a 4000 0004") == "d0 1");
  CHECK(where(index, "host", "0x7f3a 4000 1004") == "other1 1");
  CHECK(where(index, "d0", "0x558120000008") == "host 2");
  CHECK(where(index, nullptr, "0x7f3a 4000 1008") == "other1 2");
  CHECK(where(index, "d0", "0x10").starts_with("No listed tensor holds"));
}

TEST_CASE("an address is found in tensors that are stacked too deep to draw", "[app][models][focus]") {
  std::vector<tests::SampleTensor> tensors;
  for (std::int64_t i = 0; i < 20; ++i)  // each ends one element after the one before
    tensors.push_back({.name = "v" + std::to_string(i), .address = 0x558120000000, .shape = {1 + i}});
  std::ranges::reverse(tensors);
  // Two columns of a table that no other tensor covers: only the deep ones have the element.
  for (int i = 0; i < 12; ++i)
    tensors.push_back({.name = "even" + std::to_string(i), .address = 0x558130000000, .shape = {8}, .strides = {2}});
  tensors.push_back({.name = "odd", .address = 0x558130000004, .shape = {7}, .strides = {2}});
  GroupColours colours;
  const IndexPtr index = build_index(tests::snapshot_of(tensors), colours);
  CHECK(where(index, nullptr, "0x558120000048") == "v19 18");
  CHECK(where(index, nullptr, "0x55813000000c") == "odd 1");
}

}  // namespace dlscope::app
