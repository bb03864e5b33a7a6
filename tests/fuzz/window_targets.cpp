// What the window makes of names that a script chose, and of layouts that a settings file holds.
#include <imgui.h>
#include <imgui_impl_null.h>

#include <algorithm>
#include <string>

#include "app/cli/expectation.h"
#include "app/models/panels/panel_facts.h"
#include "app/models/table/tensor_table_model.h"
#include "app/models/tensors/group_colours.h"
#include "app/models/tensors/snapshot_index.h"
#include "app/models/text/name_path.h"
#include "app/panels/dock_layouts.h"
#include "app/session/settings.h"
#include "core/inventory/python_name.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::fuzz {
namespace {

// ---- name paths ----

constexpr std::size_t kMaxNames = 12;

float characters(std::string_view text) {
  return static_cast<float>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

void check_segments(std::string_view name) {
  const app::SegmentStarts starts = app::segment_starts(name);
  hold(starts.empty() == name.empty() && starts.size() <= app::kMaxSegments, "only an empty name has no segments");
  for (std::size_t i = 0; i < starts.size(); ++i) {
    hold(i == 0 ? starts[0] == 0 : starts[i] > starts[i - 1], "segments follow each other from the name's beginning on");
    hold(starts[i] < name.size(), "a segment has a character");
    const std::string_view segment = name.substr(starts[i], (i + 1 < starts.size() ? starts[i + 1] : name.size()) - starts[i]);
    hold(app::without_quotes(segment).size() <= segment.size(), "a key is part of its segment");
  }
}

void check_fits(std::string_view name) {
  for (const float room : {0.0F, 1.0F, 3.0F, 7.0F, 12.0F, 20.0F, 40.0F}) {
    hold(characters(app::fit_path(name, room, characters).str()) <= room, "a fitted name has room");
    hold(characters(app::fit_short_path(name, room, characters).str()) <= room, "a fitted label has room");
  }
}

// Every tensor has one line in the table, whatever branches the names make.
void check_tree(const std::vector<tests::SampleTensor>& tensors) {
  app::GroupColours colours;
  const app::IndexPtr index = app::build_index(tests::snapshot_of(tensors), colours);
  app::TensorTableModel table;
  table.show(index, app::order_rows(*index, {.view = app::TableView::tree}));
  std::vector<int> lines(tensors.size());
  for (std::size_t i = 0; i < table.line_count(); ++i) {
    const app::TableLine& line = table.line(i);
    hold(line.row == core::kNone32 || line.row < lines.size(), "a line is a head or a tensor");
    if (line.row == core::kNone32)
      hold(!table.head_row(line.section).title.empty(), "a branch has a title");
    else
      ++lines[line.row], static_cast<void>(app::label_of_row(*index, *table.order(), line));
  }
  hold(std::ranges::all_of(lines, [](int count) { return count == 1; }), "every tensor has its line");
}

bool run_names(std::span<const std::byte> input) {
  std::string_view text = text_of(input);
  std::vector<tests::SampleTensor> tensors;
  bool understood = false;
  while (!text.empty() && tensors.size() < kMaxNames) {
    const std::string_view name = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), name.size() + 1));
    check_segments(name);
    check_fits(name);
    understood = core::is_python_expression(name) || understood;
    static_cast<void>(app::split_names(name));
    tensors.push_back({.name = std::string(name), .address = 0x1000 * tensors.size() + 0x1000, .shape = {4}});
  }
  check_tree(tensors);
  return understood;
}

std::vector<Bytes> names_seeds() {
  return {bytes_of("x\nnet.layers[0].weight\nnet.layers[0].bias\nnet.layers[1].weight\nnet.head.weight"),
          bytes_of("d['a.b]['][(1, 2)].x\nd[\"a\"]\nd['a']['b']\nd[3]"), bytes_of("s<0>[1]\nd[<Point 0>]\nmain().x\nf()#2.x"),
          bytes_of("globals()['x']\nJob.two().x\nm.__self__.x\nt.indices()\nx[::-1]"),
          bytes_of("\xc3\xbcmlaut.\xe5\x90\x8d[0]\na]b[\n.\n[\n\xff\xfe")};
}

// ---- layouts in Dear ImGui's own loader ----

// One context with the docking of the window.
class Screen {
 public:
  Screen() : context_(ImGui::CreateContext()) {
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.ConfigFlags |= ImGuiConfigFlags_DockingEnable;
    ImGui_ImplNull_Init();
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen() {
    ImGui_ImplNull_Shutdown();
    ImGui::DestroyContext(context_);
  }

  // arrange: as if the layout was chosen again in the menu.
  void frame(bool arrange = false) {
    ImGui_ImplNull_NewFrame();
    ImGui::GetIO().DisplaySize = {1600, 900};
    ImGui::NewFrame();
    const ImGuiID dock = ImGui::GetID("dock space");
    if (arrange) app::arrange_panels(app::LayoutPreset::debug, {}, dock, {1600, 900});
    ImGui::DockSpaceOverViewport(dock);
    for (const app::PanelFacts* panel : app::panels()) {
      ImGui::Begin(panel->title);
      ImGui::End();
    }
    ImGui::Render();
    ImGui_ImplNullRender_RenderDrawData(ImGui::GetDrawData());
  }

 private:
  ImGuiContext* context_;
};

bool run_layout(std::span<const std::byte> input) {
  const std::string text(text_of(input));
  if (!app::is_arrangement(text)) return false;
  Screen screen;
  app::load_arrangement(text);
  for (int i = 0; i < 2; ++i) screen.frame();
  app::load_arrangement(text);  // again, as when the layout is changed: now the windows exist
  screen.frame();
  screen.frame(true);
  screen.frame();
  const std::string saved = app::arrangement_text();
  if (!app::is_arrangement(saved)) return true;  // it has windows that there are none of, in nodes that are gone
  app::load_arrangement(saved);
  screen.frame();
  return true;
}

std::vector<Bytes> layout_seeds() {
  std::vector<Bytes> seeds = {
      bytes_of("[Docking][Data]\nDockSpace ID=0x1 Pos=0,0 Size=100,100 Split=X\n  DockNode ID=0x2 Parent=0x1 SizeRef=50,100\n"
               "  DockNode ID=0x3 Parent=0x1 SizeRef=50,100 CentralNode=1\n"),
      bytes_of("[Window][Script]\nPos=0,0\nSize=30,40\nCollapsed=0\nDockId=0x00000002,0\n\n[Table][0x5D11106F,9]\nRefScale=13\n"
               "Column 0  Width=90 Sort=0v\n\n[Docking][Data]\nDockNode ID=0x00000002 Pos=0,0 Size=9,9 Selected=0x5D11106F\n")};
  Screen screen;
  screen.frame(true);
  screen.frame();
  seeds.push_back(bytes_of(app::arrangement_text()));
  return seeds;
}

}  // namespace

std::vector<Target> window_targets() {
  return {{"names",
           names_seeds,
           run_names,
           {"[", "]", "['", "']", ".", "()", "#2", "<", ">", "\n", "\\", "\"", "…", "globals()", "(", ", "}},
          {"layout",
           layout_seeds,
           run_layout,
           {"[Docking][Data]\n", "[Window][Script]\n", "[Table][0x5D11106F,9]\n", "DockNode ID=0x", "DockSpace ID=0x",
            " Parent=0x", " Split=X", " Split=Y", " SizeRef=", " Pos=", " Size=", " CentralNode=1", " NoTabBar=1",
            " HiddenTabBar=1", " Selected=0x", " Window=0x", "DockId=0x", "ViewportId=0x", "Column 0 ", "Width=", "Sort=0v",
            "Order=", "-1", "1e999", "nan", "2147483647", "99999999999", "\n"}}};
}

}  // namespace dlscope::fuzz
