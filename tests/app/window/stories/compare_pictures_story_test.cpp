// The compare view's pictures in the window: A, B and their difference, moved together or each alone, flipped, swiped, and searched.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tests/app/window/stories/story_windows.h"

namespace dlscope::tests {
namespace {

using app::ComparePicture;

constexpr const char* kPanel = "//Compare";

// Two tensors of this process side by side as pictures.
class PictureWindow {
 public:
  PictureWindow(const void* a, const char* dtype_a, const core::Layout& layout_a, const void* b, const char* dtype_b,
                const core::Layout& layout_b) {
    story.app().read_memory_with(core::process_reader(0).value());
    story.frames(3);
    story.show(local_tensors(
        {{"a", a, *core::dtype_from_name(dtype_a), layout_a}, {"b", b, *core::dtype_from_name(dtype_b), layout_b}}));
    story.app().commands().push(app::command::SelectTensor{*story.app().index()->find("a")});
    story.app().commands().push(app::command::CompareTensor{*story.app().index()->find("b")});
    panel().as_pictures = true;
    story.frames(2);
    bring_up(story, kPanel);
    REQUIRE(settle());
  }
  app::ComparePanelState& panel() { return story.app().panels().compare; }
  app::ComparisonPane& pane(ComparePicture which) { return panel().pictures.panes[static_cast<std::size_t>(which)]; }
  // All three pictures are exact.
  bool settle() {
    return story.wait_for([&] {
      return std::ranges::all_of(panel().pictures.panes, [&](const app::ComparisonPane& one) {
        return (one.said.starts_with("computed on") && one.known.is_exact()) ||
               panel().pictures.arrangement == app::PictureArrangement::swipe;
      });
    });
  }
  // The middle of a cell on the screen.
  ImVec2 place(ComparePicture which, std::int64_t row, std::int64_t column) {
    const app::ComparisonPane& one = pane(which);
    const auto middle = [](const app::AxisView& view, std::int64_t cell) {
      return static_cast<float>((view.x_of(cell) + view.x_of(cell + 1)) / 2);
    };
    return {one.cells_from.x + middle(one.camera.columns, column), one.cells_from.y + middle(one.camera.rows, row)};
  }
  ImU32 pixel(ComparePicture which, std::int64_t row, std::int64_t column) {
    const ImVec2 at = place(which, row, column), from = pane(which).cells_from;
    return pane(which).texture.pixel(static_cast<int>(at.x - from.x), static_cast<int>(at.y - from.y));
  }
  void wheel(ComparePicture which, std::int64_t row, std::int64_t column, float by) {
    const ImVec2 at = place(which, row, column);
    story.act([&](ImGuiTestContext* ui) {
      ui->MouseMoveToPos(at);
      ui->MouseWheelY(by);
      ui->Yield(2);
    });
  }
  void click(const char* item) {
    story.act([&](ImGuiTestContext* ui) { ui->ItemClick((std::string(kPanel) + "/**/" + item).c_str()); });
    story.frames(2);
  }
  void press(ImGuiKeyChord chord) {
    story.act([&](ImGuiTestContext* ui) {
      ui->WindowFocus(kPanel);
      ui->KeyPress(chord);
    });
  }
  [[nodiscard]] std::optional<std::uint64_t> pinned() { return story.app().pinned().element; }

  Story story{{}, false};
};

struct Numbers {
  std::vector<float> a, b;
  Numbers() : a(60 * 80), b(60 * 80) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = b[i] = static_cast<float>(i % 7);
    b[7 * 80 + 11] = 100;                                       // a - b: -96 or less
    b[50 * 80 + 70] += 0.5F;                                    // -0.5
    a[30 * 80 + 40] = std::numeric_limits<float>::quiet_NaN();  // in one
  }
};

}  // namespace

TEST_CASE("A, B and their difference are pictures with one camera, slice and range, each of which can be let go",
          "[window][compare]") {
  const Numbers n;
  const core::Layout layout = core::Layout::c_order({60, 80}, 32);
  PictureWindow w(n.a.data(), "float32", layout, n.b.data(), "float32", layout);
  CHECK(w.pane(ComparePicture::difference).said == "computed on all 4 800 values");
  const double least = static_cast<double>(n.a[7 * 80 + 11]) - 100;
  CHECK((w.pane(ComparePicture::difference).range.low == least && w.pane(ComparePicture::difference).range.high == -least));
  CHECK((w.pane(ComparePicture::a).range.high == 100 && w.pane(ComparePicture::b).range.high == 100));  // of both
  CHECK((w.pane(ComparePicture::difference).drawn.flags & core::kTexelNan) != 0);
  const ImU32 equal = w.pixel(ComparePicture::difference, 20, 20);
  CHECK(w.pixel(ComparePicture::difference, 50, 70) != equal);
  CHECK(w.pixel(ComparePicture::difference, 7, 11) != equal);
  CHECK(w.pixel(ComparePicture::difference, 30, 40) != equal);
  CHECK(w.pixel(ComparePicture::difference, 50, 60) == equal);

  const auto px = [&](ComparePicture which) { return w.pane(which).camera.columns.px_per_unit(); };
  w.wheel(ComparePicture::b, 30, 40, 4);
  CHECK(px(ComparePicture::b) == px(ComparePicture::a));
  CHECK(px(ComparePicture::b) == px(ComparePicture::difference));
  w.click("camera");
  const double before = px(ComparePicture::difference);
  w.wheel(ComparePicture::a, 30, 40, 3);
  CHECK((px(ComparePicture::a) > before && px(ComparePicture::difference) == before));
  w.click("camera");  // together again, where A is
  CHECK(px(ComparePicture::difference) == px(ComparePicture::a));
  w.press(ImGuiKey_F);
  REQUIRE(w.settle());
  CHECK(px(ComparePicture::difference) < before);
  w.click("range");
  CHECK((w.pane(ComparePicture::a).range.high == 6 && w.pane(ComparePicture::b).range.high == 100));
}

TEST_CASE("0, + and - zoom the pictures of a comparison as they zoom the heat map: at the mouse, else at what is pinned",
          "[window][compare]") {
  const Numbers n;
  const core::Layout layout = core::Layout::c_order({60, 80}, 32);
  PictureWindow w(n.a.data(), "float32", layout, n.b.data(), "float32", layout);
  const auto px = [&](ComparePicture which) { return w.pane(which).camera.columns.px_per_unit(); };
  const auto far = [](ImVec2 a, ImVec2 b) { return std::max(std::abs(a.x - b.x), std::abs(a.y - b.y)); };
  constexpr ComparePicture kAll[] = {ComparePicture::a, ComparePicture::b, ComparePicture::difference};

  // The mouse on no picture: at what is pinned, in all three.
  w.story.app().commands().push(app::command::Pin{app::focus_on(*w.story.app().index(), w.story.app().selected(), 40 * 80 + 20)});
  w.story.act([](ImGuiTestContext* ui) { ui->MouseMoveToPos({2, 2}); });
  const double fitted = px(ComparePicture::a);
  ImVec2 before = w.place(ComparePicture::difference, 40, 20);
  for (int i = 0; i < 5; ++i) w.press(ImGuiKey_Equal);
  w.story.frames(2);
  for (const ComparePicture which : kAll) CHECK(std::abs(px(which) - fitted * std::pow(1.25, 5)) < 1e-6);
  CHECK(far(before, w.place(ComparePicture::difference, 40, 20)) < 2);

  // On B: what is under the mouse stays there, and the others follow.
  before = w.place(ComparePicture::b, 38, 22);
  w.story.act([&](ImGuiTestContext* ui) { ui->MouseMoveToPos(before); });
  w.press(ImGuiKey_Minus);
  w.story.frames(2);
  for (const ComparePicture which : kAll) CHECK(std::abs(px(which) - fitted * std::pow(1.25, 4)) < 1e-6);
  CHECK(far(before, w.place(ComparePicture::b, 38, 22)) < 2);
  const auto cell_at = [&](ComparePicture which, ImVec2 at) {  // the mouse is on whole pixels
    const auto& camera = w.pane(which).camera;
    const ImVec2 from = w.pane(which).cells_from;
    return std::pair(camera.rows.unit_at(static_cast<double>(std::floor(at.y) - from.y)),
                     camera.columns.unit_at(static_cast<double>(std::floor(at.x) - from.x)));
  };
  auto cell = cell_at(ComparePicture::b, before);
  w.press(ImGuiKey_0);
  w.story.frames(2);
  const double natural = px(ComparePicture::b);
  CHECK((natural > fitted * 4 && px(ComparePicture::a) == natural && px(ComparePicture::difference) == natural));
  CHECK(cell_at(ComparePicture::b, before) == cell);

  // Each by itself: only the one under the mouse; a double click is the key 0.
  w.press(ImGuiKey_F);
  w.click("camera");
  before = w.place(ComparePicture::a, 30, 40);
  cell = cell_at(ComparePicture::a, before);
  w.story.act([&](ImGuiTestContext* ui) {
    ui->MouseMoveToPos(before);
    ui->MouseDoubleClick();
  });
  w.story.frames(2);
  CHECK((std::abs(px(ComparePicture::a) - natural) < 1e-6 && px(ComparePicture::b) < natural / 2));
  CHECK(cell_at(ComparePicture::a, before) == cell);
}

TEST_CASE("keys go from one difference to the next in every view, and round; the mouse pins in any picture",
          "[window][compare]") {
  const Numbers n;
  const core::Layout layout = core::Layout::c_order({60, 80}, 32);
  PictureWindow w(n.a.data(), "float32", layout, n.b.data(), "float32", layout);
  const std::uint64_t places[] = {7 * 80 + 11, 30 * 80 + 40, 50 * 80 + 70};
  for (const std::uint64_t place : places) {
    w.press(ImGuiKey_N);
    REQUIRE(w.story.wait_for([&] { return w.pinned() == place; }));
    CHECK(w.story.app().pinned().tensor == w.story.app().selected());
  }
  w.press(ImGuiKey_N);
  REQUIRE(w.story.wait_for([&] { return w.pinned() == places[0]; }));
  CHECK(w.panel().search_message == "went on from the beginning");
  w.press(ImGuiMod_Shift | ImGuiKey_N);
  REQUIRE(w.story.wait_for([&] { return w.pinned() == places[2]; }));
  CHECK(w.panel().search_message == "went on from the end");
  // Looking around is no work to look back at.
  CHECK(std::ranges::none_of(w.story.app().tasks().all(),
                             [](const auto& task) { return task.title.find("ifference") != std::string::npos; }));
  // What was pinned is in view also where the pictures show another part.
  for (int i = 0; i < 3; ++i) w.wheel(ComparePicture::a, 3, 3, 5);
  w.press(ImGuiKey_N);
  REQUIRE(w.story.wait_for([&] { return w.pinned() == places[0]; }));
  w.story.frames(3);
  const app::HeatmapCamera& camera = w.pane(ComparePicture::difference).camera;
  CHECK((camera.rows.unit_at(0) <= 7 && camera.rows.unit_at(camera.row_limits.room) >= 7));
  CHECK((camera.columns.unit_at(0) <= 11 && camera.columns.unit_at(camera.column_limits.room) >= 11));
  w.press(ImGuiKey_F);
  const ImVec2 at = w.place(ComparePicture::difference, 40, 20);
  w.story.act([&](ImGuiTestContext* ui) {
    ui->MouseMoveToPos(at);
    ui->MouseClick();
  });
  w.story.frames(2);
  CHECK(w.pinned() == 40 * 80 + 20u);
}

TEST_CASE("held, B stands in the place of A; a divider swipes from one to the other", "[window][compare]") {
  const Numbers n;
  const core::Layout layout = core::Layout::c_order({60, 80}, 32);
  PictureWindow w(n.a.data(), "float32", layout, n.b.data(), "float32", layout);
  const ImU32 of_a = w.pixel(ComparePicture::a, 7, 11), of_b = w.pixel(ComparePicture::b, 7, 11);
  CHECK(of_a != of_b);
  w.story.act([&](ImGuiTestContext* ui) {
    ui->WindowFocus(kPanel);
    ui->KeyDown(ImGuiKey_B);
    ui->Yield(2);
    CHECK(w.panel().pictures.flipped);
    ui->KeyUp(ImGuiKey_B);
    ui->Yield(2);
  });
  CHECK_FALSE(w.panel().pictures.flipped);
  w.story.act([&](ImGuiTestContext* ui) {
    ui->MouseMove("//Compare/**/Hold: B");
    ui->MouseDown(0);
    ui->Yield(2);
    CHECK(w.panel().pictures.flipped);
    ui->MouseUp(0);
    ui->Yield(2);
  });
  CHECK_FALSE(w.panel().pictures.flipped);
  w.panel().pictures.arrangement = app::PictureArrangement::swipe;
  w.story.frames(3);
  const app::ComparisonPane& a = w.pane(ComparePicture::a);
  const float quarter = a.cells_from.x + (a.cells_to.x - a.cells_from.x) / 4, middle = (a.cells_from.y + a.cells_to.y) / 2;
  w.story.act([&](ImGuiTestContext* ui) {
    ui->MouseMove("//Compare/**/divider");
    ui->MouseDown(0);
    ui->MouseMoveToPos({quarter, middle});
    ui->MouseUp(0);
    ui->Yield(2);
  });
  CHECK(std::abs(w.panel().pictures.divider - 0.25F) < 0.02F);
  CHECK(w.pane(ComparePicture::a).camera.columns.px_per_unit() == w.pane(ComparePicture::b).camera.columns.px_per_unit());
  CHECK_FALSE(w.pinned());  // dragging it pins nothing
}

TEST_CASE("other dtypes and strides, a slice of each, no axis, no element, other shapes", "[window][compare]") {
  std::vector<std::int64_t> a(3 * 4 * 5);
  std::vector<double> b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::int64_t>(i);
  core::Layout turned = core::Layout::c_order({3, 4, 5}, 64);
  turned.stride_bits = {64 * 20, 64, 64 * 4};
  for (std::size_t i = 0; i < a.size(); ++i) b[i / 20 * 20 + i % 20 / 5 + i % 5 * 4] = static_cast<double>(i);
  b[2 * 20 + 1 + 3 * 4] -= 8;  // [2, 1, 3]
  PictureWindow w(a.data(), "int64", core::Layout::c_order({3, 4, 5}, 64), b.data(), "float64", turned);
  CHECK((w.pane(ComparePicture::difference).range.low == 0 && w.pane(ComparePicture::difference).range.high == 0));
  w.press(ImGuiKey_N);  // its slice comes into view
  REQUIRE(w.story.wait_for([&] { return w.pinned() == 2 * 20 + 5 + 3u; }));
  REQUIRE(w.settle());
  w.story.frames(3);
  CHECK(w.pane(ComparePicture::difference).mapping.fixed[0] == 2);
  REQUIRE(w.story.wait_for([&] { return w.pane(ComparePicture::difference).range.high == 8; }));
  w.click("slice");
  w.pane(ComparePicture::a).mapping.fixed[0] = 0;
  w.story.frames(3);
  CHECK(w.pane(ComparePicture::b).mapping.fixed[0] == 2);
  REQUIRE(w.settle());

  const auto show = [&](std::vector<std::int64_t> shape_a, std::vector<std::int64_t> shape_b) {
    w.story.show(
        local_tensors({{"a", a.data(), *core::dtype_from_name("int64"), core::Layout::c_order(std::move(shape_a), 64)},
                       {"b", b.data(), *core::dtype_from_name("float64"), core::Layout::c_order(std::move(shape_b), 64)}}));
    w.story.frames(4);
  };
  show({}, {});
  REQUIRE(w.story.wait_for([&] { return w.pane(ComparePicture::difference).said == "computed on its one value"; }));
  show({0, 4}, {0, 4});
  show({3, 4}, {4});
  CHECK(app::why_no_pictures(w.story.app().compared_sides()) ==
        "There are no pictures of them: they do not have the same shape.");
  show({60}, {60});
  REQUIRE(w.story.wait_for([&] { return w.pane(ComparePicture::difference).said == "computed on all 60 values"; }));
}

TEST_CASE("with a host the pictures are its tasks; while code runs they say of when they are, and of a dead one they are gone",
          "[window][compare]") {
  HostWindow window;
  Story& story = window.story;
  const auto& index = *story.app().index();
  std::uint32_t other = core::kNone32;
  const std::uint32_t x = *index.find("x");
  for (std::uint32_t id = 0; id < index.size(); ++id) {
    const bool same_shape = index.tensor(id).has_layout &&
                            std::ranges::equal(index.snapshot->shape(index.tensor(id)), index.snapshot->shape(index.tensor(x)));
    if (id != x && same_shape && index.tensor(id).dtype.lanes == 1) other = id;
  }
  REQUIRE(other != core::kNone32);
  const std::string other_name(index.snapshot->name(index.tensor(other)));
  story.app().read_memory_with(core::process_reader(0).value());
  story.app().commands().push(app::command::CompareTensor{other});
  story.app().panels().compare.as_pictures = true;
  story.frames(2);
  bring_up(story, kPanel);
  REQUIRE(window.asked<core::wire::SubtractTensors>() == 1);
  const auto work = std::ranges::find_if(
      story.host().work, [](const auto& one) { return std::holds_alternative<core::wire::SubtractTensors>(one); });
  const auto asked = std::get<core::wire::SubtractTensors>(*work);
  const auto id = static_cast<std::uint64_t>(work - story.host().work.begin()) + 1;
  CHECK((asked.a.tensor == x && asked.b.tensor == other && asked.kind == core::DifferenceKind::difference));
  core::Texels texels;
  texels.resize(
      {0, 0, static_cast<std::uint32_t>(asked.window.texel_rows()), static_cast<std::uint32_t>(asked.window.texel_columns())});
  std::ranges::fill(texels.flags, core::kTexelFinite);
  texels.method = core::TexelMethod::exact;
  window.say(app::HostPart{id, texels});
  window.say(app::HostWorkEnded{id, core::wire::WorkOutcome::done, {}, {}});
  app::ComparisonPane& difference = story.app().panels().compare.pictures.panes[2];
  CHECK(difference.said.starts_with("computed on all "));
  CHECK(window.asked<core::wire::SubtractTensors>() == 1);
  window.start();
  CHECK(difference.said == "read as of run 1; run 2 is running");
  CHECK(window.asked<core::wire::SubtractTensors>() == 1);  // nothing by itself while code runs
  window.run();
  bring_up(story, kPanel);
  CHECK(window.asked<core::wire::SubtractTensors>() == 2);  // anew, of what is there now
  CHECK_FALSE(difference.known.is_covered());               // and nothing of the run before
  window.say(app::HostEnded{});
  story.frames(3);
  CHECK(window.asked<core::wire::SubtractTensors>() == 2);
  CHECK_FALSE(story.app().compared_sides().may_be_read());
}

TEST_CASE("what a search for differences found is not said of another pair, nor a verdict of another tolerance",
          "[window][compare]") {
  const std::vector<float> a(64, 1), same(64, 1), other(64, 2);
  const core::Layout layout = core::Layout::c_order({8, 8}, 32);
  const core::DType dtype = *core::dtype_from_name("float32");
  Story story{{}, false};
  story.app().read_memory_with(core::process_reader(0).value());
  story.frames(3);
  story.show(local_tensors({{"a", a.data(), dtype, layout}, {"same", same.data(), dtype, layout}, {"other", other.data(), dtype, layout}}));
  const auto compare_with = [&](const char* name) {
    story.app().commands().push(app::command::CompareTensor{*story.app().index()->find(name)});
    story.frames(3);
    story.app().finish_background_work();
    story.frames(3);
  };
  const auto shows = [&](const char* words) { return story.text_of_frame().find(words) != std::string::npos; };
  story.app().select("a");
  compare_with("same");
  bring_up(story, kPanel);
  story.app().commands().push(app::command::Ask{app::ActionId::compare_next});
  REQUIRE(story.wait_for([&] { return story.app().panels().compare.search_message == "no value differs"; }));
  CHECK(shows("no value differs"));
  compare_with("other");
  REQUIRE(story.wait_for([&] { return shows("64 of 64"); }));
  CHECK_FALSE(shows("no value differs"));

  CHECK_FALSE(shows("The tolerance was changed since"));
  story.app().panels().compare.tolerance.absolute = 1;
  story.frames(2);
  CHECK(shows("The tolerance was changed since"));
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Compare/**/Compare"); });
  story.app().finish_background_work();
  story.frames(3);
  CHECK_FALSE(shows("The tolerance was changed since"));
}

}  // namespace dlscope::tests
