#include "app/panels/storage_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/models/focus_words.h"
#include "app/models/format.h"
#include "app/widgets/focus_marks.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr std::uint32_t kMostCells = 4000;

bool can_show(const core::TensorRecord& tensor) {
  return tensor.has_layout && !tensor.extent.empty() && tensor.space != core::kNoSpace;
}

void follow_selection(const FrameContext& context, StoragePanelState& state) {
  const core::Snapshot* snapshot = context.index->snapshot.get();
  if (state.snapshot == snapshot && state.tensor == context.selected && state.tape) return;
  state.snapshot = snapshot;
  state.tensor = context.selected;
  state.tape = std::make_unique<StorageTape>(context.index->snapshot, context.selected);
  state.first = 0;
  state.read_count = 0;
}

// Cells of one frame, wrapped into rows.
class TapePainter {
 public:
  TapePainter(const FrameContext& context, StoragePanelState& state, Commands& commands)
      : context_(context), state_(state), tensor_(context.index->tensor(state.tensor)), commands_(commands) {}

  void draw() {
    lay_out();
    ImGui::SetCursorScreenPos(origin_);
    ImGui::InvisibleButton("tape", {std::max(1.0F, size_.x), std::max(1.0F, size_.y)});
    scroll();
    read();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(origin_, {origin_.x + size_.x, origin_.y + size_.y}, true);
    for (std::uint32_t i = 0; i < state_.cells.size(); ++i) draw_cell(list, i);
    draw_addresses(list);
    list->PopClipRect();
    hover();
  }

 private:
  void lay_out() {
    origin_ = ImGui::GetCursorScreenPos();
    size_ = ImGui::GetContentRegionAvail();
    const float character = ImGui::CalcTextSize("0").x;
    const std::uint64_t last = tensor_.elements > 0 ? tensor_.elements - 1 : 0;
    const auto longest = index_text(context_.index->snapshot->layout(tensor_), last).size();
    cell_ = {std::max(character * (static_cast<float>(std::min<std::size_t>(longest, 18)) + 1.5F), context_.px(36)),
             ImGui::GetTextLineHeight() + context_.px(8)};
    address_width_ = character * 19;
    columns_ = static_cast<std::uint32_t>(std::max(1.0F, (size_.x - address_width_) / cell_.x));
    // Whole powers of two are easier to read as addresses.
    while ((columns_ & (columns_ - 1)) != 0) columns_ &= columns_ - 1;
    rows_ = static_cast<std::uint32_t>(std::max(1.0F, std::ceil(size_.y / cell_.y)));
    rows_ = std::min(rows_, std::max(1U, kMostCells / columns_));
  }

  void scroll() {
    const std::uint64_t rows = (state_.tape->cells() + columns_ - 1) / columns_;
    const std::uint64_t whole = std::max(1U, static_cast<std::uint32_t>(size_.y / cell_.y));
    const std::uint64_t last_row = rows > whole ? rows - whole : 0;
    std::uint64_t row = state_.first / columns_;
    if (ImGui::IsItemHovered() && ImGui::GetIO().MouseWheel != 0) {
      ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
      row = ImGui::GetIO().MouseWheel > 0 ? row - std::min<std::uint64_t>(row, 2) : row + 2;
    }
    state_.first = std::min(row, last_row) * columns_;
  }

  void read() {
    const std::uint32_t count = rows_ * columns_;
    if (state_.read_first == state_.first && state_.read_count == count) return;
    state_.tape->read(state_.first, count, state_.cells);
    state_.read_first = state_.first;
    state_.read_count = count;
  }

  void draw_cell(ImDrawList* list, std::uint32_t i) {
    const TapeCell& cell = state_.cells[i];
    const ImVec2 from = corner(i), to{from.x + cell_.x - 2, from.y + cell_.y - 2};
    if (!cell.element) {
      list->AddRectFilled(from, to, context_.theme.empty_space);
    } else {
      fill_group(list, from, to, context_.theme, context_.index->colour_of(tensor_), 0.30F);
      std::string text = index_text(context_.index->snapshot->layout(tensor_), *cell.element);
      if (!cell.elements)
        text += " +?";
      else if (*cell.elements > 1)
        text += fmt::format(" ×{}", *cell.elements);
      const ImVec2 size = ImGui::CalcTextSize(text.c_str());
      list->PushClipRect(from, to, true);
      list->AddText({from.x + std::max(context_.px(2), (cell_.x - 2 - size.x) * 0.5F), from.y + (cell_.y - 2 - size.y) * 0.5F},
                    ImGui::GetColorU32(context_.theme.text), text.c_str());
      list->PopClipRect();
    }
    outline_focus(list, from, to, context_.theme, focus_mark(context_.hover, context_.pinned, tensor_.space, cell.bytes),
                  context_.scale);
  }

  void draw_addresses(ImDrawList* list) {
    for (std::uint32_t i = 0; i < state_.cells.size(); i += columns_) {
      list->AddText({origin_.x, corner(i).y + context_.px(3)}, ImGui::GetColorU32(context_.theme.dim),
                    grouped_address(state_.cells[i].bytes.begin).c_str());
    }
  }

  void hover() {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (!ImGui::IsItemHovered() || mouse.x < origin_.x + address_width_) return;
    const auto column = static_cast<std::uint32_t>((mouse.x - origin_.x - address_width_) / cell_.x);
    const auto row = static_cast<std::uint32_t>((mouse.y - origin_.y) / cell_.y);
    const std::size_t i = std::size_t{row} * columns_ + column;
    if (column >= columns_ || i >= state_.cells.size()) return;
    const TapeCell& cell = state_.cells[i];
    commands_.push(
        command::Hover{{.tensor = state_.tensor, .element = cell.element, .space = tensor_.space, .bytes = cell.bytes}});
    if (cell.element && ImGui::IsMouseClicked(ImGuiMouseButton_Left))
      commands_.push(command::Pin{focus_on(*context_.index, state_.tensor, *cell.element)});
    if (!cell.element)
      explain("A hole: no element of this tensor lies here. Other tensors may use these bytes.");
    else if (cell.elements.value_or(1) > 1)
      explain(fmt::format("{} elements of this tensor are these same bytes.", *cell.elements));
  }

  [[nodiscard]] ImVec2 corner(std::uint32_t i) const {
    return {origin_.x + address_width_ + cell_.x * static_cast<float>(i % columns_),
            origin_.y + cell_.y * static_cast<float>(i / columns_)};
  }

  const FrameContext& context_;
  StoragePanelState& state_;
  const core::TensorRecord& tensor_;
  Commands& commands_;
  ImVec2 origin_, size_, cell_;
  float address_width_ = 0;
  std::uint32_t columns_ = 1, rows_ = 1;
};

}  // namespace

void draw_storage_panel(const FrameContext& context, StoragePanelState& state, Commands& commands) {
  if (ImGui::Begin(kStorageWindow, nullptr, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) {
    if (!context.has_tensors() || context.selected == core::kNone32) {
      wrapped_words("Where each element of the selected tensor lies will be shown here.", context.theme.dim);
    } else if (!can_show(context.index->tensor(context.selected))) {
      wrapped_words("This tensor has no bytes to show: it is empty, was not described, or lies behind a handle.",
                    context.theme.unknown);
    } else {
      follow_selection(context, state);
      words(
          fmt::format("{} from lowest to highest byte, {} a cell",
                      human_bytes(context.index->tensor(context.selected).extent.size()), human_bytes(state.tape->cell_bytes())),
          context.theme.dim);
      ImGui::PushFont(context.fonts.mono, 0.0F);
      TapePainter(context, state, commands).draw();
      ImGui::PopFont();
    }
  }
  ImGui::End();
}

}  // namespace dlscope::app
