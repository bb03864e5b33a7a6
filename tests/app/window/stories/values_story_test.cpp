// The values view and the one focus, driven by mouse and keyboard over memory that a story can write to.
#include <catch2/catch_test_macros.hpp>

#include <imgui_internal.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>

#include "app/models/text/element_description.h"
#include "app/widgets/marks.h"
#include "tests/app/window/stories/story.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

constexpr std::uint64_t kNothing = core::kUnknown64;
constexpr core::Address kX = 0x55812e404a80;  // where the tour's x lies

// Zeros everywhere, but for what was written.
class PaperMemory final : public core::MemoryReader {
 public:
  template <class T>
  void write(core::Address at, T value) {
    std::byte bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes_[at + i] = bytes[i];
  }
  std::size_t read(core::Address from, std::span<std::byte> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto found = bytes_.find(from + i);
      out[i] = found == bytes_.end() ? std::byte{0} : found->second;
    }
    return out.size();
  }

 private:
  std::map<core::Address, std::byte> bytes_;
};

// The tour on the screen, x = 0 ... 11.
struct ValuesStory {
  Story story{{}, false};
  std::string clipboard;  // after the last key or menu entry; the engine's own, gone when an act ends
  std::shared_ptr<PaperMemory> memory = std::make_shared<PaperMemory>();

  explicit ValuesStory(const core::SnapshotPtr& snapshot = tour_snapshot()) {
    for (unsigned i = 0; i < 12; ++i) memory->write(kX + i * 4, static_cast<float>(i));
    story.app().read_memory_with(memory);
    story.frames(3);
    story.show(snapshot);
    story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Values"); });
  }
  app::ValuesPanelState& values() { return story.app().panels().values; }
  [[nodiscard]] ImVec2 cell(unsigned row, unsigned column) {
    const ImVec2 from = values().cells_from, size = values().cell_size;
    return {from.x + (static_cast<float>(column) + 0.5F) * size.x, from.y + (static_cast<float>(row) + 0.5F) * size.y};
  }
  void click(unsigned row, unsigned column, ImGuiMouseButton button = ImGuiMouseButton_Left) {
    const ImVec2 at = cell(row, column);
    story.act([at, button](ImGuiTestContext* ui) {
      ui->MouseMoveToPos(at);
      ui->MouseClick(button);
      ui->Yield(2);
    });
  }
  // The engine takes the keyboard away between two acts: the panel gets it back first.
  void press(ImGuiKeyChord chord, const char* panel = "//Values") {
    story.act([&, chord, panel](ImGuiTestContext* ui) {
      ui->WindowFocus(panel);
      ui->KeyPress(chord);
      settle(ui);
    });
  }
  void settle(ImGuiTestContext* ui) {
    ui->Yield(2);
    story.app().finish_background_work();
    ui->Yield(3);
    const char* text = ImGui::GetClipboardText();
    clipboard = text != nullptr ? text : "";
  }
  void choose(unsigned row, unsigned column, const std::string& item) {
    const ImVec2 at = cell(row, column);
    story.act([&, at, item](ImGuiTestContext* ui) {
      ui->MouseMoveToPos(at);
      ui->MouseClick(ImGuiMouseButton_Right);
      ui->Yield(2);
      ui->ItemClick(("//$FOCUSED/" + item).c_str());
      settle(ui);
    });
  }
  // What stays when the mouse is on nothing.
  std::uint64_t pinned() {
    story.act([](ImGuiTestContext* ui) {
      ui->MouseMoveToPos({2, 2});
      ui->Yield(2);
    });
    return story.app().focus().element.value_or(kNothing);
  }
};

core::SnapshotPtr ranks_snapshot() {
  return snapshot_of({{.name = "cube", .dtype = "int32", .shape = {2, 3, 4, 5, 60, 70}},
                      {.name = "line", .shape = {5'000}},
                      {.name = "square", .shape = {300, 300}},
                      {.name = "packed", .dtype = "float4_e2m1fn", .shape = {200, 90}}});
}

// What the panel has for cells when nothing else is drawn in it.
float height_inside(const char* panel) { return ImGui::FindWindowByName(panel)->ContentRegionRect.GetHeight(); }

}  // namespace

TEST_CASE("four rows of values are seen in every layout, at every scale and size", "[window][values]") {
  ValuesStory window(ranks_snapshot());
  for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1920, 1080}}) {
    for (const float scale : {1.0F, 2.0F, 3.0F}) {
      for (const auto layout : {app::LayoutPreset::debug, app::LayoutPreset::teach, app::LayoutPreset::verify}) {
        window.story.resize(size.x, size.y);
        window.story.app().commands().push(app::command::SetScale{scale});
        window.story.app().commands().push(app::command::SetLayout{layout});
        window.story.frames(6);
        window.story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Values"); });
        for (const char* name : {"cube", "line", "square", "packed"}) {
          window.story.app().select(name);
          window.story.frames(3);
          INFO(name << " in " << app::layout_name(layout) << " at " << scale << ", " << size.x << " x " << size.y);
          CHECK(window.values().rows_seen >= (std::string(name) == "line" ? 1 : 4));
        }
      }
    }
  }
}

TEST_CASE("the head of the values folds before the numbers do", "[window][values]") {
  ValuesStory window(ranks_snapshot());
  window.story.app().select("cube");
  window.story.app().commands().push(app::command::SetScale{2});
  auto folded = app::HeadForm::full;
  for (float height = 1400; height >= 280; height -= 16) {
    window.story.resize(700, height);
    window.story.frames(8);
    window.story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Values"); });
    INFO(height);
    CHECK(window.values().head >= folded);
    folded = window.values().head;
    const float needed = window.values().cell_size.y * 5 + ImGui::GetStyle().ScrollbarSize + 2;
    CHECK((window.values().rows_seen >= 4 || height_inside("Values") < needed));
  }
  CHECK(folded == app::HeadForm::none);
}

TEST_CASE("what a folded head leaves out is in its popup", "[window][values]") {
  ValuesStory window(ranks_snapshot());
  window.story.app().select("cube");
  window.story.app().commands().push(app::command::SetScale{3});
  window.story.resize(1280, 720);
  window.story.frames(8);
  window.story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Values"); });
  REQUIRE(window.values().head == app::HeadForm::line);
  window.story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Values/Show as …");
    ui->Yield(2);
    ui->ItemClick("//$FOCUSED/swap");
    ui->Yield(2);
  });
  CHECK(window.values().mapping.row == 5);
  CHECK(window.values().mapping.column == 4);
}

TEST_CASE("an entry of shape or strides lights its axis in the values", "[window][values]") {
  ValuesStory window;
  window.click(1, 2);
  window.story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Inspector"); });
  // Every place in the inspector, until both axes were met: where the entries stand is the panel's business.
  bool met[2] = {};
  const ImGuiWindow* inspector = ImGui::FindWindowByName("Inspector");
  window.story.act([&](ImGuiTestContext* ui) {
    const ImRect room = inspector->InnerRect;
    for (float y = room.Min.y + 4; y < room.Max.y; y += 8) {
      for (float x = room.Min.x + 100; x < room.Min.x + 180; x += 8) {
        ui->MouseMoveToPos({x, y});
        ui->Yield(1);
        const app::Focus& focus = window.story.app().focus();
        if (focus.axis < 0) continue;
        ui->Yield(1);
        IM_CHECK_LT(focus.axis, 2);
        met[focus.axis] = true;
        IM_CHECK_EQ(window.values().axis_cells, focus.axis == 0 ? 3U : 4U);
      }
    }
  });
  CHECK(met[0]);
  CHECK(met[1]);
}

TEST_CASE("a vector fills the panel, or is a row, or a column", "[window][values]") {
  ValuesStory s(snapshot_of({{.name = "v", .address = kX, .shape = {103}}}));
  for (unsigned i = 0; i < 103; ++i) s.memory->write(kX + i * 4, static_cast<float>(i));
  s.story.frames(3);
  const std::uint64_t wrap = s.values().mapping.wrap;
  REQUIRE(wrap >= 5);
  CHECK(s.values().window.columns == wrap);
  CHECK(s.values().window.rows > 1);
  for (std::size_t i = 0; i < 103 && i < s.values().cells.size(); ++i)
    CHECK(s.values().cells[i].text == std::to_string(i) + ".0");

  s.click(1, 2);
  CHECK(s.story.app().pinned().element == wrap + 2);
  s.press(ImGuiKey_DownArrow);
  CHECK(s.story.app().pinned().element == 2 * wrap + 2);
  s.press(ImGuiMod_Ctrl | ImGuiKey_End);  // the last one
  CHECK(s.story.app().pinned().element == 102);
  s.press(ImGuiKey_RightArrow);
  CHECK(s.story.app().pinned().element == 102);
  // From one element to another, not a rectangle.
  s.click(0, 3);
  s.press(ImGuiMod_Shift | ImGuiKey_DownArrow);
  s.press(ImGuiMod_Ctrl | ImGuiKey_C);
  CHECK(s.clipboard.starts_with("[3.0, 4.0, 5.0"));
  CHECK(std::ranges::count(s.clipboard, ',') == static_cast<std::ptrdiff_t>(wrap));
  CHECK(std::ranges::count(s.clipboard, '[') == 1);

  for (const auto form : {app::VectorForm::row, app::VectorForm::column}) {
    s.values().vector_form = form;
    s.story.frames(3);
    CHECK((s.values().window.rows == 1) == (form == app::VectorForm::row));
    CHECK((s.values().window.columns == 1) == (form == app::VectorForm::column));
  }
}

TEST_CASE("hovering a value puts the focus on its bytes, a click pins it, arrows move it, Escape lets go", "[window][values]") {
  ValuesStory window;
  REQUIRE(window.values().window.rows == 3);
  CHECK(window.values().cells[5].text == "5.0");
  const ImVec2 at = window.cell(1, 1);
  window.story.act([at](ImGuiTestContext* ui) {
    ui->MouseMoveToPos(at);
    ui->Yield(3);
  });
  CHECK(window.story.app().focus().element == 5U);
  CHECK(window.story.app().focus().bytes == core::ByteRange{kX + 20, kX + 24});
  CHECK(window.pinned() == kNothing);  // hovering left nothing behind
  window.click(1, 1);
  CHECK(window.pinned() == 5U);
  window.press(ImGuiKey_RightArrow);
  CHECK(window.pinned() == 6U);
  window.press(ImGuiMod_Ctrl | ImGuiKey_RightArrow);
  window.press(ImGuiKey_RightArrow);
  CHECK(window.pinned() == 7U);
  window.press(ImGuiKey_DownArrow);
  CHECK(window.pinned() == 11U);
  window.press(ImGuiMod_Ctrl | ImGuiKey_Home);
  CHECK(window.pinned() == 0U);
  window.press(ImGuiKey_Escape);
  CHECK(window.pinned() == kNothing);
  CHECK(window.story.app().selected() == 0);  // the first Escape let go of the pin only
}

TEST_CASE("Escape lets go of a pin from every panel", "[window][values]") {
  ValuesStory window;
  for (const char* panel : {"//Tensors", "//Memory", "//Inspector", "//Values"}) {
    INFO(panel);
    window.story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Values"); });
    window.click(2, 1);
    REQUIRE(window.pinned() == 9U);
    window.press(ImGuiKey_Escape, panel);
    CHECK(window.pinned() == kNothing);
    CHECK(window.story.app().selected() == 0);
  }
}

TEST_CASE("a selection is copied in every form, and added up", "[window][values]") {
  ValuesStory window;
  window.memory->write(kX + 4 * 6, std::nanf(""));
  window.click(1, 1);
  const ImVec2 to = window.cell(2, 2);
  window.story.act([to](ImGuiTestContext* ui) {
    ui->MouseMoveToPos(to);
    ui->KeyDown(ImGuiMod_Shift);
    ui->MouseClick();
    ui->KeyUp(ImGuiMod_Shift);
    ui->Yield(2);
  });
  window.story.app().finish_background_work();
  window.story.frames(3);
  REQUIRE(window.values().range);
  CHECK(window.values().sum == "4 values: sum 24.0, min 5.0, max 10.0, mean 8.0; left out: 1 NaN");
  window.press(ImGuiMod_Ctrl | ImGuiKey_C);
  CHECK(window.clipboard == "[[5.0, float('nan')],\n [9.0, 10.0]]");
  const std::pair<const char*, const char*> forms[] = {{"NumPy", "np.array([[5.0, np.nan],\n [9.0, 10.0]], dtype=np.float32)"},
                                                       {"C", "{{5.0f, NAN},\n {9.0f, 10.0f}}"},
                                                       {"CSV", "5.0,nan\n9.0,10.0\n"},
                                                       {"text", "5.0   nan\n9.0  10.0\n"},
                                                       {"Python", "[[5.0, float('nan')],\n [9.0, 10.0]]"}};
  for (const auto& [form, expected] : forms) {
    INFO(form);
    window.choose(1, 1, std::string("Copy the selection as ") + form);
    CHECK(window.clipboard == expected);
  }
}

TEST_CASE("a sum is that of the numbers shown: it follows what is written, and another look", "[window][values]") {
  ValuesStory window;
  window.click(0, 1);
  const ImVec2 to = window.cell(0, 2);
  const auto settled = [&] {
    window.story.frames(3);
    window.story.app().finish_background_work();
    window.story.frames(3);
    return window.values().sum;
  };
  window.story.act([to](ImGuiTestContext* ui) {
    ui->MouseMoveToPos(to);
    ui->KeyDown(ImGuiMod_Shift);
    ui->MouseClick();
    ui->KeyUp(ImGuiMod_Shift);
    ui->Yield(2);
  });
  CHECK(settled() == "2 values: sum 3.0, min 1.0, max 2.0, mean 1.5");
  window.memory->write(kX + 4, 5.0F);
  CHECK(settled() == "2 values: sum 7.0, min 2.0, max 5.0, mean 3.5");
  window.story.show(tour_snapshot());  // the same memory, looked at again
  window.memory->write(kX + 8, 6.0F);
  REQUIRE(window.values().range);
  CHECK(settled() == "2 values: sum 11.0, min 5.0, max 6.0, mean 5.5");
}

TEST_CASE("Escape gives up one thing at a time, and a copy takes what was pinned, not what the mouse rests on",
          "[window][values]") {
  ValuesStory s;
  const std::uint32_t x = s.story.app().selected();
  s.story.app().commands().push(app::command::CompareTensor{x + 1});
  s.click(1, 1);
  s.story.act([at = s.cell(2, 3)](ImGuiTestContext* ui) { ui->MouseMoveToPos(at); });
  s.press(ImGuiMod_Ctrl | ImGuiKey_C);
  CHECK(s.clipboard == "5.0");
  s.press(ImGuiMod_Shift | ImGuiKey_RightArrow);
  REQUIRE(s.values().range.has_value());
  s.press(ImGuiKey_Escape);
  CHECK_FALSE(s.values().range.has_value());
  CHECK(s.story.app().pinned().on_tensor());
  s.press(ImGuiKey_Escape);
  CHECK_FALSE(s.story.app().pinned().on_tensor());
  CHECK(s.story.app().compared() != core::kNone32);
  s.press(ImGuiKey_Escape);
  CHECK(s.story.app().compared() == core::kNone32);
  s.press(ImGuiKey_Escape);
  CHECK(s.story.app().selected() == x);  // three views would be empty
}

TEST_CASE("the context menu copies what names one element", "[window][values]") {
  ValuesStory window;
  const std::pair<const char*, const char*> forms[] = {
      {"Copy the value", "6.0"},
      {"Copy the index", "[1, 2]"},
      {"Copy the address", "0x55812e404a98"},
      {"Copy as a Python expression", "x[1, 2]"},
      {"Copy as a C expression", "((float *)0x55812e404a80)[1*4 + 2*1]"},
  };
  for (const auto& [item, expected] : forms) {
    INFO(item);
    window.choose(1, 2, item);
    CHECK(window.clipboard == expected);
  }
}

TEST_CASE("what Python cannot name is not copied as Python, and the menu says why", "[window][values]") {
  ValuesStory window(snapshot_of({{.name = "main().v", .address = kX, .shape = {3, 4}}}));
  const ImVec2 at = window.cell(1, 2);
  window.story.act([&](ImGuiTestContext* ui) {
    ui->MouseMoveToPos(at);
    ui->MouseClick(ImGuiMouseButton_Right);
    ui->Yield(2);
    const char* const item = "//$FOCUSED/Copy as a Python expression";
    CHECK((ui->ItemInfo(item).ItemFlags & ImGuiItemFlags_Disabled) != 0);
    ui->MouseMove(item);
    ui->Yield(2);
    CHECK(app::meaning_under_mouse() == app::kNoExpression);
  });
}

TEST_CASE("N finds the next special value, Shift+N the one before", "[window][values]") {
  ValuesStory window;
  window.memory->write(kX + 4 * 3, std::numeric_limits<float>::infinity());
  window.memory->write(kX + 4 * 10, std::nanf(""));
  window.press(ImGuiKey_N);
  CHECK(window.pinned() == 3U);
  window.press(ImGuiKey_N);
  CHECK(window.pinned() == 10U);
  window.press(ImGuiKey_N);
  CHECK(window.pinned() == 10U);
  CHECK(window.values().said == "Searched 1 element to the end: nothing special.");
  window.press(ImGuiMod_Shift | ImGuiKey_N);
  CHECK(window.pinned() == 3U);
}

TEST_CASE("outside the values Ctrl+G finds no value, and says where one is searched for", "[window][values]") {
  ValuesStory window;
  window.story.act([](ImGuiTestContext* ui) {
    ui->WindowFocus("//Tensors");
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_G);
    ui->Yield(2);
    ui->KeyChars(" = 3");
    ui->Yield(3);
  });
  CHECK(window.story.text_of_frame().find("is for “Go to” in the Values") != std::string::npos);
}

TEST_CASE("Ctrl+G in the values goes to an index, an address or a name, and says what is wrong", "[window][values]") {
  ValuesStory window;
  const auto type = [&](const char* text) {
    window.story.act([text](ImGuiTestContext* ui) {
      ui->WindowFocus("//Values");
      ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_G);
      ui->Yield(2);
      ui->KeyCharsReplaceEnter(text);
      ui->Yield(2);
    });
  };
  type("2, 3");
  CHECK(window.pinned() == 11U);
  type("0x5581 2e40 4a84");
  CHECK(window.pinned() == 1U);
  type("x[9, 9]");
  CHECK(window.values().go_to_problem == "Axis 0 of x goes from 0 to 2; 9 is outside.");
  CHECK(window.values().go_to_open);
  window.press(ImGuiKey_Escape);
  CHECK_FALSE(window.values().go_to_open);
  type("y[0, 2]");
  CHECK(window.story.app().selected() == 1);
  CHECK(window.pinned() == 2U);
}

TEST_CASE("what a frame reads is what is visible, to the last cell of 2^40 columns", "[window][values]") {
  const std::int64_t wide = std::int64_t{1} << 40;
  ValuesStory window(snapshot_of({{.name = "wide", .shape = {1'000, wide}, .strides = {0, 0}}}));
  auto& values = window.values();
  CHECK(values.cells_read > 20);
  CHECK(values.cells_read < 5'000);
  window.story.frames(2);
  CHECK(values.cells_written == 0);  // nothing changed: read, but not written anew
  window.click(0, 0);
  window.press(ImGuiMod_Ctrl | ImGuiKey_End);
  CHECK(window.pinned() == 1'000 * static_cast<std::uint64_t>(wide) - 1);
  CHECK(values.window.row + values.window.rows == 1'000);
  CHECK(values.window.column + values.window.columns == static_cast<std::uint64_t>(wide));
  CHECK(values.cells_read < 5'000);
}

TEST_CASE("the same name over the same bytes, which are other numbers now, shows these", "[window][values]") {
  const auto items_of = [](const char* dtype) {
    auto snapshot = std::make_shared<core::Snapshot>(*snapshot_of({{.name = "x", .address = kX, .shape = {3, 4}}}));
    const core::ItemType item = core::number_item(*core::dtype_from_name(dtype), true);
    snapshot->tensors[0].dtype = core::dtype_of_item(item.bytes);
    snapshot->tensors[0].item_type = 0;
    snapshot->item_types = {{{}, {0, 1}, item.bytes}};
    snapshot->item_fields = {{{}, item.fields[0].layout}};
    return snapshot;
  };
  ValuesStory window(items_of("int32"));
  window.memory->write(kX, std::uint32_t{0x803F});  // 0x3F800000 in the other byte order
  window.story.frames(2);
  CHECK(window.values().cells[0].text == "1065353216");
  window.story.show(items_of("float32"));  // x = x.view('>f4')
  CHECK(window.values().cells[0].text == "1.0");
  CHECK(window.values().changes.size() == 0);
}

TEST_CASE("the same name over the same bytes shows a sign that is only noted beside them", "[window][values]") {
  const auto tensor = [](std::vector<core::Remark> remarks) {
    return snapshot_of({{.name = "x", .dtype = "complex64", .address = kX, .shape = {3, 2}, .remarks = std::move(remarks)}});
  };
  ValuesStory window(tensor({}));  // of 0 ... 11
  const std::string plain = window.values().cells[0].text;
  CHECK(plain.find('+') != std::string::npos);
  window.story.show(tensor({{core::RemarkCode::conjugate_bit, "conjugated"}}));  // x = x.conj()
  CHECK(window.values().cells[0].text != plain);
  CHECK(window.values().cells[0].text.find('-') != std::string::npos);
}

TEST_CASE("a value that changes while it is looked at is marked until the next run", "[window][values]") {
  ValuesStory window;
  window.memory->write(kX + 4 * 7, -1.0F);
  window.story.frames(2);
  CHECK(window.values().changes.size() == 1);
  CHECK(window.values().changes.changed_at(1, 3));
  CHECK(window.values().cells[7].text == "-1.0");
  window.story.show(tour_snapshot());  // the same memory, looked at again
  CHECK(window.values().changes.size() == 1);
}

TEST_CASE("a long way to the next special value is a task in the list, and the index that was found is said", "[window][values]") {
  constexpr std::int64_t kWide = 5'000'000;
  ValuesStory window(snapshot_of({{.name = "x", .address = kX, .shape = {3, kWide}, .strides = {1, 0}}}));
  const auto& tasks = window.story.app().tasks();
  window.memory->write(kX + 4 * 2, std::nanf(""));
  window.press(ImGuiKey_N);
  REQUIRE(window.story.wait_for([&] { return !window.values().walk.walking(); }));
  window.story.frames(2);
  CHECK(window.pinned() == 2 * kWide);
  CHECK(window.values().said.starts_with("Found [2, 0]. Searched 10"));
  REQUIRE(tasks.all().size() == 1);
  CHECK(tasks.all().front().title == "Next special value of x");
  CHECK(tasks.all().front().state == app::TaskState::done);
  CHECK(tasks.all().front().message == window.values().said);
  CHECK(tasks.all().front().total == 3 * kWide);
}

TEST_CASE("cancelling the task of a walk stops the walk", "[window][values]") {
  ValuesStory window(snapshot_of({{.name = "x", .address = kX, .shape = {std::int64_t{1} << 40}, .strides = {0}}}));
  auto& app = window.story.app();
  window.story.act([](ImGuiTestContext* ui) {
    ui->WindowFocus("//Values");
    ui->KeyPress(ImGuiKey_N);
  });
  REQUIRE(window.story.wait_for([&] { return app.tasks().open_count() == 1; }));
  app.commands().push(app::command::CancelTask{app.tasks().all().front().id});
  REQUIRE(window.story.wait_for([&] { return app.tasks().open_count() == 0; }));
  CHECK(app.tasks().all().front().state == app::TaskState::cancelled);
  CHECK_FALSE(window.values().walk.walking());
  CHECK(window.values().said.starts_with("Stopped after"));
}

TEST_CASE("what a search found in a tensor is not said of it after another scan", "[window][values]") {
  ValuesStory window;
  window.story.app().select("x");
  window.story.frames(3);
  window.story.app().commands().push(app::command::Ask{app::ActionId::values_next_special});
  REQUIRE(window.story.wait_for([&] { return !window.values().said.empty() && !window.values().walk.walking(); }));
  window.memory->write(kX + 8, std::numeric_limits<float>::quiet_NaN());
  window.story.show(tour_snapshot());
  window.story.app().select("x");
  window.story.frames(3);
  CHECK(window.values().said.empty());
}

}  // namespace dlscope::tests
