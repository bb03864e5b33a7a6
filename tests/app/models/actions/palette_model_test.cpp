// The palette: what answers to a few letters, in which order; tensors, elements and addresses by what was typed.
#include "app/models/actions/palette_model.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

#include "app/models/panels/panel_facts.h"
#include "app/models/text/format.h"
#include "app/models/text/fuzzy.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

IndexPtr index_of(core::SnapshotPtr snapshot) {
  GroupColours colours;
  return build_index(std::move(snapshot), colours);
}

std::string first_place(const IndexPtr& index, const std::string& query, std::uint32_t selected = core::kNone32) {
  const auto found = find_places(index, query, selected);
  REQUIRE(found);
  return found->places.empty() ? std::string() : found->places.front().message;
}

std::size_t place_of(const std::vector<ActionId>& list, ActionId id) {
  return static_cast<std::size_t>(std::ranges::find(list, id) - list.begin());
}

}  // namespace

TEST_CASE("letters in order match, whole words and beginnings match better", "[palette]") {
  CHECK(fuzzy_score("", "anything") == 0);
  CHECK(fuzzy_score("rts", "Run the script").has_value());
  CHECK_FALSE(fuzzy_score("str", "Run").has_value());
  CHECK_FALSE(fuzzy_score("zz", "").has_value());
  CHECK(fuzzy_score("script RUN", "Run the script").has_value());  // words in any order, in any case
  CHECK_FALSE(fuzzy_score("run zebra", "Run the script").has_value());
  CHECK(*fuzzy_score("run", "Run the script") > *fuzzy_score("run", "Reset unused names"));
  CHECK(*fuzzy_score("script", "Run the script") > *fuzzy_score("cript", "Run the script"));
  CHECK(*fuzzy_score("x", "x") > *fuzzy_score("x", "x_train"));
  CHECK(fuzzy_score("\xff\xfe", "\xff\xfe").has_value());  // names are bytes
}

TEST_CASE("scattered letters match as an abbreviation: each begins a word or follows the one before it", "[palette]") {
  CHECK(fuzzy_score("lw", "layer.weight").has_value());
  CHECK(fuzzy_score("l1w", "layer1.weight").has_value());
  CHECK(fuzzy_score("enlaw", "encoder.layers[0].weight").has_value());
  CHECK(fuzzy_score("sm", "StepMatrix").has_value());
  CHECK(fuzzy_score("cop", "cooked copper").has_value());
  CHECK(fuzzy_score("cob", "cost of co bolts").has_value());  // the first "co" leads nowhere
  CHECK_FALSE(fuzzy_score("lyr", "layer.weight").has_value());
  CHECK_FALSE(fuzzy_score("eight", "layers e.i.g.h.x").has_value());
  CHECK_FALSE(fuzzy_score("all", "Export a tensor to a local file").has_value());
  CHECK_FALSE(fuzzy_score("pairs", "Export the tensor as .safetensors").has_value());
}

TEST_CASE("panels and features are found by the words that the window uses for them", "[palette]") {
  for (const PanelFacts* panel : panels()) {
    INFO(panel->title);
    CHECK(palette_actions(panel->title, {}).at(0) == show_panel(panel->context));
    CHECK(palette_actions(std::string("Show ") + panel->title, {}).at(0) == show_panel(panel->context));
  }
  CHECK(palette_actions("Show Watch", {}).at(0) == show_panel(ActionContext::stack));
  CHECK(palette_actions("show console", {}).at(0) == show_panel(ActionContext::output));
  const auto first = [](const char* query) { return palette_actions(query, {}).at(0); };
  CHECK(first("life") == ActionId::life_selected);
  CHECK(first("capsules") == ActionId::exchange_capsules);
  CHECK(first("ledger") == ActionId::exchange_ledger);
  CHECK(first("streams") == ActionId::exchange_streams);
  CHECK(first("proof png") == ActionId::export_proof);
  CHECK(first("hand over") == ActionId::exchange_selected);
  CHECK(first("prove") == ActionId::prove_add);
  CHECK(first("convert") == ActionId::convert_selected);
  CHECK(first("all pairs") == show_panel(ActionContext::sharing));
  CHECK(first("rescan") == ActionId::rescan);
  CHECK(first("watch") == show_panel(ActionContext::stack));
  CHECK(first("console") == show_panel(ActionContext::output));
  CHECK(first("tree") == show_panel(ActionContext::tensors));
  CHECK(first("groups") == show_panel(ActionContext::tensors));
  CHECK(first("histogram") == show_panel(ActionContext::statistics));
  CHECK(first("since when") == show_panel(ActionContext::history));
  CHECK(first("exchange capsules") == ActionId::exchange_capsules);
  CHECK(first("exchange prove") == show_panel(ActionContext::exchange));  // a word of the title, another one of the others
}

TEST_CASE("the palette lists every action, and the recent ones first", "[palette]") {
  RecentActions recent;
  CHECK(palette_actions("", recent).size() == kActionCount);
  recent.used(ActionId::theme_light);
  recent.used(ActionId::quit);
  recent.used(ActionId::theme_light);
  CHECK(recent.all().size() == 2);
  const auto all = palette_actions("  ", recent);
  REQUIRE(all.size() == kActionCount);
  CHECK(all[0] == ActionId::theme_light);
  CHECK(all[1] == ActionId::quit);
  const auto runs = palette_actions("run scr", recent);
  REQUIRE_FALSE(runs.empty());
  CHECK(runs[0] == ActionId::run_script);
  CHECK(palette_actions("qqqqqq", recent).empty());
  for (int i = 0; i < 100; ++i) recent.used(static_cast<ActionId>(i % static_cast<int>(kActionCount)));
  CHECK(recent.all().size() == RecentActions::kMax);
  RecentActions used;
  used.used(ActionId::layout_verify);
  CHECK(place_of(palette_actions("layout", used), ActionId::layout_verify) <
        place_of(palette_actions("layout", {}), ActionId::layout_verify));
}

TEST_CASE("actions are found by other words too, and what loses something comes last", "[palette]") {
  const auto first = [](const char* query) { return palette_actions(query, {}).at(0); };
  const auto finds = [](const char* query, ActionId id) {
    const auto found = palette_actions(query, {});
    return std::ranges::find(found, id) != found.end();
  };
  for (const ActionId id : {ActionId::theme_dark, ActionId::theme_light, ActionId::settings_sheet}) CHECK(finds("theme", id));
  CHECK(finds("font", ActionId::scale_larger));
  CHECK(finds("zoom", ActionId::scale_smaller));
  CHECK(finds("export", ActionId::report_save));
  CHECK(finds("export", ActionId::picture_save));
  for (const char* const query : {"condition", "hit count", "logpoint"}) CHECK(finds(query, ActionId::breakpoint_toggle));
  CHECK(finds("leak", ActionId::life_selected));
  CHECK(first("json") == ActionId::report_save);
  CHECK(finds("kill", ActionId::python_kill));
  CHECK(first("breakpoint") == ActionId::breakpoint_toggle);
  // What loses something comes last, but not after what only has the letters somewhere.
  CHECK(palette_actions("restart python", {}) == std::vector{ActionId::python_restart});
  CHECK(finds("rpy", ActionId::python_restart));
  CHECK(palette_actions("rstrt pthn", {}).empty());  // no abbreviation: letters without vowels would fit half of all titles
  RecentActions recent;
  recent.used(ActionId::python_kill);
  const auto found = palette_actions("p", recent);
  const auto place = [&](ActionId id) { return std::ranges::find(found, id) - found.begin(); };
  CHECK(place(ActionId::python_kill) + 3 >= static_cast<std::ptrdiff_t>(found.size()));
  CHECK(place(ActionId::python_choose) < place(ActionId::python_kill));
}

TEST_CASE("recent files are found by words of their path, newest first, and by the name of their menu", "[palette]") {
  const std::vector<std::string> recent{"/data/vision/train.py", "/data/audio/train.py", "/data/audio/plots.npz"};
  CHECK(palette_files("", recent).empty());
  CHECK(palette_files("   ", recent).empty());
  CHECK(palette_files("train", recent) == std::vector<std::string>{recent[0], recent[1]});
  CHECK(palette_files("TRAIN audio", recent) == std::vector<std::string>{recent[1]});
  CHECK(palette_files("open recent", recent) == recent);
  CHECK(palette_files("recent npz", recent) == std::vector<std::string>{recent[2]});
  CHECK(palette_files("wvt", recent).empty());  // no abbreviations: a path has the letters of most words
  CHECK(palette_files("train", {}).empty());
}

TEST_CASE("a name, an element and an address lead to a place", "[palette]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  CHECK(first_place(index, "x").starts_with("x "));
  CHECK(first_place(index, "x[1, 2]") == "x[1, 2]");
  CHECK(first_place(index, " x[-1,-1] ") == "x[2, 3]");
  CHECK(first_place(index, "[0, 1]", *index->find("x")) == "x[0, 1]");
  CHECK(first_place(index, "[0, 1]").empty());                          // of nothing
  CHECK(first_place(index, "x[9, 9]").find("[") == std::string::npos);  // there is no such element
  const core::TensorRecord& x = index->tensor(*index->find("x"));
  const auto holders = find_places(index, plain_address(x.address + 4), core::kNone32);
  REQUIRE(holders->places.size() >= 2);  // everybody who holds the byte
  CHECK(holders->places.front().message == "x[0, 1]");
  CHECK(first_place(index, "0x1").empty());
  CHECK(first_place(index, "0xzz").empty());
  CHECK(first_place(index, "").empty());
}

TEST_CASE("of many names the best few are found, and it is said that there are more", "[palette]") {
  std::vector<tests::SampleTensor> samples;
  for (int i = 0; i < 3000; ++i) samples.push_back({.name = "layers[" + std::to_string(i) + "].weight", .shape = {2}});
  const IndexPtr index = index_of(tests::snapshot_of(samples));
  const auto found = find_places(index, "layers 2999", core::kNone32);
  REQUIRE_FALSE(found->places.empty());
  CHECK(found->places.front().message.starts_with("layers[2999].weight"));
  const auto all = find_places(index, "weight", core::kNone32);
  CHECK(all->places.size() == kMaxPlaces);
  CHECK(all->more);
  CHECK(all->places.front().message.starts_with("layers[0].weight"));
  std::stop_source stop;
  stop.request_stop();
  CHECK(find_places(index, "weight", core::kNone32, stop.get_token()) == nullptr);
}

}  // namespace dlscope::app
