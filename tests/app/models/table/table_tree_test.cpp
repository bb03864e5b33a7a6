#include "app/models/table/table_tree.h"

#include <catch2/catch_test_macros.hpp>

#include <random>
#include <set>

#include "app/models/table/tensor_table_model.h"
#include "app/models/text/name_path.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

using tests::SampleTensor;
using Words = std::vector<std::string>;

constexpr core::Address kBase = 0x558120000000;

IndexPtr index_of(const std::vector<SampleTensor>& tensors) {
  GroupColours colours;
  return build_index(tests::snapshot_of(tensors), colours);
}

// Every line as it is read: heads with their count and bytes, set in by their depth.
Words lines_of(const IndexPtr& index, const TableQuery& query) {
  TensorTableModel table;
  table.show(index, order_rows(*index, query));
  Words out;
  for (std::size_t i = 0; i < table.line_count(); ++i) {
    const TableLine& line = table.line(i);
    if (line.row == core::kNone32) {
      const TableHeadRow& head = table.head_row(line.section);
      out.push_back(std::string(table.order()->sections[line.section].depth, '-') + head.title + " (" + head.members + ", " +
                    head.bytes + ")");
      continue;
    }
    const std::size_t depth = line.section == core::kNone32 ? 0 : table.order()->sections[line.section].depth + 1;
    out.push_back(std::string(depth, '-') + std::string(label_of_row(*index, *table.order(), line)));
  }
  return out;
}

std::vector<SampleTensor> model() {
  return {{.name = "step", .address = kBase + 0x90000, .shape = {}},
          {.name = "net.embed.weight", .address = kBase, .shape = {16, 4}, .more_names = {"net.head.weight"}},
          {.name = "net.layers[0].weight", .address = kBase + 0x1000, .shape = {4, 4}},
          {.name = "net.layers[0].bias", .address = kBase + 0x2000, .shape = {4}},
          {.name = "net.layers[1].weight", .address = kBase + 0x3000, .shape = {4, 4}},
          {.name = "net.layers[1].bias", .address = kBase + 0x4000, .shape = {4}},
          {.name = "cache['a.b']", .address = kBase + 0x5000, .shape = {2}}};
}

}  // namespace

TEST_CASE("rows stand under the branches of their names, with what each branch has", "[app][models]") {
  const IndexPtr index = index_of(model());
  CHECK(lines_of(index, {.view = TableView::tree}) == Words{"step",
                                                            "net (5 tensors, 416 B)",
                                                            "-embed.weight",
                                                            "-layers (4 tensors, 160 B)",
                                                            "--layers[0] (2 tensors, 80 B)",
                                                            "---weight",
                                                            "---bias",
                                                            "--layers[1] (2 tensors, 80 B)",
                                                            "---weight",
                                                            "---bias",
                                                            "cache['a.b']"});
}

TEST_CASE("a branch has a title, also where an attribute has none", "[app][models]") {
  const IndexPtr index = index_of({{.name = "net.x", .address = kBase, .shape = {4}},
                                   {.name = "net..a", .address = kBase + 0x1000, .shape = {4}},
                                   {.name = "net..b", .address = kBase + 0x2000, .shape = {4}}});
  CHECK(lines_of(index, {.view = TableView::tree}) ==
        Words{"net (3 tensors, 48 B)", "-x", "-. (2 tensors, 32 B)", "--a", "--b"});
}

TEST_CASE("a branch folds by its path, and what it hides has its line", "[app][models]") {
  const IndexPtr index = index_of(model());
  TableQuery query{.view = TableView::tree};
  query.folding.set("net.layers", true);
  const OrderPtr order = order_rows(*index, query);
  CHECK(lines_of(index, query) ==
        Words{"step", "net (5 tensors, 416 B)", "-embed.weight", "-layers (4 tensors, 160 B)", "cache['a.b']"});
  for (const char* name : {"net.layers[0].weight", "net.layers[1].bias"}) CHECK(order->line_of[*index->find(name)] == 3);
  CHECK(order->kept == index->size());
  query.folding = {.all = true, .except = {"net"}};
  CHECK(lines_of(index, query).size() == 5);
  query.filter = "bias";
  query.folding = {};
  CHECK(lines_of(index, query) == Words{"net.layers (2 tensors, 32 B)", "-[0].bias", "-[1].bias"});
}

TEST_CASE("sorted by bytes, branches are too", "[app][models]") {
  const IndexPtr index = index_of(model());
  const Words lines = lines_of(index, {.sort = {{TableColumn::bytes, true}}, .view = TableView::tree});
  REQUIRE(lines.size() == 11);
  CHECK(lines[0] == "net (5 tensors, 416 B)");
  CHECK(lines[1] == "-embed.weight");
  CHECK(lines[9] == "cache['a.b']");
}

TEST_CASE("bytes of a branch count once what its tensors share", "[app][models]") {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    std::vector<SampleTensor> tensors;
    for (int i = 0; i < 12; ++i)
      tensors.push_back({.name = "t[" + std::to_string(i) + "]",
                         .dtype = "uint8",
                         .address = kBase + random() % 300,
                         .shape = {static_cast<std::int64_t>(1 + random() % 60)},
                         .strides = {static_cast<std::int64_t>(1 + random() % 2)}});
    const IndexPtr index = index_of(tensors);
    std::vector<std::uint32_t> some;
    std::set<core::Address> bytes;
    for (std::uint32_t id = 0; id < 12; ++id) {
      if (random() % 3 == 0) continue;
      some.push_back(id);
      for (std::int64_t i = 0; i < tensors[id].shape[0]; ++i)
        bytes.insert(tensors[id].address + static_cast<core::Address>(i * tensors[id].strides[0]));
    }
    const MemoryOf memory = memory_of(*index, some);
    if (memory.exact)
      CHECK(memory.bytes == bytes.size());
    else
      CHECK(memory.bytes >= bytes.size());
  }
}

TEST_CASE("bytes of a branch that a file has at two addresses count once", "[app][models]") {
  const SampleTensor a{.name = "a", .dtype = "uint8", .address = kBase, .shape = {100}};
  const SampleTensor b{.name = "b", .dtype = "uint8", .address = kBase + 50, .shape = {100}};
  const SampleTensor c{.name = "c", .dtype = "uint8", .address = kBase + 140, .shape = {100}};
  core::Snapshot snapshot = *tests::snapshot_of({a, b, c});
  constexpr core::Address kFarther = 1 << 20;  // where the file is mapped again
  core::TensorRecord& moved = snapshot.tensors[1];
  moved.address += kFarther;
  moved.extent = {moved.extent.begin + kFarther, moved.extent.end + kFarther};
  moved.page_shift = core::Address{0} - kFarther;
  GroupColours colours;
  const IndexPtr index = build_index(std::make_shared<const core::Snapshot>(std::move(snapshot)), colours);
  const std::uint32_t some[] = {0, 1};
  CHECK(memory_of(*index, some).bytes == 150);
  CHECK(index->value_bytes == 300);
}

TEST_CASE("a branch does not say 0 bytes before it is known what its tensors share", "[app][models]") {
  core::Snapshot found = *tests::snapshot_of(model());
  found.pairs.clear();
  found.groups.clear();
  for (core::TensorRecord& tensor : found.tensors) tensor.group = core::kNone32;
  const auto head_of_net = [&](core::UnknownWhy why) {
    found.info.missing_pairs = found.info.open_groups = why;
    GroupColours colours;
    const IndexPtr index = build_index(std::make_shared<core::Snapshot>(found), colours);
    TensorTableModel table;
    table.show(index, order_rows(*index, {.view = TableView::tree}));
    return table.head_row(table.line(1).section);
  };
  const TableHeadRow not_yet = head_of_net(core::UnknownWhy::not_yet), stopped = head_of_net(core::UnknownWhy::stopped);
  CHECK(not_yet.bytes == "not yet known");
  CHECK(not_yet.summary ==
        "net: 5 tensors. How many bytes of memory they have in all is known when it is worked out what they share.");
  CHECK(stopped.bytes == "unknown");
  CHECK(stopped.summary == "net: 5 tensors. How many bytes of memory they have in all is not known.");
}

TEST_CASE("every row of a tree is listed once, whatever is folded and however names look", "[app][models]") {
  std::mt19937 random(9);
  const char* parts[] = {"a", ".b", "[0]", "[1]", "['x.y']", ".c", "<0>", "..", "[", "]"};
  for (int round = 0; round < 60; ++round) {
    std::vector<SampleTensor> tensors;
    for (int i = 0; i < 30; ++i) {
      std::string name = "v";
      for (auto n = random() % 5; n > 0; --n) name += parts[random() % std::size(parts)];
      tensors.push_back({.name = name + "#" + std::to_string(i), .address = kBase + random() % 20 * 64, .shape = {4}});
    }
    const IndexPtr index = index_of(tensors);
    TableQuery query{.view = TableView::tree};
    query.folding.all = random() % 2 == 0;
    const OrderPtr order = order_rows(*index, query);
    std::multiset<std::uint32_t> rows(order->rows.begin(), order->rows.end());
    CHECK(rows.size() == index->size());
    for (std::uint32_t id = 0; id < index->size(); ++id) {
      CHECK(rows.count(id) == 1);
      REQUIRE(order->line_of[id] < order->lines.size());
      const TableLine& line = order->lines[order->line_of[id]];
      if (line.row != core::kNone32) {
        CHECK(line.row == id);
      } else {
        const TableSection& head = order->sections[line.section];
        CHECK(head.folded);
        CHECK(index->snapshot->name(index->tensor(id)).starts_with(head.path));
      }
    }
  }
}

TEST_CASE("a filter that matched another name says which", "[app][models]") {
  const IndexPtr index = index_of(model());
  const OrderPtr order = order_rows(*index, {.filter = "head"});
  REQUIRE(order->rows.size() == 1);
  CHECK(order->matched_name.at(order->rows[0]) == 1);
  CHECK(order_rows(*index, {.filter = "embed"})->matched_name.empty());
  TensorTableModel table;
  table.show(index, order);
  CHECK(table.row(order->rows[0]).other_names == Words{"net.head.weight"});
}

TEST_CASE("columns know the longest of their texts", "[app][models]") {
  const IndexPtr index = index_of(model());
  const auto longest = [&](const TableQuery& query, TableColumn column) {
    return order_rows(*index, query)->longest[static_cast<std::size_t>(column)];
  };
  CHECK(longest({}, TableColumn::name) == "net.embed.weight = net.head.weight");
  CHECK(longest({}, TableColumn::dtype) == "float32");
  CHECK(longest({.view = TableView::tree}, TableColumn::name) == "  embed.weight = net.head.weight");  // set in below its branch
}

TEST_CASE("the notes need room where there are any", "[app][models]") {
  const auto notes = [](core::Tri read_only) {
    const IndexPtr index = index_of({{.name = "x", .shape = {4}, .read_only = read_only}});
    return order_rows(*index, {})->longest[static_cast<std::size_t>(TableColumn::badges)];
  };
  CHECK(notes(core::Tri::no).empty());
  CHECK(notes(core::Tri::yes) == "  read-only  ");
}

TEST_CASE("a hundred thousand rows grow a tree to the last one", "[app][models]") {
  GroupColours colours;
  const IndexPtr index = build_index(tests::many_snapshot(100'000), colours);
  const OrderPtr order = order_rows(*index, {.view = TableView::tree});
  CHECK(order->lines.size() == 100'001);
  CHECK(order->sections.front().count == 100'000);
}

}  // namespace dlscope::app
