#include "app/models/values/kept_values.h"

#include <array>
#include <catch2/catch_test_macros.hpp>

#include "app/models/values/value_task.h"
#include "tests/support/local_tensor.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

// Cell (r, c) of the window holds the byte row * 16 + column.
app::CellBytes cells_of(app::GridWindow window) {
  app::CellBytes out;
  out.window = window;
  out.each = 1;
  for (std::uint32_t r = 0; r < window.rows; ++r) {
    for (std::uint32_t c = 0; c < window.columns; ++c)
      out.bytes.push_back(static_cast<std::byte>((window.row + r) * 16 + window.column + c));
  }
  out.bits.assign(window.cells(), 0);
  out.complete.assign(window.cells(), 1);
  out.addresses.assign(window.cells(), 0);
  return out;
}

}  // namespace

TEST_CASE("what was kept is found by tensor and axes until it is forgotten", "[app][values]") {
  app::KeptValues kept;
  const app::AxisMapping mapping = app::default_mapping(2);
  CHECK(kept.of(3, mapping) == nullptr);
  kept.keep(3, mapping, cells_of({0, 0, 2, 2}));
  REQUIRE(kept.of(3, mapping) != nullptr);
  CHECK(kept.of(4, mapping) == nullptr);
  app::AxisMapping turned = mapping;
  std::swap(turned.row, turned.column);
  CHECK(kept.of(3, turned) == nullptr);
  kept.forget();
  CHECK(kept.of(3, mapping) == nullptr);
  CHECK(kept.bytes() == 0);
}

TEST_CASE("what was kept is copied and added up without reading memory", "[app][values]") {
  const std::array<std::int8_t, 6> memory{};  // zeros by now, and nothing reads it
  app::ValueTask task;
  task.snapshot = local_tensor(memory.data(), *core::dtype_from_name("int8"), core::Layout::c_order({2, 3}, 8));
  task.tensor = 0;
  task.mapping = app::default_mapping(2);
  task.range = {{0, 0}, {1, 2}};
  task.kept = std::make_shared<app::KeptTable>(app::KeptTable{0, task.mapping, cells_of({0, 0, 2, 2})});
  task.kind = app::ValueTaskKind::copy;
  const app::ValueAnswer copied = carry_out(task, nullptr, {});
  CHECK(copied.copied.text == "[[0, 1, None],\n [16, 17, None]]");
  CHECK(copied.copied.note == "2 values not kept.");
  task.kind = app::ValueTaskKind::sum;
  CHECK(carry_out(task, nullptr, {}).sum == "4 values: sum 34, min 0, max 17, mean 8.5, 1 zero; 2 not kept");
  task.kept = nullptr;
  CHECK(carry_out(task, nullptr, {}).nobody);
}

TEST_CASE("no more is kept than the limit says, the oldest goes first", "[app][values]") {
  app::KeptValues kept;
  const app::AxisMapping mapping = app::default_mapping(2);
  for (std::uint32_t tensor = 0; tensor < 40; ++tensor) {
    kept.keep(tensor, mapping, cells_of({0, 0, 100, 100}));
    CHECK(kept.bytes() <= app::KeptValues::kMaxBytes);
  }
  CHECK(kept.of(0, mapping) == nullptr);
  CHECK(kept.of(39, mapping) != nullptr);
  kept.keep(39, mapping, cells_of({0, 0, 2000, 2000}));  // larger than everything may be
  CHECK(kept.of(39, mapping) == nullptr);
}

TEST_CASE("cells that were not kept are incomplete, those that were are themselves", "[app][values]") {
  const app::KeptTable table{0, app::default_mapping(2), cells_of({2, 3, 4, 5})};
  app::CellBytes out;
  app::take_kept(table, {1, 2, 6, 7}, 0, out);
  for (std::uint64_t row = 1; row < 7; ++row) {
    for (std::uint64_t column = 2; column < 9; ++column) {
      const std::size_t i = (row - 1) * 7 + (column - 2);
      const bool inside = row >= 2 && row < 6 && column >= 3 && column < 8;
      CHECK((out.complete[i] != 0) == inside);
      if (inside) CHECK(out.bytes[i] == static_cast<std::byte>(row * 16 + column));
    }
  }
}

TEST_CASE("a vector that is wrapped otherwise keeps its elements", "[app][values]") {
  app::AxisMapping five = app::default_mapping(1);
  five.wrap = 5;
  app::CellBytes bytes = cells_of({0, 0, 3, 5});
  for (std::size_t i = 0; i < bytes.bytes.size(); ++i) bytes.bytes[i] = static_cast<std::byte>(i);
  const app::KeptTable table{0, five, bytes};
  app::CellBytes out;
  app::take_kept(table, {0, 0, 8, 2}, 2, out);
  for (std::size_t i = 0; i < 15; ++i) CHECK(out.bytes[i] == static_cast<std::byte>(i));
  CHECK(out.complete[15] == 0);
  app::take_kept(table, {0, 4, 1, 3}, 0, out);  // as a row
  CHECK(out.bytes[1] == std::byte{5});
}

TEST_CASE("an element is found in whichever kept table has it, and in no other slice", "[app][values]") {
  const core::SnapshotPtr snapshot = snapshot_of({{.name = "cube", .dtype = "uint8", .shape = {2, 3, 4}}});
  app::KeptValues kept;
  app::AxisMapping second = app::default_mapping(3);
  second.fixed[0] = 1;
  app::CellBytes cells = cells_of({1, 1, 2, 2});  // rows 1 and 2, columns 1 and 2 of cube[1]
  cells.item_bits = 8;
  kept.keep(0, second, cells);
  for (std::uint64_t element = 0; element < 30; ++element) {
    const std::uint64_t slice = element / 12, row = element / 4 % 3, column = element % 4;
    const bool inside = slice == 1 && row >= 1 && column >= 1 && column <= 2;
    const auto found = kept.element(*snapshot, 0, element);
    INFO(element);
    REQUIRE(found.has_value() == inside);
    if (inside) CHECK(found->text == std::to_string(row * 16 + column));
  }
  CHECK_FALSE(kept.element(*snapshot, 1, 0));

  // Of two tables that have it the one kept last, as the values view shows it.
  app::AxisMapping turned = second;
  std::swap(turned.row, turned.column);
  app::CellBytes later = cells_of({1, 1, 2, 1});  // columns 1 and 2, row 1 of cube[1]
  later.item_bits = 8;
  for (std::byte& each : later.bytes) each = std::byte{200};
  kept.keep(0, turned, later);
  CHECK(kept.element(*snapshot, 0, 12 + 4 + 1)->text == "200");
  CHECK(kept.element(*snapshot, 0, 12 + 4 + 2)->text == "200");
  CHECK(kept.element(*snapshot, 0, 12 + 8 + 1)->text == "33");  // only the first has it
  kept.keep(0, second, cells);
  CHECK(kept.element(*snapshot, 0, 12 + 4 + 1)->text == "17");
}

TEST_CASE("what was kept of a look is found by its moment, and taken from there", "[app][values]") {
  app::KeptValuesOfMoments all;
  const app::AxisMapping mapping = app::default_mapping(2);
  app::KeptValues first, second;
  first.keep(3, mapping, cells_of({0, 0, 2, 2}));
  second.keep(5, mapping, cells_of({0, 0, 1, 1}));
  all.put(1, first);
  all.put(2, second);
  all.put(4, {});  // nothing was kept of it
  CHECK(all.bytes() == first.bytes() + second.bytes());
  CHECK(all.take(1).of(3, mapping) != nullptr);
  CHECK(all.take(1).bytes() == 0);
  CHECK(all.take(4).bytes() == 0);
  CHECK(all.bytes() == second.bytes());
  CHECK(all.take(2).of(3, mapping) == nullptr);
  CHECK(all.bytes() == 0);
}

TEST_CASE("of many looks those that were left first give way", "[app][values]") {
  app::KeptValuesOfMoments all;
  app::KeptValues large;
  app::CellBytes cells;
  cells.each = 1;
  cells.bytes.assign(app::KeptValues::kMaxBytes, std::byte{1});
  large.keep(0, app::default_mapping(1), cells);
  REQUIRE(large.bytes() > 0);
  const std::uint64_t looks = app::KeptValuesOfMoments::kMaxBytes / large.bytes() + 5;
  for (std::uint64_t moment = 1; moment <= looks; ++moment) all.put(moment, large);
  CHECK(all.bytes() <= app::KeptValuesOfMoments::kMaxBytes);
  CHECK(all.take(1).bytes() == 0);
  CHECK(all.take(looks).bytes() == large.bytes());
}

}  // namespace dlscope::tests
