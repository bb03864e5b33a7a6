#include "app/panels/focus_keys.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <utility>

#include "app/models/focus/focus_text.h"
#include "app/panels/action_keys.h"

namespace dlscope::app {
namespace {

struct KeyStep {
  ImGuiKey key;
  FocusStep plain, with_ctrl;
};
constexpr KeyStep kSteps[] = {{ImGuiKey_UpArrow, FocusStep::up, FocusStep::top},
                              {ImGuiKey_DownArrow, FocusStep::down, FocusStep::bottom},
                              {ImGuiKey_LeftArrow, FocusStep::left, FocusStep::leftmost},
                              {ImGuiKey_RightArrow, FocusStep::right, FocusStep::rightmost},
                              {ImGuiKey_PageUp, FocusStep::page_up, FocusStep::first_page},
                              {ImGuiKey_PageDown, FocusStep::page_down, FocusStep::last_page},
                              {ImGuiKey_Home, FocusStep::leftmost, FocusStep::first},
                              {ImGuiKey_End, FocusStep::rightmost, FocusStep::last}};

// By their places on an American keyboard; where + and - are elsewhere, they come as characters.
constexpr std::pair<ImGuiKey, bool> kZoomKeys[] = {{ImGuiKey_Equal, true},
                                                   {ImGuiKey_KeypadAdd, true},
                                                   {ImGuiKey_Minus, false},
                                                   {ImGuiKey_KeypadSubtract, false}};

bool has_zoom_keys(ActionContext panel) {
  using enum ActionContext;
  return panel == heatmap || panel == compare || panel == layout || panel == memory;
}

}  // namespace

std::optional<StepKey> pressed_step_key() {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput || io.KeyAlt || io.KeySuper) return std::nullopt;
  const ImGuiID owner = ImGui::GetID("focus keys");
  std::optional<StepKey> pressed;
  for (const KeyStep& step : kSteps) {
    if (ImGui::IsKeyPressed(step.key, ImGuiInputFlags_Repeat, owner))
      pressed = {io.KeyCtrl ? step.with_ctrl : step.plain, io.KeyShift};
    ImGui::SetKeyOwner(step.key, owner);  // so that the next frame's navigation ignores it
  }
  return pressed;
}

std::optional<bool> pressed_zoom_key(ActionContext panel) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput || io.KeyCtrl || io.KeyAlt || io.KeySuper) return std::nullopt;
  const ActionContext hovered = mouse_context(), focused = keyboard_context();
  const bool in_a_sheet = focused == ActionContext::global && ImGui::GetCurrentContext()->NavWindow != nullptr;
  if (in_a_sheet || panel != (has_zoom_keys(hovered) ? hovered : focused)) return std::nullopt;
  bool counted = false;  // as a key: the character that comes with it is not another press
  for (const auto& [key, in] : kZoomKeys) {
    if (ImGui::IsKeyPressed(key)) return in;
    counted = counted || ImGui::IsKeyDown(key);
  }
  if (counted) return std::nullopt;
  for (const ImWchar typed : io.InputQueueCharacters) {
    if (typed == '+' || typed == '-') return typed == '+';
  }
  return std::nullopt;
}

void move_pinned_focus(const FrameContext& context, std::uint32_t tensor, const AxisMapping& mapping, Commands& commands,
                       const MirroredElement& mirrored) {
  move_pinned_focus(context, ShownValues::of_tensor(*context.index, tensor), mapping, commands, mirrored);
}

void move_pinned_focus(const FrameContext& context, const ShownValues& values, const AxisMapping& mapping, Commands& commands,
                       const MirroredElement& mirrored) {
  const core::TensorRecord& record = values.record();
  constexpr auto kNotItsMenus = ImGuiFocusedFlags_RootAndChildWindows | ImGuiFocusedFlags_NoPopupHierarchy;
  if (!record.has_layout || record.elements == 0 || !ImGui::IsWindowFocused(kNotItsMenus)) return;
  const auto key = pressed_step_key();
  if (!key || key->extend) return;
  const auto pinned = values.value_at(context.pinned);
  const core::LayoutView layout = values.layout();
  const auto mirror = [&](std::uint64_t element) { return mirrored ? mirrored(element) : element; };
  const std::uint64_t next = pinned ? mirror(stepped(layout, mapping, mirror(*pinned), key->step)) : mirror(0);
  commands.push(command::Pin{values.focus_on(next)});
}

}  // namespace dlscope::app
