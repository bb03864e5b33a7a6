#include "app/panels/values/field_picker.h"

#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/models/text/fitted_text.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "core/inventory/field_view.h"

namespace dlscope::app {
namespace {

constexpr const char* kAllFields = "all fields";
constexpr float kWidth = 14;  // font sizes, of the list without its label

std::span<const core::ItemFieldRecord> fields(const FrameContext& context) {
  if (context.index == nullptr || context.selected >= context.index->size()) return {};
  return core::fields_of(*context.index->snapshot, context.index->tensor(context.selected));
}

// Why that field cannot be shown; "": it can.
const char* why_not(const core::TensorRecord& tensor, const core::ItemFieldRecord& field) {
  if (field.layout.bytes == 0) return "It has no bytes.";
  if (tensor.rank + field.layout.axes > core::kMaxRank)
    return "With the axes of its sub-array it has more than 64 axes, which is as many as are shown.";
  return "";
}

float label_width() { return ImGui::GetStyle().ItemInnerSpacing.x + text_width("field"); }

}  // namespace

float field_choice_width(const FrameContext& context) {
  return fields(context).empty() ? 0 : ImGui::GetFontSize() * kWidth + label_width();
}

void draw_field_choice(const FrameContext& context, Commands& commands) {
  const auto all = fields(context);
  if (all.empty()) return;
  const core::Snapshot& snapshot = *context.index->snapshot;
  const std::uint16_t shown = context.values.field;
  const std::string now = shown < all.size() ? core::field_label(snapshot, all[shown]) : kAllFields;
  const float room = std::max(ImGui::GetFontSize() * 4, ImGui::GetContentRegionAvail().x - label_width());
  ImGui::SetNextItemWidth(std::min(room, ImGui::GetFontSize() * kWidth));
  if (ImGui::BeginCombo("field", now.c_str(), ImGuiComboFlags_HeightLarge)) {
    const auto choose = [&](const std::string& label, std::uint16_t field) {
      ImGui::PushID(field);
      if (ImGui::Selectable(label.c_str(), field == shown) && field != shown)
        commands.push(command::ChooseField{context.selected, field});
      ImGui::PopID();
    };
    choose(kAllFields, core::kNone16);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string_view problem = why_not(context.index->tensor(context.selected), all[i]);
      ImGui::BeginDisabled(!problem.empty());
      choose(core::field_label(snapshot, all[i]), static_cast<std::uint16_t>(i));
      ImGui::EndDisabled();
      if (!problem.empty()) explain(problem);
    }
    ImGui::EndCombo();
  }
  explain(
      "Each element has these fields. The one that is chosen is shown in the values, the statistics and the heat map, as a tensor of "
      "its own in the same memory.");
}

}  // namespace dlscope::app
