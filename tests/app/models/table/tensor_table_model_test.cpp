#include "app/models/table/tensor_table_model.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "app/models/table/table_filter.h"
#include "app/models/text/fitted_text.h"
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

std::string complaint(const IndexPtr& index, const std::string& filter) {
  return order_rows(*index, {.filter = filter})->complaint;
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
  using Names = std::vector<std::string>;
  CHECK(names(index, {.filter = "torch"}) == Names{"t", "weights", "grad"});
  CHECK(names(index, {.filter = "torch float32"}) == Names{"t"});
  CHECK(names(index, {.filter = "dtype:BFLOAT"}) == Names{"weights"});
  CHECK(names(index, {.filter = "dtype:16"}) == Names{"weights"});
  CHECK(names(index, {.filter = "dtype:float -dtype:float32"}) == Names{"table[:, 0::2]", "table[:, 1::2]"});
  CHECK(names(index, {.filter = "badge:read-only"}) == Names{"mask"});
  CHECK(names(index, {.filter = "badge:shares -library:numpy"}) == Names{"t"});
  CHECK(names(index, {.filter = "name:arrays"}) == Names{"x"});  // any of its names
  CHECK(names(index, {.filter = "refused"}) == Names{"grad"});
  CHECK(names(index, {.filter = "no such thing"}).empty());
  CHECK(names(index, {.filter = "   "}).size() == index->size());
  CHECK(names(index, {.filter = "%s%n {} \\"}).empty());
}

TEST_CASE("quotes keep words together, shares: and at: ask about memory", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  using Names = std::vector<std::string>;
  CHECK(names(index, {.filter = "\"[:, 1\""}) == Names{"table[:, 1::2]"});
  CHECK(names(index, {.filter = "name:\"[:, \" -\"0::\""}) == Names{"table[:, 1::2]"});
  CHECK(names(index, {.filter = "shares:x"}) == Names{"y", "t", "x[::-1]"});
  CHECK(names(index, {.filter = "shares:x lib:torch"}) == Names{"t"});
  CHECK(names(index, {.filter = "-shares:x numpy"}).size() == 5);
  CHECK(names(index, {.filter = "shares:arrays['x']"}) == Names{"y", "t", "x[::-1]"});
  CHECK(names(index, {.filter = "shares:\"table[:, 0::2]\""}).empty());  // interleaved: no byte in common
  CHECK(names(index, {.filter = "at:0x55812e404a80"}) == Names{"x", "y", "t", "x[::-1]"});
  CHECK(names(index, {.filter = "at:0x5581_2e40_4ab0"}).empty());  // one past the end
}

TEST_CASE("names with quotes of their own are found, too", "[app][models]") {
  using Names = std::vector<std::string>;
  const std::string name = "d[\"it's\"]", worse = R"(d['it\'s "x" \\"'])";
  const IndexPtr index = index_of(tests::snapshot_of({{.name = name, .shape = {8}},
                                                      {.name = "d['y']", .address = 0x55812e404a84, .shape = {7}},
                                                      {.name = worse, .address = 0x55812e409000, .shape = {2}}}));
  for (const std::string& each : {name, worse, std::string("a b"), std::string()}) {
    INFO(each);
    const TableFilter filter = parse_filter("shares:" + quoted(each) + " numpy");
    CHECK(filter.terms.size() == (each.empty() ? 1 : 2));
    CHECK((each.empty() || filter.terms.front().text == each));
  }
  CHECK(names(index, {.filter = "shares:" + quoted(name)}) == Names{"d['y']"});
  CHECK(complaint(index, "shares:" + quoted(name)).empty());
  CHECK(names(index, {.filter = quoted("\"x\"")}) == Names{worse});
}

TEST_CASE("a wrong filter is explained, a good one is not complained about", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  for (const char* good : {"", "torch", "lib:torch", "-lib:torch", "\"a b\"", "x[1:2]", "d['a:b']", "1:2", "shares:x", "- x"})
    CHECK(complaint(index, good).empty());
  CHECK(complaint(index, "librery:torch").find("librery:") != std::string::npos);
  CHECK(complaint(index, "lib:").find("missing") != std::string::npos);
  CHECK(names(index, {.filter = "lib:"}).size() == index->size());
  CHECK(complaint(index, "\"torch").find("not closed") != std::string::npos);
  CHECK(names(index, {.filter = "\"torch"}).size() == 3);
  CHECK(complaint(index, "shares:nobody").find("nobody") != std::string::npos);
  CHECK(complaint(index, "at:here").find("not an address") != std::string::npos);
  std::mt19937 random(3);
  const std::string alphabet = "ab:\"- x\\%\xc3\xa9";
  for (int i = 0; i < 2000; ++i) {
    std::string filter;
    for (int n = static_cast<int>(random() % 12); n > 0; --n) filter += alphabet[random() % alphabet.size()];
    CHECK(order_rows(*index, {.filter = filter})->kept <= index->size());
  }
}

TEST_CASE("sorting by any column orders by it, and what is unknown comes last either way", "[app][models]") {
  const IndexPtr index = index_of(tests::broken_snapshot());
  for (const ColumnInfo& column : table_columns()) {
    for (const bool down : {false, true}) {
      auto rows = order_rows(*index, {.sort = {{column.column, down}}})->rows;
      CHECK(rows.size() == index->size());
      std::ranges::sort(rows);
      for (std::uint32_t i = 0; i < rows.size(); ++i) CHECK(rows[i] == i);  // nothing lost, nothing twice
    }
  }
  for (const bool down : {false, true}) {
    const auto rows = order_rows(*index, {.sort = {{TableColumn::bytes, down}}})->rows;
    CHECK(index->tensor(rows.back()).nbytes == core::kUnknown64);
    std::uint64_t last = down ? core::kUnknown64 - 1 : 0;
    for (const std::uint32_t id : rows) {
      const std::uint64_t bytes = index->tensor(id).nbytes;
      if (bytes == core::kUnknown64) break;
      CHECK((down ? bytes <= last : bytes >= last));
      last = bytes;
    }
  }
  const auto by_name = names(index_of(tests::many_snapshot(30)), {.sort = {{TableColumn::name, false}}});
  CHECK(by_name[2] == "data[2]");
  CHECK(by_name[29] == "data[29]");
}

TEST_CASE("what a tensor keeps alive unused is a badge, a column and a key to sort by", "[app][models]") {
  auto snapshot = std::make_shared<core::Snapshot>(
      *tests::snapshot_of({{.name = "own", .address = 0x558120000000, .shape = {4}},
                           {.name = "little", .address = 0x558130000000, .shape = {4}},
                           {.name = "much", .address = 0x558140000000, .shape = {4}},
                           {.name = "unsaid", .address = 0x558150000000, .shape = {4}}}));
  using core::AllocationSource;
  snapshot->allocations = {{.range = {0x558130000000, 0x558130000020}, .used_bytes = 16, .source = AllocationSource::base},
                           {.range = {0x558140000000, 0x558140200000}, .used_bytes = 16, .source = AllocationSource::storage}};
  snapshot->tensors[0].allocation = core::kOwnAllocation;
  snapshot->tensors[1].allocation = 0;
  snapshot->tensors[2].allocation = 1;
  snapshot->tensors[2].remarks = {static_cast<std::uint32_t>(snapshot->remarks.size()), 1};
  const std::string_view message = "keeps 2.0 MiB alive, uses 16 B";
  snapshot->remarks.push_back({core::RemarkCode::keeps_alive_unused,
                               {static_cast<std::uint32_t>(snapshot->text.size()), static_cast<std::uint32_t>(message.size())}});
  snapshot->text.insert(snapshot->text.end(), message.begin(), message.end());
  const IndexPtr index = index_of(snapshot);
  using Names = std::vector<std::string>;
  CHECK(names(index, {.sort = {{TableColumn::unused_bytes, true}}}) == Names{"much", "little", "own", "unsaid"});
  CHECK(names(index, {.sort = {{TableColumn::unused_bytes, false}}}) == Names{"own", "little", "much", "unsaid"});
  CHECK(names(index, {.filter = "badge:keeps"}) == Names{"much"});
  TensorTableModel table;
  table.show(index, order_rows(*index, {}));
  CHECK(table.row(0).text(TableColumn::unused_bytes) == "0");
  CHECK(table.row(1).text(TableColumn::unused_bytes) == "16");
  CHECK(table.row(2).text(TableColumn::unused_bytes) == "2 097 136");
  CHECK(table.row(3).text(TableColumn::unused_bytes).empty());
  REQUIRE_FALSE(table.row(2).badges.empty());
  CHECK(table.row(2).badges[0].text == "keeps 2.0 MiB");
  CHECK(table.row(2).badges[0].meaning == "It keeps 2.0 MiB alive, uses 16 B.");
}

TEST_CASE("a second key decides among equals, discovery after that", "[app][models]") {
  const IndexPtr index = index_of(tests::many_snapshot(200));
  const auto rows = order_rows(*index, {.sort = {{TableColumn::library, true}, {TableColumn::bytes, false}}})->rows;
  const auto key = [&](std::uint32_t id) {
    return std::tuple(index->snapshot->str(index->tensor(id).library) != "torch", index->tensor(id).nbytes, id);
  };
  CHECK(std::ranges::is_sorted(rows, {}, key));
}

TEST_CASE("a hundred thousand rows are filtered and sorted to the last one", "[app][models]") {
  const IndexPtr index = index_of(tests::many_snapshot(100'000));
  const auto order = order_rows(*index, {.filter = "int64", .sort = {{TableColumn::name, true}}});
  REQUIRE(order->rows.size() == 50'000);
  CHECK(index->snapshot->name(index->tensor(order->rows.front())) == "data[99999]");
  CHECK(index->snapshot->name(index->tensor(order->rows.back())) == "data[1]");
  std::stop_source stop;
  stop.request_stop();
  CHECK(order_rows(*index, {}, stop.get_token()) == nullptr);
}

TEST_CASE("by group, tensors that share stand under one head and fold away", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  TableQuery query{.view = TableView::groups};
  TensorTableModel table;
  table.set_query(query);
  table.show(index, order_rows(*index, query));
  REQUIRE(table.line_count() == index->size() + 1);
  CHECK(table.tensor_at(0) == core::kNone32);  // the head
  CHECK(table.tensor_at(1) == 0);
  CHECK(table.tensor_at(4) == *index->find("x[::-1]"));
  CHECK(table.head_row(table.line(0).section).summary == "4 tensors, 48 B, numpy + torch");
  CHECK(table.head_row(table.line(0).section).colour == index->colour_of(index->tensor(0)));

  query.folding.set("x", true);
  const OrderPtr folded = order_rows(*index, query, {}, table.order().get());
  table.set_query(query);
  table.accept(index, folded);
  CHECK(table.line_count() == index->size() - 3);
  CHECK(table.row_count() == index->size());  // folded, not filtered
  CHECK(table.row_of(1) == 0U);               // y is under the head
  CHECK(table.tensor_at(1) == *index->find("w"));
  // The same question asked from nothing gives the same lines.
  const OrderPtr fresh = order_rows(*index, query);
  CHECK(std::ranges::equal(fresh->lines, folded->lines,
                           [](const TableLine& a, const TableLine& b) { return a.row == b.row && a.section == b.section; }));
  query.filter = "torch";
  const OrderPtr some = order_rows(*index, query);
  REQUIRE(some->lines.size() == 3);  // the head of x's group, weights, grad
  table.set_query(query);
  table.accept(index, some);
  CHECK(table.head_row(0).title == "1 of 4 tensors");
  // A rerun that puts the same names elsewhere keeps the fold.
  GroupColours colours;
  const IndexPtr moved = build_index(tests::snapshot_of({{.name = "x", .address = 0x7f3a10000000, .shape = {4}},
                                                         {.name = "y", .address = 0x7f3a10000000, .shape = {4}}}),
                                     colours);
  CHECK(order_rows(*moved, {.view = TableView::groups, .folding = query.folding})->lines.size() == 1);
}

TEST_CASE("whatever is folded, every row is listed once, under its group", "[app][models]") {
  std::mt19937 random(5);
  for (int round = 0; round < 30; ++round) {
    std::vector<tests::SampleTensor> tensors;
    for (int i = 0; i < 40; ++i) {
      tensors.push_back({.name = "t" + std::to_string(i),
                         .address = 0x558120000000 + (random() % 12) * 4096,
                         .shape = {static_cast<std::int64_t>(1 + random() % 8)}});
    }
    const IndexPtr index = index_of(tests::snapshot_of(tensors));
    TableQuery query{.sort = {{TableColumn::bytes, random() % 2 == 0}}, .view = TableView::groups};
    query.folding.all = random() % 2 == 0;
    for (int i = 0; i < 5; ++i) query.folding.set("t" + std::to_string(random() % 40), random() % 2 == 0);
    const OrderPtr order = order_rows(*index, query);
    const OrderPtr flat = order_rows(*index, {.sort = query.sort});
    std::map<std::uint32_t, std::vector<std::uint32_t>> expected;  // by group, in sorted order
    for (const std::uint32_t row : flat->rows) expected[index->tensor(row).group].push_back(row);
    std::map<std::uint32_t, std::vector<std::uint32_t>> found;
    std::uint32_t head = core::kNone32;
    for (std::uint32_t i = 0; i < order->lines.size(); ++i) {
      const TableLine& line = order->lines[i];
      const TableSection& section = order->sections[line.section];
      if (line.row == core::kNone32) {
        head = section.group;
        CHECK(section.folded == query.folding.folds(group_name(*index, head)));
        if (section.folded) {
          for (const std::uint32_t row : expected.at(head)) CHECK(order->line_of[row] == i);
          found[head] = expected.at(head);
        }
        continue;
      }
      CHECK(order->line_of[line.row] == i);
      if (section.group != core::kNone32) CHECK(section.group == head);
      found[index->tensor(line.row).group].push_back(line.row);
    }
    CHECK(found == expected);
  }
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
  CHECK(x.text(TableColumn::name) == "x");
  CHECK(x.text(TableColumn::dtype) == "float32");
  CHECK(x.text(TableColumn::shape) == "3 × 4");
  CHECK(x.text(TableColumn::strides) == "4, 1");
  CHECK(x.text(TableColumn::bytes) == "48 B");
  CHECK(x.text(TableColumn::address) == "0x5581 2e40 4a80");
  CHECK(x.text(TableColumn::names) == "x, arrays['x']");
  CHECK(x.text(TableColumn::capsule) == "dltensor_versioned");
  REQUIRE(x.badges.size() == 1);
  CHECK(x.badges[0].text == "shares y +2");
  const TableRow w = table.row(*index->find("w"));
  CHECK(w.text(TableColumn::exact_bytes) == "80");
  CHECK(w.text(TableColumn::distinct_bytes) == "20");  // a broadcast
  const TableRow grad = table.row(*index->find("grad"));
  CHECK(grad.text(TableColumn::dtype).empty());
  CHECK(grad.text(TableColumn::bytes).empty());
  CHECK(grad.text(TableColumn::address).empty());
  REQUIRE_FALSE(grad.badges.empty());
  std::vector<Badge> badges{
      {"read-only", "", Tone::plain}, {"shares y", "", Tone::accent}, {"NaN 1", "", Tone::bad}, {"Inf 2", "", Tone::warn}};
  order_by_harm(badges);  // a narrow column shows one and "+3"
  CHECK((badges[0].text == "NaN 1" && badges[1].text == "Inf 2" && badges[2].text == "read-only"));
  CHECK(grad.badges[0].text == "refused");
}

TEST_CASE("shares: says when the list of pairs is not whole, and why", "[app][models]") {
  std::vector<tests::SampleTensor> tensors(3, {.name = "", .address = 0x558120001000, .shape = {8}});
  for (std::size_t i = 0; i < 3; ++i) tensors[i].name = std::string(1, static_cast<char>('a' + i));
  CHECK(complaint(index_of(tests::snapshot_of(tensors)), "shares:a").empty());
  core::SharingLimits one_pair;
  one_pair.max_pairs = 1;
  for (const core::SharingLimits& limits : {one_pair, tests::stopped_limits()})
    CHECK(complaint(index_of(tests::snapshot_of(tensors, 1, limits)), "shares:a").find("cut short: ") != std::string::npos);
}

TEST_CASE("rows are copied with exact numbers, tabs between", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  const std::vector<std::uint32_t> tensors{0, 9};
  const std::vector<TableColumn> columns{TableColumn::name, TableColumn::shape, TableColumn::bytes, TableColumn::address,
                                         TableColumn::badges};
  CHECK(copied_rows(*index, tensors, columns, true) ==
        "Name\tShape\tBytes\tAddress\tNotes\n"
        "x\t(3, 4)\t48\t0x55812e404a80\tshares y +2\n"
        "weights\t(2048, 1024)\t4194304\t0x7f3a11200000\t\n");
}

TEST_CASE("a narrow table leaves out columns in a fixed order, never what the others are read by", "[app][models]") {
  std::array<float, kTableColumns> widths{};
  widths.fill(1);
  const auto has = [](const ColumnSet& columns, TableColumn column) { return columns[static_cast<std::size_t>(column)]; };
  const ColumnSet all = columns_with_room(widths, 100);
  for (const ColumnInfo& column : table_columns()) CHECK(has(all, column.column) == column.shown);
  ColumnSet before = all;
  for (float room = static_cast<float>(all.count()); room >= 0; room -= 1) {
    const ColumnSet now = columns_with_room(widths, room);
    CHECK((now & ~before).none());  // what went does not come back
    if (now.count() > 4) CHECK(static_cast<float>(now.count()) == room);
    before = now;
  }
  CHECK(before.count() == 4);
  for (const TableColumn stays : {TableColumn::name, TableColumn::dtype, TableColumn::shape, TableColumn::badges})
    CHECK(has(before, stays));
  widths[static_cast<std::size_t>(TableColumn::strides)] = 3;  // the last to go, however wide
  CHECK(has(columns_with_room(widths, 7), TableColumn::strides));
  CHECK_FALSE(has(columns_with_room(widths, 7), TableColumn::library));
}

TEST_CASE("columns are remembered by their titles", "[app][models]") {
  ColumnSet columns;
  for (const TableColumn column : {TableColumn::name, TableColumn::address, TableColumn::names})
    columns.set(static_cast<std::size_t>(column));
  CHECK(column_titles(columns) == std::vector<std::string>{"Name", "Address", "Names"});
  CHECK(columns_titled(column_titles(columns)) == columns);
  CHECK(columns_titled({"Names", "Address", "of another version"}) == columns);
  CHECK(columns_titled({"of another version"}).none());
  CHECK(columns_titled({}).none());
}

TEST_CASE("text is cut in the middle to fit a width, by code points", "[app][models]") {
  const auto measure = [](std::string_view text) {
    return static_cast<float>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  };
  const std::string name = "model.encoder.layers[11].attention.self.query.weight";
  for (int room = 0; room < 60; ++room) {
    const std::string fitted = fit_text(name, static_cast<float>(room), measure).str();
    CHECK(measure(fitted) <= static_cast<float>(room));
    if (room >= 3) CHECK(measure(fitted) == std::min<float>(static_cast<float>(room), measure(name)));
    if (room < 3) CHECK(fitted.empty());
  }
  CHECK(fit_text("äöü", 3, measure).str() == "äöü");
  CHECK(fit_text("", 3, measure).str().empty());
  CHECK(fit_text("x", 0, measure).str().empty());
  CHECK(fit_text("ab", 1, measure).str().empty());
}

TEST_CASE("a number that does not fit ends with an ellipsis, and stands at the right end", "[app][tensor_table]") {
  const auto measure = [](std::string_view text) { return static_cast<float>(count_characters(text)); };
  const auto fitted = [&](std::string_view number, float room) { return fit_number(number, room, measure); };
  CHECK((fitted("3.25", 6).text == "3.25" && !fitted("3.25", 6).cut && fitted("3.25", 6).left == 2));
  CHECK((fitted("3.25", 4).text == "3.25" && fitted("3.25", 4).left == 0));
  CHECK((fitted("42.857142", 6).text == "42.85" && fitted("42.857142", 6).cut && fitted("42.857142", 6).left == 0));
  CHECK((fitted("42", 1).text.empty() && fitted("42", 1).cut));
  CHECK(fitted("äöü", 2).text == "ä");
  // The digits alone would be a number that is 300 orders of magnitude away.
  const FittedNumber small = fitted("-1.000000000000001e-300", 11);
  CHECK((small.text == "-1.00" && small.exponent == "e-300" && small.cut && small.left == 0));
  CHECK(fitted("-1.000000000000001e-300", 8).text == "-1");
  CHECK((fitted("-1.000000000000001e-300", 7).text.empty() && fitted("-1.000000000000001e-300", 7).exponent.empty()));
  CHECK((fitted("1.5e-300+2.0j", 6).text == "1.5e-" && fitted("'hello there'", 6).text == "'hell"));  // no single number
  CHECK((fitted("0xdeadbeef", 6).text == "0xdea" && fitted("True and more", 6).exponent.empty()));
}

TEST_CASE("an address in the filter may be typed as Go to takes it and as the window writes it", "[app][models]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  using Names = std::vector<std::string>;
  const Names holders{"x", "y", "t", "x[::-1]"};
  for (const char* filter : {"at:0x55812e404a80", "at:0X55812E404A80", "at:0x5581 2e40 4a80", "at:\"0x5581 2e40 4a80\"",
                             "at:0x5581'2e40'4a80", "at:94013315107456"}) {
    INFO(filter);
    CHECK(names(index, {.filter = filter}) == holders);
    CHECK(complaint(index, filter).empty());
  }
  CHECK(names(index, {.filter = "at:0x5581 2e40 4a80 torch"}) == Names{"t"});
  CHECK(names(index, {.filter = "torch -at:0x5581 2e40 4a80"}) == Names{"weights", "grad"});
  CHECK(complaint(index, "at:0x").find("not an address") != std::string::npos);
  CHECK(complaint(index, "at:0x123456789abcdef01").find("not an address") != std::string::npos);
}

TEST_CASE("sorting by dtype keeps each dtype together, also those of items that DLPack cannot name", "[app][models]") {
  std::vector<tests::SampleTensor> tensors;
  for (int i = 0; i < 12; ++i) tensors.push_back({.name = "t" + std::to_string(i), .dtype = "float64", .shape = {4}});
  auto snapshot = std::make_shared<core::Snapshot>(*tests::snapshot_of(tensors));
  const auto item_type = [&](std::string_view name) {
    const core::TextRef ref{static_cast<std::uint32_t>(snapshot->text.size()), static_cast<std::uint32_t>(name.size())};
    snapshot->text.insert(snapshot->text.end(), name.begin(), name.end());
    snapshot->item_types.push_back({.name = ref, .fields = {}, .bytes = 8});
    return static_cast<std::uint16_t>(snapshot->item_types.size() - 1);
  };
  const std::uint16_t days = item_type("datetime64[D]"), swapped = item_type("float64 big-endian"), text = item_type("U2");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (i % 4 == 3) continue;  // float64
    snapshot->tensors[i].item_type = i % 4 == 0 ? swapped : i % 4 == 1 ? days : text;
    snapshot->tensors[i].dtype = {255, 64, 1};  // the same for all three: it has only their size
  }
  const IndexPtr index = index_of(snapshot);
  for (const bool down : {false, true}) {
    std::vector<std::string> dtypes;
    const OrderPtr order = order_rows(*index, {.sort = {{TableColumn::dtype, down}}});
    for (const std::uint32_t id : order->rows) dtypes.push_back(snapshot->dtype_name(index->tensor(id)));
    if (down) std::ranges::reverse(dtypes);
    CHECK(std::ranges::is_sorted(dtypes, [](const auto& a, const auto& b) { return natural_compare(a, b) < 0; }));
  }
}

}  // namespace dlscope::app
