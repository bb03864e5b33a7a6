// Stories of the tensor table: sort, filter, fold, hold, the last of very many rows, marks after a second run.
#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <imgui_internal.h>

#include "app/widgets/marks.h"
#include "tests/app/window/stories/drawn_text.h"
#include "tests/app/window/stories/table_steps.h"

namespace dlscope::tests {

TEST_CASE("Shift+click on a second header sorts by both", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  story.act([](ImGuiTestContext* ui) {
    ui->TableClickHeader("//Tensors/tensors", "Library");
    ui->TableClickHeader("//Tensors/tensors", "Name", ImGuiMod_Shift);
  });
  settle(story);
  REQUIRE(story.app().tensors().query().sort.size() == 2);
  const auto at = [&](std::size_t line) { return name_of(story.app(), story.app().tensors().tensor_at(line)); };
  CHECK(at(0) == "j");  // jax, then numpy by name, then torch
  CHECK(at(1) == "mask");
  CHECK(at(10) == "weights");
}

TEST_CASE("a wrong filter is explained above the table, and Show all takes it back", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Tensors/##filter");
    ui->KeyCharsReplace("librery:torch");
  });
  settle(story);
  CHECK(story.app().tensors().complaint().find("librery:") != std::string::npos);
  CHECK(story.app().tensors().row_count() == 0);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Tensors/Show all"); });
  settle(story);
  CHECK(story.app().tensors().row_count() == 11);
  CHECK(story.app().tensors().complaint().empty());
}

TEST_CASE("groups fold with the keyboard, one or all, and the selection stays", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Tensors/Groups"); });
  settle(story);
  const auto lines = [&] { return story.app().tensors().line_count(); };
  CHECK(lines() == 12);
  story.act([](ImGuiTestContext* ui) {
    ui->WindowFocus("//Tensors");
    ui->KeyPress(ImGuiKey_DownArrow);
  });
  CHECK(selected(story) == "y");
  const auto press = [&](ImGuiKeyChord key) {
    story.act([key](ImGuiTestContext* ui) { ui->KeyPress(key); });
    settle(story);
  };
  press(ImGuiKey_LeftArrow);
  CHECK(lines() == 8);
  CHECK(selected(story) == "y");
  press(ImGuiKey_DownArrow);
  CHECK(selected(story) == "w");
  press(ImGuiKey_UpArrow);
  CHECK(selected(story) == "x");  // the folded head stands for its first
  press(ImGuiKey_RightArrow);
  CHECK(lines() == 12);
  press(ImGuiMod_Ctrl | ImGuiKey_LeftArrow);
  CHECK(lines() == 8);
  story.show(tour_snapshot());  // a run later it is still folded
  CHECK(lines() == 8);
  press(ImGuiMod_Ctrl | ImGuiKey_RightArrow);
  CHECK(lines() == 12);
}

TEST_CASE("what was shown before is given back by the worker, not in a frame", "[window]") {
  std::atomic<std::thread::id> freed_by{};
  Story story;
  story.frames(2);
  const core::SnapshotPtr tour = tour_snapshot();
  story.show({tour.get(), [&, tour](const core::Snapshot*) { freed_by = std::this_thread::get_id(); }});
  story.app().commands().push(app::command::SelectTensor{0});
  story.frames(3);
  story.show(tour_snapshot());
  CHECK(freed_by.load() == std::thread::id{});  // the history keeps it
  for (std::size_t i = 0; i < app::MomentHistory::kMaxMoments; ++i) story.app().show_snapshot(scalar_snapshot());
  CHECK(story.wait_for([&] { return freed_by.load() != std::thread::id{}; }));
  CHECK(freed_by.load() != std::this_thread::get_id());
}

TEST_CASE("a table that becomes lower keeps the selected row in view", "[window]") {
  Story story;
  story.frames(2);
  story.show(many_snapshot(200));
  story.app().commands().push(app::command::SelectTensor{15});
  story.frames(3);
  const auto& table = story.app().panels().tensors;
  const float high = table.view_height;
  CHECK(table.selection_seen);
  for (const float height : {700.0F, 1080.0F, 560.0F}) {
    story.resize(1920, height);
    story.frames(8);
    CHECK(table.selection_seen);
  }
  CHECK(table.view_height < high);
  story.act([](ImGuiTestContext* ui) {  // who scrolled away from it is left alone
    const ImRect panel = ui->WindowInfo("//Tensors").Window->Rect();
    ui->MouseMoveToPos(panel.GetCenter());
    ui->MouseWheelY(-40);
    ui->Yield(3);
  });
  CHECK_FALSE(table.selection_seen);
  story.resize(1920, 1000);
  story.frames(8);
  CHECK_FALSE(table.selection_seen);
}

TEST_CASE("a tensor whose conjugate or negative bit is set says so in its row", "[window]") {
  Story story;
  story.frames(2);
  SampleTensor conjugated{.name = "z.conj()", .library = "torch", .type = "torch.Tensor", .dtype = "complex64", .shape = {4}};
  conjugated.remarks = {{core::RemarkCode::conjugate_bit, ""}};
  SampleTensor negated{.name = "z.conj().imag", .library = "torch", .address = 0x55812e500000, .shape = {4}};
  negated.remarks = {{core::RemarkCode::negative_bit, ""}};
  story.show(snapshot_of({conjugated, negated, {.name = "plain", .address = 0x55812e600000, .shape = {4}}}));
  bring_up(story, "//Tensors");
  ImRect places[3];
  story.act([&](ImGuiTestContext* ui) {
    for (int i = 0; i < 3; ++i)
      places[i] = ui->ItemInfo(("//Tensors/tensors/**/$$" + std::to_string(i) + "/##row").c_str()).RectClipped;
  });
  story.frames(2);
  std::string rows[3];
  for (int i = 0; i < 3; ++i) rows[i] = drawn_text(places[i].Min, places[i].Max);
  for (const std::string& row : rows) UNSCOPED_INFO(row);
  CHECK(rows[0].find("conjugated") != std::string::npos);
  CHECK(rows[0].find("negated") == std::string::npos);
  CHECK(rows[1].find("negated") != std::string::npos);
  CHECK(rows[2].find("ated") == std::string::npos);
}

TEST_CASE("a right click on a row holds and releases its tensor, and says why it cannot while code runs", "[window]") {
  HostWindow window;
  Story& story = window.story;
  const std::uint32_t w = *story.app().index()->find("w");
  const auto choose = [&](const char* entry) {
    story.act([&](ImGuiTestContext* ui) {
      ui->MouseMove(("//Tensors/tensors/**/$$" + std::to_string(w) + "/##row").c_str());
      ui->MouseClick(ImGuiMouseButton_Right);
      ui->ItemClick((std::string("//$FOCUSED/") + entry).c_str());
      ui->Yield(3);
    });
  };
  REQUIRE(selected(story) == "x");
  const auto offers_release = [&] {
    bool offered = false;
    story.act([&](ImGuiTestContext* ui) {
      ui->MouseMove(("//Tensors/tensors/**/$$" + std::to_string(w) + "/##row").c_str());
      ui->MouseClick(ImGuiMouseButton_Right);
      CHECK(ui->ItemExists("//$FOCUSED/Hold its memory##act"));
      offered = ui->ItemExists("//$FOCUSED/Release its memory##act");
      ui->PopupCloseAll();
    });
    return offered;
  };
  CHECK_FALSE(offers_release());  // it is not held
  const std::uint64_t revision = story.app().index()->snapshot->info.revision;
  for (const auto& [entry, pinned] :
       {std::pair("Hold its memory##act", false), {"Hold its memory while code runs, too##act", true}}) {
    choose(entry);
    REQUIRE_FALSE(story.host().work.empty());
    const auto* hold = std::get_if<core::wire::Hold>(&story.host().work.back());
    REQUIRE(hold != nullptr);
    CHECK(hold->tensor == core::wire::TensorRef{revision, w});
    CHECK(hold->pinned == pinned);
  }
  CHECK(selected(story) == "w");  // what acts on the selected tensor
  const std::uint64_t lease = story.host().work.size();
  window.say(app::HostLease{lease, core::wire::LeaseState::held, true, {revision, w}, {}});
  window.say(app::HostWorkEnded{lease, core::wire::WorkOutcome::done, {}, {}});
  CHECK(offers_release());
  choose("Release its memory##act");
  const auto* release = std::get_if<core::wire::Release>(&story.host().work.back());
  REQUIRE(release != nullptr);
  CHECK(release->lease == lease);
  // While code runs all three are grey, and say why.
  window.start();
  const std::size_t asked = story.host().work.size();
  ImGuiItemFlags flags = 0;
  std::string why;
  story.act([&](ImGuiTestContext* ui) {
    ui->MouseMove(("//Tensors/tensors/**/$$" + std::to_string(w) + "/##row").c_str());
    ui->MouseClick(ImGuiMouseButton_Right);
    const ImGuiTestItemInfo item = ui->ItemInfo("//$FOCUSED/Release its memory##act");
    flags = item.ItemFlags;
    ui->MouseMoveToPos(item.RectFull.GetCenter());
    ui->Yield(2);
    why = app::meaning_under_mouse();
    ui->PopupCloseAll();
  });
  CHECK((flags & ImGuiItemFlags_Disabled) != 0);
  CHECK(why.starts_with("Python runs your code."));
  CHECK(story.host().work.size() == asked);
}

TEST_CASE("the inspector holds and releases the selected tensor, with the words of the menu", "[window]") {
  HostWindow window;
  Story& story = window.story;
  bring_up(story, "//Inspector");
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Inspector/Hold while code runs"); });
  REQUIRE_FALSE(story.host().work.empty());
  const auto* hold = std::get_if<core::wire::Hold>(&story.host().work.back());
  REQUIRE(hold != nullptr);
  CHECK(hold->pinned);
  CHECK(hold->tensor.tensor == *story.app().index()->find("x"));
  const core::wire::TensorRef x = hold->tensor;
  story.act([](ImGuiTestContext* ui) { CHECK_FALSE(ui->ItemExists("//Inspector/Release")); });  // nothing is held yet
  window.say(app::HostLease{1, core::wire::LeaseState::held, true, x, {}});
  window.say(app::HostWorkEnded{1, core::wire::WorkOutcome::done, {}, {}});
  std::string said;
  story.act([&](ImGuiTestContext* ui) {
    ui->MouseMove("//Inspector/Release");
    ui->Yield(2);
    said = app::meaning_under_mouse();
    ui->MouseClick();
    ui->Yield(2);
  });
  CHECK(said.starts_with("Release the memory of the selected tensor. "));
  const auto* release = std::get_if<core::wire::Release>(&story.host().work.back());
  REQUIRE(release != nullptr);
  CHECK(release->lease == 1);
}

TEST_CASE("the last of a hundred thousand rows is reached and clicked, at 100 and at 300 %", "[window]") {
  Story story;
  story.frames(2);
  story.show(many_snapshot(100'000));
  for (const float scale : {1.0F, 3.0F}) {
    INFO(scale);
    story.app().set_scale(scale);
    story.app().commands().push(app::command::SetLayout{app::LayoutPreset::verify});  // room for rows at 300 %
    story.frames(4);
    story.act([](ImGuiTestContext* ui) {
      ui->WindowFocus("//Tensors");
      ui->KeyPress(ImGuiKey_Home);
      ui->Yield(2);
      ui->KeyPress(ImGuiKey_End);
      ui->Yield(3);
      ui->KeyPress(ImGuiKey_UpArrow);
      ui->KeyPress(ImGuiKey_UpArrow);
      ui->Yield(3);
    });
    CHECK(selected(story) == "data[99997]");
    CHECK(story.app().panels().tensors.rows_drawn < 100);
    // By the mouse: the wheel to the very end, then a click on the last row where it is drawn.
    story.act([](ImGuiTestContext* ui) {
      const ImGuiTestItemInfo table = ui->ItemInfo("//Tensors/tensors");
      IM_CHECK(table.ID != 0);
      ImGuiTable* inner = ImGui::TableFindByID(table.ID);
      IM_CHECK(inner != nullptr);
      ImGuiWindow* window = inner->InnerWindow;
      ui->ScrollToBottom(window->ID);
      ui->Yield(2);
      const float row = ImGui::GetTextLineHeight() + ImGui::GetStyle().CellPadding.y * 2;
      ui->MouseMoveToPos({window->InnerClipRect.Min.x + 60, window->InnerClipRect.Max.y - row * 0.5F});
      ui->MouseClick();
      ui->Yield(2);
    });
    CHECK(selected(story) == "data[99999]");
    CHECK(story.app().panels().tensors.rows_drawn < 100);
  }
}

TEST_CASE("rows that keys scroll away from under the mouse are no longer lit: the row that lies there now is", "[window]") {
  Story story;
  story.frames(2);
  story.show(many_snapshot(2000));
  story.frames(4);
  story.act([](ImGuiTestContext* ui) {
    ImGuiTable* inner = ImGui::TableFindByID(ui->ItemInfo("//Tensors/tensors").ID);
    IM_CHECK(inner != nullptr);
    const float row = ImGui::GetTextLineHeight() + ImGui::GetStyle().CellPadding.y * 2;
    ui->MouseMoveToPos({inner->InnerWindow->InnerClipRect.Min.x + 60, inner->InnerWindow->InnerClipRect.Min.y + row * 4.5F});
    ui->MouseClick();
    ui->Yield(3);
  });
  const std::uint32_t clicked = story.app().selected();
  CHECK(story.app().focus().tensor == clicked);
  story.act([](ImGuiTestContext* ui) {
    for (int i = 0; i < 120; ++i) ui->KeyPress(ImGuiKey_DownArrow);
    ui->Yield(3);
  });
  CHECK(story.app().selected() == clicked + 120);
  CHECK(story.app().focus().on_tensor());
  CHECK(story.app().focus().tensor != clicked);
}

TEST_CASE("a second run marks what it changed, and the marks go with the next", "[window]") {
  Story story;
  story.frames(2);
  constexpr core::Address kBase = 0x558120001000;
  const SampleTensor a{.name = "a", .address = kBase, .shape = {4}}, b{.name = "b", .address = kBase + 256, .shape = {4}};
  story.show(snapshot_of({a, b}, 1));
  story.app().select("b");
  CHECK_FALSE(story.app().index()->marks.any());
  SampleTensor grown = b;
  grown.shape = {8};
  story.show(snapshot_of({grown, {.name = "c", .address = kBase + 512, .shape = {2}}}, 2));
  const auto& marks = story.app().index()->marks;
  CHECK(marks.mark_of(0) == app::Mark::changed);
  CHECK(marks.mark_of(1) == app::Mark::fresh);
  CHECK(marks.gone.size() == 1);
  CHECK(story.app().tensors().line_count() == 3);
  CHECK(story.app().tensors().row_count() == 2);
  CHECK(story.app().panels().tensors.rows_drawn == 3);
  CHECK(story.app().tensors().tensor_at(0) == 0);
  CHECK(story.app().tensors().tensor_at(2) == core::kNone32);  // "1 gone since run 2", folded, below everything else
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Tensors/tensors/**/head/##head"); });
  settle(story);
  CHECK(story.app().tensors().line_count() == 4);  // a, struck through
  CHECK(selected(story) == "b");
  // The gone row is passed over by the keyboard and by the mouse.
  story.act([](ImGuiTestContext* ui) {
    ui->WindowFocus("//Tensors");
    ui->KeyPress(ImGuiKey_Home);
  });
  CHECK(selected(story) == "b");
  story.show(snapshot_of({grown, {.name = "c", .address = kBase + 512, .shape = {2}}}, 3));
  CHECK_FALSE(story.app().index()->marks.any());
  CHECK(story.app().tensors().line_count() == 2);
  story.show(snapshot_of({}, 4));
  CHECK(story.app().tensors().line_count() == 3);  // both gone, still listed once, below their head
}

TEST_CASE("a limit that the scan has reached is said above the table", "[window]") {
  Story story;
  story.frames(2);
  auto snapshot = std::make_shared<core::Snapshot>(*snapshot_of({{.name = "x", .shape = {4}}}));
  const auto said = [&] {
    std::string text;
    story.act([&](ImGuiTestContext* ui) {
      const ImGuiTable* table = ImGui::TableFindByID(ui->ItemInfo("//Tensors/tensors").ID);
      IM_CHECK(table != nullptr);
      ui->MouseMoveToPos({table->OuterRect.Min.x + ImGui::GetFontSize(), table->OuterRect.Min.y - ImGui::GetTextLineHeight() * 0.6F});
      ui->Yield(2);
      text = app::meaning_under_mouse();
    });
    return text;
  };
  story.show(snapshot);
  settle(story);
  CHECK(said().find("limit") == std::string::npos);
  snapshot = std::make_shared<core::Snapshot>(*snapshot);
  constexpr std::string_view kWhat = "tensors";
  const core::TextRef what{static_cast<std::uint32_t>(snapshot->text.size()), static_cast<std::uint32_t>(kWhat.size())};
  snapshot->text.insert(snapshot->text.end(), kWhat.begin(), kWhat.end());
  snapshot->limits.push_back({1, what, true});
  story.show(snapshot);
  settle(story);
  CHECK(said().find("A report has every limit.") != std::string::npos);
}

TEST_CASE("the tree shows where the memory goes, folds, and keeps the selection", "[window]") {
  Story story;
  story.frames(2);
  story.show(model_snapshot());
  story.app().select("net.encoder.layers[2].norm1.bias");
  story.frames(2);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Tensors/Tree"); });
  settle(story);
  const auto& table = story.app().tensors();
  CHECK(table.line_count() == 17 + 1 + 1 + 4 * 3);  // rows; net; encoder.layers; of each layer itself and two branches
  CHECK(selected(story) == "net.encoder.layers[2].norm1.bias");
  const auto press = [&](ImGuiKeyChord key) {
    story.act([key](ImGuiTestContext* ui) {
      ui->WindowFocus("//Tensors");
      ui->KeyPress(key);
    });
    settle(story);
  };
  press(ImGuiKey_LeftArrow);  // its branch, norm1
  CHECK(table.line_count() == 17 + 1 + 1 + 4 * 3 - 2);
  press(ImGuiMod_Ctrl | ImGuiKey_LeftArrow);
  CHECK(table.line_count() == 1);
  CHECK(selected(story) == "net.encoder.layers[2].norm1.bias");
  press(ImGuiMod_Ctrl | ImGuiKey_RightArrow);
  CHECK(table.line_count() == 17 + 1 + 1 + 4 * 3);
}

TEST_CASE("what was compared is said where the click was, and its cross gives it up", "[window]") {
  Story story({}, false);
  story.frames(2);
  story.show(tour_snapshot());
  story.app().select("x");
  const std::uint32_t y = *story.app().index()->find("y");
  CHECK(story.app().panels().tensors.comparison.last() == nullptr);
  story.app().commands().push(app::command::CompareTensor{y});
  story.frames(3);
  REQUIRE(story.app().panels().tensors.comparison.last() != nullptr);
  CHECK(story.app().panels().tensors.comparison.last()->sentence.find("“x”") != std::string::npos);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Tensors/×##compared"); });
  CHECK(story.app().compared() == core::kNone32);
}

TEST_CASE("Ctrl+click holds a second tensor against the selected one, Ctrl+C copies both", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Tensors/tensors/**/$$1/##row");
    ui->KeyDown(ImGuiMod_Ctrl);
    ui->ItemClick("//Tensors/tensors/**/$$9/##row");
    ui->KeyUp(ImGuiMod_Ctrl);
    ui->Yield(2);
  });
  CHECK(selected(story) == "y");
  CHECK(name_of(story.app(), story.app().compared()) == "weights");
  std::string copied;
  story.act([&](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_C);
    const char* text = ImGui::GetClipboardText();
    copied = text != nullptr ? text : "";
  });
  CHECK(copied.starts_with("Name\t"));
  CHECK(copied.find("\ny\tnumpy\tfloat32\t(4, 3)") != std::string::npos);
  CHECK(copied.find("\nweights\ttorch\t") != std::string::npos);
  // Another click lets go of the second.
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Tensors/tensors/**/$$0/##row"); });
  CHECK(story.app().compared() == core::kNone32);
}

}  // namespace dlscope::tests
