#include "app/models/tensors/run_marks.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <random>

#include "app/models/table/table_order.h"
#include "app/models/table/tensor_table_model.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

using tests::SampleTensor;

constexpr core::Address kBase = 0x558120001000;

struct Runs {
  GroupColours colours;
  IndexPtr shown;
  LastLooks looks;
  IndexPtr run(const std::vector<SampleTensor>& tensors, std::uint64_t number, std::uint64_t stop = 0) {
    return show(tests::snapshot_of(tensors, number), stop);
  }
  IndexPtr show(const core::SnapshotPtr& snapshot, std::uint64_t stop) {
    return shown = build_index(snapshot, colours, {}, looks.next(snapshot, stop, 0));
  }
};

std::vector<std::string> line_names(const IndexPtr& index, const TableQuery& query) {
  std::vector<std::string> out;
  const OrderPtr order = order_rows(*index, query);
  for (const TableLine& line : order->lines) {
    if (line.row == core::kNone32) continue;  // the head of the gone ones
    const RowRecord record = record_of(*index, line.row);
    out.push_back((line.row >= index->size() ? "-" : "") + std::string(record.snapshot.name(record.tensor)));
  }
  return out;
}

// A tensor with the frame that its first name is a local of.
struct Local {
  SampleTensor tensor;
  std::uint16_t frame = core::kNone16;
};

// frames: innermost first.
core::SnapshotPtr at_stop(const std::vector<Local>& locals, const std::vector<const char*>& frames,
                          const char* thread = "MainThread", const char* file = "train.py") {
  std::vector<SampleTensor> tensors;
  for (const Local& local : locals) tensors.push_back(local.tensor);
  auto out = std::make_shared<core::Snapshot>(*tests::snapshot_of(tensors, 1));
  const auto text = [&out](std::string_view word) {
    const auto first = static_cast<std::uint32_t>(out->text.size());
    out->text.insert(out->text.end(), word.begin(), word.end());
    return core::TextRef{first, static_cast<std::uint32_t>(word.size())};
  };
  for (std::size_t i = 0; i < locals.size(); ++i) out->tensors[i].frame = locals[i].frame;
  for (std::uint32_t depth = 0; depth < frames.size(); ++depth)
    out->frames.push_back({text(frames[depth]), text(file), 1, depth});
  out->info.scanned = core::Scanned::stop;
  out->info.stop = {text(file), text(frames.empty() ? "<module>" : frames.front()), text(thread), 1, 1};
  return out;
}

std::map<std::string, Mark> marks_of(const IndexPtr& index) {
  std::map<std::string, Mark> out;
  for (std::uint32_t id = 0; id < index->size(); ++id)
    out.emplace(index->snapshot->name(index->tensor(id)), index->marks.mark_of(id));
  return out;
}

std::vector<std::string> gone_from(const IndexPtr& index) {
  std::vector<std::string> out;
  for (const GoneTensor& gone : index->marks.gone)
    out.emplace_back(index->marks.before->name(index->marks.before->tensors[gone.id]));
  return out;
}

}  // namespace

TEST_CASE("the first run marks nothing, the second what it changed", "[app][models]") {
  Runs runs;
  const IndexPtr first = runs.run({{.name = "a", .address = kBase, .shape = {4}},
                                   {.name = "b", .address = kBase + 0x100, .shape = {3, 4}},
                                   {.name = "c", .address = kBase + 0x200, .shape = {4}},
                                   {.name = "d", .address = kBase + 0x300, .shape = {4}}},
                                  1);
  CHECK_FALSE(first->marks.any());
  const IndexPtr second = runs.run({{.name = "a", .address = kBase, .shape = {4}},
                                    {.name = "b", .address = kBase + 0x100, .shape = {12}},
                                    {.name = "d", .address = kBase + 0x400, .shape = {4}},
                                    {.name = "e", .address = kBase + 0x500, .shape = {4}}},
                                   2);
  CHECK(second->marks.mark_of(0) == Mark::none);
  CHECK(second->marks.mark_of(1) == Mark::changed);
  CHECK(second->marks.mark_of(2) == Mark::moved);
  CHECK(second->marks.mark_of(3) == Mark::fresh);
  CHECK(second->marks.fresh == 1);
  CHECK(second->marks.changed == 2);
  CHECK(found_sentence(*first) == "4 tensors in 4 memory groups.");
  CHECK(found_sentence(*second) == "4 tensors in 4 memory groups; 1 is new, 2 changed, 1 is gone.");
  CHECK(change_sentence(second->marks, *second->snapshot, 1) == "Run 2: was 3 × 4.");
  CHECK(change_sentence(second->marks, *second->snapshot, 2) == "Run 2: moved from 0x5581 2000 1300 to 0x5581 2000 1400.");
  REQUIRE(second->marks.gone.size() == 1);
  const std::string gone = gone_sentence(second->marks, second->marks.gone[0]);
  CHECK(gone.find("float32, 4 elements, at 0x5581 2000 1200") != std::string::npos);
  CHECK(line_names(second, {}) == std::vector<std::string>{"a", "b", "d", "e"});
  CHECK(line_names(second, {.gone_open = true}) == std::vector<std::string>{"a", "b", "d", "e", "-c"});
  TensorTableModel table;
  table.show(second, order_rows(*second, {}));
  REQUIRE(table.line_count() == 5);
  CHECK(table.head_row(table.line(4).section).title == "1 gone since run 2");
  CHECK(table.head_row(table.line(4).section).summary == "1 tensor gone since run 2: no name reaches it any more.");
  CHECK(table.order()->longest[static_cast<std::size_t>(TableColumn::name)] ==
        "1 gone since run 2");  // the column has room for it
  std::vector<Badge> badges;
  append_gone_badge(*second, second->marks.gone[0], badges);
  REQUIRE(badges.size() == 1);
  CHECK(badges[0].text == "gone since run 2");
  CHECK(badges[0].meaning.starts_with("No name reaches it since run 2."));
  CHECK(line_names(second, {.filter = "badge:gone"}) == std::vector<std::string>{"-c"});
  CHECK(line_names(second, {.filter = "badge:new"}) == std::vector<std::string>{"e"});
  CHECK(line_names(second, {.filter = "-gone", .sort = {{TableColumn::name, true}}}) ==
        std::vector<std::string>{"e", "d", "b", "a"});
  CHECK(line_names(second, {.sort = {{TableColumn::name, true}}, .gone_open = true}) ==
        std::vector<std::string>{"e", "d", "b", "a", "-c"});
  // What the run did is a mark at the name, not a note that pushes others out.
  CHECK(table.row(1).mark == Mark::changed);
  CHECK(table.row(1).badges.empty());
  CHECK(table.change(1) == "Run 2: was 3 × 4.");
}

TEST_CASE("looking again after the same run keeps the marks, the next run replaces them", "[app][models]") {
  Runs runs;
  const SampleTensor a{.name = "a", .address = kBase, .shape = {4}}, b{.name = "b", .address = kBase + 64, .shape = {4}};
  runs.run({a}, 1);
  CHECK(runs.run({a, b}, 2)->marks.mark_of(1) == Mark::fresh);
  CHECK(runs.run({a, b}, 2)->marks.mark_of(1) == Mark::fresh);
  CHECK(runs.run({a}, 2)->marks.gone.empty());  // b came and went inside one run
  CHECK_FALSE(runs.run({a}, 3)->marks.any());
}

TEST_CASE("at a stop the marks are of what changed since the stop before it", "[app][models]") {
  Runs runs;
  const SampleTensor a{.name = "a", .address = kBase, .shape = {4}}, b{.name = "b", .address = kBase + 64, .shape = {4}};
  SampleTensor moved = a;
  moved.address += 0x1000;
  runs.run({b}, 1);
  const IndexPtr first = runs.run({a, b}, 2, 5);
  CHECK(first->marks.mark_of(0) == Mark::fresh);  // the first stop of a run: against the run before
  CHECK(change_sentence(first->marks, *first->snapshot, 0) == "None of its names was there before run 2.");
  CHECK(runs.run({a, b}, 2, 5)->marks.mark_of(0) == Mark::fresh);  // looked again
  const IndexPtr second = runs.run({moved}, 2, 6);
  CHECK(second->marks.mark_of(0) == Mark::moved);
  CHECK(change_sentence(second->marks, *second->snapshot, 0) ==
        "Since the last stop: moved from 0x5581 2000 1000 to 0x5581 2000 2000.");
  CHECK(found_sentence(*second) == "1 tensor in 1 memory group; 1 changed, 1 is gone since the last stop.");
  REQUIRE(second->marks.gone.size() == 1);
  CHECK(gone_sentence(second->marks, second->marks.gone[0]).starts_with("It was there at the last stop;"));
  CHECK(gone_since_text(second->marks) == "gone since the last stop");
  CHECK(runs.run({moved}, 2, 6)->marks.mark_of(0) == Mark::moved);  // looked again, at the same stop
  CHECK_FALSE(runs.run({moved}, 2, 7)->marks.any());
  const IndexPtr unseen = runs.run({moved}, 2, 9);  // nobody saw stop 8
  CHECK_FALSE(unseen->marks.since_stop);
  CHECK(unseen->marks.mark_of(0) == Mark::fresh);
  const IndexPtr end = runs.run({moved, b}, 2);
  CHECK_FALSE(end->marks.since_stop);  // the run as a whole again
  CHECK(end->marks.fresh == 1);
  CHECK_FALSE(runs.run({moved, b}, 3, 10)->marks.any());
}

TEST_CASE("where the script raised the marks are of what changed since the last stop", "[app][models]") {
  Runs runs;
  const SampleTensor a{.name = "a", .address = kBase, .shape = {4}}, b{.name = "b", .address = kBase + 64, .shape = {4}};
  runs.run({a}, 1, 1);
  const auto scanned_as = [&](core::Scanned scanned) {
    auto out = std::make_shared<core::Snapshot>(*tests::snapshot_of({a, b}, 1));
    out->info.scanned = scanned;
    return out;
  };
  const IndexPtr raised = runs.show(scanned_as(core::Scanned::raise), 0);
  CHECK(raised->marks.since_stop);
  CHECK(raised->marks.mark_of(1) == Mark::fresh);
  CHECK(change_sentence(raised->marks, *raised->snapshot, 1) == "None of its names was there at the last stop.");
  CHECK(runs.show(scanned_as(core::Scanned::request), 0)->marks.since_stop);  // looked again
}

TEST_CASE("a local of another function is no local that moved", "[app][models]") {
  Runs runs;
  const SampleTensor x{.name = "x", .address = kBase, .shape = {4}}, out{.name = "out", .address = kBase + 64, .shape = {4}},
      inner{.name = "x", .address = kBase + 128, .shape = {4}}, outer{.name = "main().x", .address = kBase, .shape = {4}},
      outer_out{.name = "main().out", .address = kBase + 256, .shape = {4}},
      global{.name = "W", .address = kBase + 512, .shape = {4}};
  runs.show(at_stop({{x, 0}, {out, 0}, {global}}, {"main"}), 1);
  // A step into step(): its x is new, main's is the same as before.
  const IndexPtr into = runs.show(at_stop({{inner, 0}, {outer, 1}, {outer_out, 1}, {global}}, {"step", "main"}), 2);
  CHECK(marks_of(into) == std::map<std::string, Mark>{
                              {"x", Mark::fresh}, {"main().x", Mark::none}, {"main().out", Mark::moved}, {"W", Mark::none}});
  CHECK(into->marks.gone.empty());
  // And out of it again.
  SampleTensor still = out;
  still.address = outer_out.address;
  const IndexPtr back = runs.show(at_stop({{x, 0}, {still, 0}, {global}}, {"main"}), 3);
  CHECK(back->marks.fresh + back->marks.changed == 0);
  CHECK(gone_from(back) == std::vector<std::string>{"x"});
  // A global that a new local hides is spelled in another way, and is the same.
  const SampleTensor hidden{.name = "globals()['W']", .address = global.address, .shape = {4}},
      local{.name = "W", .address = kBase + 1024, .shape = {4}};
  const IndexPtr hides = runs.show(at_stop({{x, 0}, {still, 0}, {local, 0}, {hidden}}, {"main"}), 4);
  CHECK(marks_of(hides) == std::map<std::string, Mark>{{"x", Mark::none},
                                                       {"out", Mark::none},
                                                       {"W", Mark::fresh},
                                                       {"globals()['W']", Mark::none}});
  CHECK(hides->marks.gone.empty());
}

TEST_CASE("locals of another thread and globals of another module are not compared", "[app][models]") {
  Runs runs;
  const SampleTensor x{.name = "x", .address = kBase, .shape = {4}}, moved{.name = "x", .address = kBase + 64, .shape = {4}},
      global{.name = "W", .address = kBase + 512, .shape = {4}}, other{.name = "W", .address = kBase + 640, .shape = {4}};
  runs.show(at_stop({{x, 0}, {global}}, {"work"}), 1);
  CHECK_FALSE(runs.show(at_stop({{moved, 0}, {global}}, {"work"}, "Thread-1"), 2)->marks.any());
  const IndexPtr elsewhere = runs.show(at_stop({{x, 0}, {other}}, {"work"}, "Thread-1", "other.py"), 3);
  CHECK(marks_of(elsewhere) == std::map<std::string, Mark>{{"x", Mark::fresh}, {"W", Mark::none}});
  CHECK(gone_from(elsewhere) == std::vector<std::string>{"x"});
}

TEST_CASE("a global that a function has as an argument is neither gone nor new", "[app][models]") {
  Runs runs;
  const SampleTensor global{.name = "buf", .address = kBase, .shape = {4}},
      argument{.name = "img", .address = kBase, .shape = {4}, .more_names = {"buf"}};
  runs.show(at_stop({{global}}, {"<module>"}), 1);
  const IndexPtr inside = runs.show(at_stop({{argument, 0}}, {"scale", "<module>"}), 2);
  CHECK_FALSE(inside->marks.any());
  CHECK_FALSE(runs.show(at_stop({{global}}, {"<module>"}), 3)->marks.any());
  // In a function whose local hides it, the name is the local's alone.
  const SampleTensor hidden{.name = "globals()['buf']", .address = kBase, .shape = {4}},
      local{.name = "img", .address = kBase + 64, .shape = {4}, .more_names = {"buf"}};
  const IndexPtr hides = runs.show(at_stop({{local, 0}, {hidden}}, {"scale", "<module>"}), 4);
  CHECK(marks_of(hides) == std::map<std::string, Mark>{{"img", Mark::fresh}, {"globals()['buf']", Mark::none}});
  CHECK(hides->marks.gone.empty());
}

TEST_CASE("a tensor that another of its names still reaches is neither new nor gone", "[app][models]") {
  Runs runs;
  runs.run({{.name = "x", .address = kBase, .shape = {4}, .more_names = {"d['x']"}}}, 1);
  const IndexPtr now = runs.run({{.name = "d['x']", .address = kBase, .shape = {4}}}, 2);
  CHECK(now->marks.mark_of(0) == Mark::none);
  CHECK(now->marks.gone.empty());
}

TEST_CASE("what lies on a device stays where it is when another device's tensors are found before it", "[app][models]") {
  Runs runs;
  const core::DeviceId first{2, 0}, second{2, 1};
  const SampleTensor b{.name = "b", .address = kBase, .shape = {4}, .device = first};
  const IndexPtr alone = runs.run({b}, 1);
  const IndexPtr both = runs.run({{.name = "a", .address = kBase, .shape = {4}, .device = second}, b}, 2);
  REQUIRE(both->tensor(1).space != alone->tensor(0).space);  // numbered in the order of the scan
  CHECK(both->marks.mark_of(0) == Mark::fresh);
  CHECK(both->marks.mark_of(1) == Mark::none);
  CHECK(both->colour_of(both->tensor(1)) == alone->colour_of(alone->tensor(0)));
  CHECK(both->colour_of(both->tensor(0)) != both->colour_of(both->tensor(1)));
  const IndexPtr changed = runs.run({{.name = "a", .address = kBase, .shape = {4}, .device = second}}, 3);
  CHECK(changed->colour_of(changed->tensor(0)) == both->colour_of(both->tensor(0)));
}

TEST_CASE("marks of random edits agree with looking every name up by hand", "[app][models]") {
  std::mt19937 random(11);
  Runs runs;
  std::vector<SampleTensor> tensors;
  int next_name = 0;
  for (std::uint64_t run = 1; run <= 40; ++run) {
    const std::vector<SampleTensor> before = tensors;
    std::erase_if(tensors, [&](const auto&) { return random() % 6 == 0; });
    for (SampleTensor& t : tensors) {
      if (random() % 5 == 0) t.address += 0x10000;
      if (random() % 7 == 0) t.shape = {static_cast<std::int64_t>(1 + random() % 4), 2};
      if (random() % 9 == 0) t.dtype = t.dtype == "float32" ? "int32" : "float32";
    }
    for (int i = static_cast<int>(random() % 6); i > 0; --i) {
      const std::string name = "t" + std::to_string(next_name++);
      const auto place = static_cast<std::ptrdiff_t>(random() % (tensors.size() + 1));
      tensors.insert(tensors.begin() + place,
                     {.name = name, .address = kBase + static_cast<core::Address>(next_name) * 256, .shape = {2, 2}});
    }
    const IndexPtr index = runs.run(tensors, run);
    if (run == 1) continue;
    std::map<std::string, SampleTensor> old;
    for (const SampleTensor& t : before) old.emplace(t.name, t);
    for (std::uint32_t id = 0; id < index->size(); ++id) {
      const SampleTensor& t = tensors[id];
      const auto found = old.find(t.name);
      const Mark expected = found == old.end()                                                 ? Mark::fresh
                            : found->second.shape != t.shape || found->second.dtype != t.dtype ? Mark::changed
                            : found->second.address != t.address                               ? Mark::moved
                                                                                               : Mark::none;
      CHECK(index->marks.mark_of(id) == expected);
      if (expected != Mark::none) CHECK_FALSE(change_sentence(index->marks, *index->snapshot, id).empty());
    }
    // Every line once; the gone ones exactly those missing now, behind all others, in the order they had.
    const auto lines = line_names(index, {.gone_open = true});
    std::vector<std::string> expected;
    for (const SampleTensor& t : tensors) expected.push_back(t.name);
    for (const SampleTensor& t : before) {
      if (std::ranges::none_of(tensors, [&](const auto& now) { return now.name == t.name; })) expected.push_back("-" + t.name);
    }
    CHECK(lines == expected);
  }
}

TEST_CASE("a hundred thousand tensors are compared with as many before", "[app][models]") {
  GroupColours colours;
  const IndexPtr first = build_index(tests::many_snapshot(100'000), colours);
  const IndexPtr none = build_index(tests::snapshot_of({}, 2), colours, {}, {.run = first->snapshot, .stop = nullptr});
  CHECK(none->marks.gone.size() == 100'000);
  CHECK(order_rows(*none, {})->lines.size() == 100'001);  // with nothing else to list they are open
  CHECK(order_rows(*none, {})->kept == 0);
}

}  // namespace dlscope::app
