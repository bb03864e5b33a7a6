#include "app/models/tensor_table_model.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

IndexPtr index_of(core::SnapshotPtr snapshot) {
  GroupColours colours;
  return build_index(std::move(snapshot), colours);
}

std::vector<std::string> names(const IndexPtr& index, const TableQuery& query) {
  std::vector<std::string> out;
  const OrderPtr order = order_rows(*index, query);
  for (const std::uint32_t id : order->rows) out.emplace_back(index->snapshot->name(index->tensor(id)));
  return out;
}

}  // namespace

TEST_CASE("numbers in names sort as numbers", "[app][models]") {
  CHECK(natural_compare("d[2]", "d[10]") < 0);
  CHECK(natural_compare("d[10]", "d[9]") > 0);
  CHECK(natural_compare("a", "B") < 0);
  CHECK(natural_compare("same", "same") == 0);
  CHECK(natural_compare("d[99999999999999999999999]", "d[100000000000000000000000]") < 0);
  CHECK(natural_compare("x", "x1") < 0);
}

TEST_CASE("without a query rows come as they were discovered", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  const auto order = order_rows(*index, {});
  REQUIRE(order->rows.size() == index->size());
  CHECK(std::ranges::is_sorted(order->rows));
}

TEST_CASE("filter words must all match, in their place, and a minus excludes", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  CHECK(names(index, {.filter = "torch"}) == std::vector<std::string>{"t", "weights", "grad"});
  CHECK(names(index, {.filter = "torch float32"}) == std::vector<std::string>{"t"});
  CHECK(names(index, {.filter = "dtype:BFLOAT"}) == std::vector<std::string>{"weights"});
  CHECK(names(index, {.filter = "badge:read-only"}) == std::vector<std::string>{"mask"});
  CHECK(names(index, {.filter = "badge:shares -library:numpy"}) == std::vector<std::string>{"t"});
  CHECK(names(index, {.filter = "name:arrays"}) == std::vector<std::string>{"x"});  // any of its names
  CHECK(names(index, {.filter = "refused"}) == std::vector<std::string>{"grad"});
  CHECK(names(index, {.filter = "no such thing"}).empty());
  CHECK(names(index, {.filter = "   "}).size() == index->size());
  CHECK(names(index, {.filter = "%s%n {} \\"}).empty());
}

TEST_CASE("sorting by any column orders by it, and what is unknown comes last", "[app][models]") {
  const IndexPtr index = index_of(tests::broken_snapshot());
  for (const auto column : {TableColumn::name, TableColumn::library, TableColumn::dtype, TableColumn::shape, TableColumn::strides,
                            TableColumn::device, TableColumn::bytes, TableColumn::layout, TableColumn::badges}) {
    for (const bool down : {false, true}) {
      auto rows = order_rows(*index, {.filter = {}, .column = column, .descending = down})->rows;
      CHECK(rows.size() == index->size());
      std::ranges::sort(rows);
      for (std::uint32_t i = 0; i < rows.size(); ++i) CHECK(rows[i] == i);  // nothing lost, nothing twice
    }
  }
  const auto by_bytes = order_rows(*index, {.filter = {}, .column = TableColumn::bytes, .descending = false})->rows;
  CHECK(index->tensor(by_bytes.back()).nbytes == core::kUnknown64);
  const auto by_name =
      names(index_of(tests::many_snapshot(30)), {.filter = {}, .column = TableColumn::name, .descending = false});
  CHECK(by_name[2] == "data[2]");
  CHECK(by_name[29] == "data[29]");
}

TEST_CASE("a hundred thousand rows are filtered and sorted to the last one", "[app][models]") {
  const IndexPtr index = index_of(tests::many_snapshot(100'000));
  const auto order = order_rows(*index, {.filter = "int64", .column = TableColumn::name, .descending = true});
  REQUIRE(order->rows.size() == 50'000);
  CHECK(index->snapshot->name(index->tensor(order->rows.front())) == "data[99999]");
  CHECK(index->snapshot->name(index->tensor(order->rows.back())) == "data[1]");
  std::stop_source stop;
  stop.request_stop();
  CHECK(order_rows(*index, {}, stop.get_token()) == nullptr);
}

TEST_CASE("rows for an outdated question are not shown", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  TensorTableModel table;
  CHECK_FALSE(table.stale());
  table.show(index, order_rows(*index, {}));
  CHECK_FALSE(table.stale());
  table.set_query({.filter = "torch"});
  CHECK(table.stale());
  table.accept(index, order_rows(*index, {.filter = "jax"}));
  CHECK(table.row_count() == index->size());
  const IndexPtr other = index_of(tests::tour_snapshot());
  table.accept(other, order_rows(*other, {.filter = "torch"}));
  CHECK(table.row_count() == index->size());
  table.accept(index, order_rows(*index, {.filter = "torch"}));
  CHECK(table.row_count() == 3);
  CHECK_FALSE(table.stale());
}

TEST_CASE("a row says what is known and leaves the rest empty", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  TensorTableModel table;
  table.show(index, order_rows(*index, {}));
  const TableRow x = table.row(0);
  CHECK(x.name == "x");
  CHECK(x.dtype == "float32");
  CHECK(x.shape == "3 × 4");
  CHECK(x.strides == "4, 1");
  CHECK(x.bytes == "48 B");
  REQUIRE(x.badges.size() == 1);
  CHECK(x.badges[0].text == "shares y +2");
  const TableRow grad = table.row(*index->find("grad"));
  CHECK_FALSE(grad.described);
  CHECK(grad.dtype.empty());
  CHECK(grad.bytes.empty());
  REQUIRE_FALSE(grad.badges.empty());
  CHECK(grad.badges[0].text == "refused");
}

}  // namespace dlscope::app
