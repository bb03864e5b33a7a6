// One field of an array of records in the window: real NumPy in a real Python; the field is chosen with the mouse, and its values,
// statistics and heat map are its own.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <string>

#include "tests/app/window/pictures/drawn_picture.h"
#include "tests/app/window/stories/story.h"

namespace dlscope::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kScript = R"(import numpy as np
rows = np.zeros(240, [("x", "f4"), ("pos", [("lat", "f8"), ("lon", ">f8")]), ("rgb", "u1", (3,)), ("when", "M8[D]"), ("tag", "O")])
rows["x"] = np.arange(240) / 8
rows["pos"]["lat"] = np.linspace(-60, 59.5, 240)
rows["pos"]["lon"] = -rows["x"]
rows["pos"]["lon"][77] = np.nan
rows["rgb"] = np.arange(720).reshape(240, 3) % 251
rows["when"] = np.datetime64("2024-02-28") + np.arange(240)
other = np.arange(4.0)
)";

class Fields {
 public:
  explicit Fields(float scale = 1) : story_(options(scale), app::make_host_link({python()}, "", [] {})) {
    REQUIRE(story_.wait_for([&] { return app().host().state() == app::HostState::idle; }));
    if (scale > 1) story_.resize(2560, 1600);
    app().load_text("", kScript);
    story_.frames(2);
    story_.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_F5); });
    INFO(app().output().all_text());
    REQUIRE(story_.wait_for([&] { return app().host().state() == app::HostState::idle && app().index() && app().index()->find("rows"); }));
    app().select("rows");
    story_.frames(4);
  }
  static std::string python() {
    const char* path = std::getenv("DLSCOPE_TEST_PYTHON");
    if (path == nullptr) SKIP("DLSCOPE_TEST_PYTHON is not set: no Python with NumPy to run");
    return path;
  }
  static app::ApplicationOptions options(float scale) {
    app::ApplicationOptions out;
    out.scale = scale;
    return out;
  }
  app::Application& app() { return story_.app(); }
  Story& story() { return story_; }
  app::ValuesPanelState& values() { return app().panels().values; }
  app::HeatmapPanelState& heatmap() { return app().panels().heatmap; }

  void show(const std::string& panel) {
    story_.act([&](ImGuiTestContext* ui) { ui->WindowFocus(("//" + panel).c_str()); });
    story_.frames(4);
  }
  // In that panel's list; the entries are numbered as the fields are, 65535: all of them.
  void choose(const std::string& panel, const std::string& label, int number) {
    show(panel);
    story_.act([&](ImGuiTestContext* ui) {
      ui->ItemClick(("//" + panel + "/field").c_str());
      ui->ItemClick(("//$FOCUSED/$$" + std::to_string(number) + "/" + label).c_str());
    });
    story_.frames(4);
  }
  std::string cell(std::size_t i) {
    REQUIRE(i < values().cells.size());
    return values().cells[i].text;
  }
  // The text of the panel once it has that line.
  bool says(const std::string& text) {
    return story_.wait_for([&] {
      std::string all = story_.text_of_frame();
      std::ranges::replace(all, '\n', ' ');  // a paragraph may go on in another line
      return all.find(text) != std::string::npos;
    });
  }

 private:
  Story story_;
};

}  // namespace

TEST_CASE("a field that is chosen has its values, its statistics and its heat map", "[window][values][statistics][heatmap]") {
  for (const float scale : {1.0F, 2.0F}) {
    Fields window(scale);
    window.show("Values");
    CHECK_THAT(window.cell(0), ContainsSubstring("2024-02-28"));  // of the whole record
    window.choose("Values", "pos.lat", 1);
    CHECK(window.values().name == "rows['pos']['lat']");
    CHECK(window.cell(0) == "-60.0");
    CHECK(window.cell(1) == "-59.5");
    save_drawn_picture(scale > 1 ? "field_values_200" : "field_values_100");
    window.show("Statistics");
    CHECK(window.says("All 240 values."));
    const std::string text = window.story().text_of_frame();
    CHECK_THAT(text, ContainsSubstring("rows['pos']['lat']"));
    CHECK_THAT(text, ContainsSubstring("-60.0"));
    CHECK_THAT(text, ContainsSubstring("59.5"));
    CHECK_THAT(text, ContainsSubstring("-0.25"));  // the mean
    save_drawn_picture(scale > 1 ? "field_statistics_200" : "field_statistics_100");
    window.show("Heat map");
    REQUIRE(window.story().wait_for([&] { return window.heatmap().said.starts_with("computed on all 240 values"); }));
    CHECK((window.heatmap().range.low == -60 && window.heatmap().range.high == 59.5));
    CHECK(window.says("NaN 0"));  // "NaN 0, Inf 0" where there is no room for all counts
    window.choose("Heat map", "pos.lon", 2);  // of the same axes
    REQUIRE(window.story().wait_for([&] { return window.heatmap().range.low == -29.875; }));
    window.choose("Heat map", "rgb", 3);
    REQUIRE(window.story().wait_for([&] { return window.heatmap().said.starts_with("computed on all 720 values"); }));
    // 240 rows may share the texels of a low panel, which are coloured by their means.
    INFO(window.heatmap().range.low << " to " << window.heatmap().range.high);
    CHECK((window.heatmap().range.low >= 0 && window.heatmap().range.low < 10));
    CHECK((window.heatmap().range.high > 240 && window.heatmap().range.high <= 250));
    CHECK(window.says("zero 3"));
    save_drawn_picture(scale > 1 ? "field_heatmap_200" : "field_heatmap_100");
  }
}

TEST_CASE("the choice of a field belongs to its tensor and holds for later runs", "[window][values]") {
  Fields window;
  window.choose("Values", "pos.lon", 2);
  CHECK(window.cell(8) == "-1.0");  // the other byte order
  window.app().select("other");
  window.story().frames(4);
  CHECK(window.values().name == "other");
  CHECK(window.cell(3) == "3.0");
  window.app().select("rows");
  window.story().frames(4);
  CHECK(window.values().name == "rows['pos']['lon']");
  const app::IndexPtr before = window.app().index();
  window.story().act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_F5); });
  REQUIRE(window.story().wait_for([&] { return window.app().host().state() == app::HostState::idle && window.app().index() != before; }));
  window.story().frames(4);
  CHECK(window.values().name == "rows['pos']['lon']");
  window.choose("Values", "all fields", 65535);
  CHECK(window.values().name == "rows");
  CHECK_THAT(window.cell(0), ContainsSubstring("2024-02-28"));
}

TEST_CASE("dates and objects of a field are shown, and have no statistics in words", "[window][values][statistics]") {
  Fields window;
  window.choose("Values", "when", 4);
  CHECK(window.cell(0) == "2024-02-28");
  CHECK(window.cell(2) == "2024-03-01");
  window.show("Statistics");
  CHECK(window.says("datetime64[D] is not a type of numbers."));
  window.choose("Values", "tag", 5);
  CHECK_THAT(window.cell(0), ContainsSubstring("object at 0x"));
  window.choose("Values", "all fields", 65535);
  window.show("Statistics");
  CHECK(window.says("One of its fields may be: choose it above."));
}

TEST_CASE("a value of a field is pinned as its own bytes of the record, also within a sub-array", "[window][values]") {
  Fields window;
  window.choose("Values", "rgb", 3);
  const app::ValuesPanelState& values = window.values();
  window.story().act([&](ImGuiTestContext* ui) {
    ui->MouseMoveToPos({values.cells_from.x + values.cell_size.x * 1.5F, values.cells_from.y + values.cell_size.y * 2.5F});
    ui->MouseClick();
    ui->MouseMove("//Values/field");
  });
  window.story().frames(3);
  const app::SnapshotIndex& index = *window.app().index();
  const std::uint32_t rows = *index.find("rows");
  const core::TensorRecord& record = index.tensor(rows);
  const app::Focus pinned = window.app().pinned();
  CHECK(pinned.tensor == rows);
  CHECK(pinned.element == 2);
  const core::Address at = record.address + 2 * (record.item_bits / 8) + 4 + 16 + 1;
  CHECK((pinned.bytes == core::ByteRange{at, at + 1}));
  // A search of the field goes to the record that has it.
  window.choose("Values", "pos.lon", 2);
  window.app().commands().push(app::command::SearchValues{core::SearchedValue::nan, ""});
  CHECK(window.says("rows['pos']['lon']: 1 of 240 values is NaN; it is rows['pos']['lon'][77]."));
  // Also within a sub-array: the first 250 is the value 250, of record 83.
  window.choose("Values", "rgb", 3);
  window.app().commands().push(app::command::SearchValues{core::SearchedValue::equal, "250"});
  REQUIRE(window.says("the first is rows['rgb'][83, 1]."));
  window.app().commands().push(std::get<app::command::GoToFound>(*window.app().notices().all().back().command));
  window.story().frames(3);
  const core::Address found = record.address + 83 * (record.item_bits / 8) + 4 + 16 + 1;
  CHECK((window.app().pinned().bytes == core::ByteRange{found, found + 1}));
}

}  // namespace dlscope::tests
