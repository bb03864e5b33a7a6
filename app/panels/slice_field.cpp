#include "app/panels/slice_field.h"

#include <imgui.h>

#include <array>

#include "app/models/tensors/size_text.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

bool can_be_sliced(const FrameContext& context) {
  return context.index != nullptr && context.selected < context.index->size() && context.index->tensor(context.selected).has_layout &&
         context.index->tensor(context.selected).rank > 0;
}

// What is still shown while the text is no slice of the tensor.
std::string problem_text(const FrameContext& context) {
  if (context.slice.problem.empty()) return {};
  const std::string shown = slice_in_brackets(context);
  return context.slice.problem + (shown.empty() ? " Until then all of it is shown." : " Until then " + shown + " is shown.");
}

}  // namespace

std::string slice_in_brackets(const FrameContext& context) {
  if (!context.slice.any() || !can_be_sliced(context)) return {};
  const core::Snapshot& snapshot = *context.index->snapshot;
  return core::slice_expression("", snapshot.shape(context.index->tensor(context.selected)), context.slice.axes);
}

float slice_field_height(const FrameContext& context) {
  if (!can_be_sliced(context)) return 0;
  const std::string problem = problem_text(context);
  const float room = ImGui::GetContentRegionAvail().x;
  return ImGui::GetFrameHeightWithSpacing() +
         (problem.empty() ? 0 : ImGui::CalcTextSize(problem.c_str(), nullptr, false, room).y + ImGui::GetStyle().ItemSpacing.y);
}

void draw_slice_field(const FrameContext& context, Commands& commands) {
  if (!can_be_sliced(context)) return;
  ImGui::PushID("slice of");
  ImGui::PushID(static_cast<int>(context.selection_revision));  // the text that is being typed belongs to one tensor
  ImGui::AlignTextToFramePadding();
  draw_text("Slice", context.theme.dim);
  ImGui::SameLine();
  std::array<char, ChosenSlices::kMostBytes + 1> buffer{};
  context.slice.text.copy(buffer.data(), buffer.size() - 1);
  ImGui::SetNextItemWidth(context.px(150));
  if (ImGui::InputTextWithHint("##slice", "all of it", buffer.data(), buffer.size()))
    commands.push(command::ChooseSlice{buffer.data()});
  explain(
      "As between Python's brackets: 1:3, ::2, -1, ... Only this part of the tensor is shown, and taken by copies, hand-overs and "
      "exports. Nothing is copied for it. Left empty, it is all of the tensor.");
  if (!context.slice.text.empty()) {
    same_line_for(button_width("All of it"));
    if (ImGui::Button("All of it")) commands.push(command::ChooseSlice{});
  }
  if (context.slice.any()) {
    const core::TensorRecord& tensor = context.index->tensor(context.selected);
    const auto view = core::slice_layout(context.index->snapshot->layout(tensor), context.slice.axes);
    const LineText size("{}", view ? shape_in_words(view->shape) : std::string());
    same_line_for(text_width(size));
    draw_text(size, context.theme.dim);
  }
  if (const std::string problem = problem_text(context); !problem.empty()) draw_wrapped_text(problem, context.theme.warn);
  ImGui::PopID();
  ImGui::PopID();
}

}  // namespace dlscope::app
