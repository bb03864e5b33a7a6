#include "app/panels/script/gutter.h"

#include <TextEditor.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "app/models/actions/key_hints.h"
#include "app/models/debug/raised_condition.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

using core::wire::Breakpoint;

constexpr std::size_t kGlyphs = 2;  // width
constexpr const char* kMenu = "breakpoint menu";

struct Place {
  ImVec2 middle;
  float radius = 0;
};

// Circle: stops. Diamond: logs and continues. Hollow: disabled, or it is not known whether its line has code.
void draw_breakpoint(ImDrawList* list, const Place& at, const Theme& theme, const Breakpoint& b, bool certain) {
  const ImU32 colour = ImGui::GetColorU32(b.enabled ? theme.bad : theme.dim);
  const bool filled = b.enabled && certain;
  const float line = std::max(1.0F, at.radius * 0.3F);
  const float r = filled ? at.radius : at.radius - line * 0.5F;
  if (!b.log_text.empty()) {
    const ImVec2 corners[] = {{at.middle.x, at.middle.y - r},
                              {at.middle.x + r, at.middle.y},
                              {at.middle.x, at.middle.y + r},
                              {at.middle.x - r, at.middle.y}};
    if (filled)
      list->AddConvexPolyFilled(corners, 4, colour);
    else
      list->AddPolyline(corners, 4, colour, line, ImDrawFlags_Closed);
  } else if (filled) {
    list->AddCircleFilled(at.middle, r, colour);
  } else {
    list->AddCircle(at.middle, r, colour, 0, line);
  }
  if (b.condition.empty() && b.hit <= 1) return;
  // Two bars: it has a condition or a count.
  const ImU32 bars = filled ? ImGui::GetColorU32(theme.panel) : colour;
  for (const float y : {-0.25F, 0.25F}) {
    list->AddLine({at.middle.x - at.radius * 0.5F, at.middle.y + at.radius * y * 1.4F},
                  {at.middle.x + at.radius * 0.5F, at.middle.y + at.radius * y * 1.4F}, bars, line);
  }
}

// An arrow at the line that runs next; for a caller only its outline, at the line that the called function returns to.
void draw_arrow(ImDrawList* list, const Place& at, const Theme& theme, bool innermost) {
  const float r = at.radius * 1.15F;
  const ImVec2 a{at.middle.x - r * 0.7F, at.middle.y - r}, b{at.middle.x + r, at.middle.y},
      c{at.middle.x - r * 0.7F, at.middle.y + r};
  if (innermost) {
    list->AddTriangleFilled(a, b, c, ImGui::GetColorU32(theme.warn));
    list->AddTriangle(a, b, c, ImGui::GetColorU32(theme.panel), 1);
  } else {
    list->AddTriangle(a, b, c, ImGui::GetColorU32(theme.accent), std::max(1.0F, at.radius * 0.3F));
  }
}

void draw_line(GutterState& state, const TextEditor::Decorator& at) {
  if (state.context == nullptr) return;
  const FrameContext& context = *state.context;
  const auto line = static_cast<std::uint32_t>(at.line + 1);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("##gutter", {at.width, at.height});
  if (ImGui::IsItemClicked()) state.toggled = line;
  if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) state.menu_at = line;
  const Breakpoint* b = context.breakpoints.at(state.path, line);
  const Place place{{corner.x + at.width * 0.5F, corner.y + at.height * 0.5F}, std::min(at.width, at.height) * 0.33F};
  ImDrawList* list = ImGui::GetWindowDrawList();
  const core::wire::BreakpointState* said = b != nullptr ? context.breakpoints.state_of(b->id) : nullptr;
  if (b != nullptr) {
    const bool in_code = context.breakpoints.run_lines().in_code(state.path, line) != 0;
    draw_breakpoint(list, place, context.theme, *b, in_code && (said == nullptr || can_stop(*said)));
    explain([&] { return breakpoint_text(*b, context.breakpoints) + "\nA click takes it away, a right click changes it."; });
  } else if (ImGui::IsItemHovered()) {
    ImVec4 ghost = context.theme.bad;
    ghost.w = 0.35F;
    list->AddCircleFilled(place.middle, place.radius, ImGui::GetColorU32(ghost));
    explain([&] {
      return with_keys(
          context.keys, ActionId::breakpoint_toggle,
          "sets a breakpoint on the line of the cursor; a click here on this one. A right click sets one with a condition.");
    });
  }
  if (line == state.frame_line) draw_arrow(list, place, context.theme, state.innermost);
}

// The number of the stop; another one when the program runs on.
std::uint64_t stop_number(const FrameContext& context) {
  const StopView* const stop = context.host.stop();
  return stop != nullptr ? stop->at.stop : 0;
}

enum class Typed : std::uint8_t { nothing, left, entered };

// Draws the field. left: something was typed, and the keyboard is in another field now.
Typed field(const FrameContext& context, const char* label, const char* id, const char* hint, std::string& text) {
  draw_text(label, context.theme.dim);
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 22);
  ImGui::PushFont(context.fonts.mono, 0.0F);
  const bool entered = ImGui::InputTextWithHint(id, hint, &text, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::PopFont();
  if (entered) return Typed::entered;
  return ImGui::IsItemDeactivatedAfterEdit() ? Typed::left : Typed::nothing;
}

void take_edited(GutterState& state, Commands& commands) {
  state.kept = state.edited;
  commands.push(command::PutBreakpoint{state.edited});
}

void draw_fields(const FrameContext& context, GutterState& state, Commands& commands) {
  Breakpoint& b = state.edited;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  const Typed condition = field(context, "Stop only when this is true", "##condition", "i == 37", b.condition);
  bool changed = condition != Typed::nothing;
  draw_text("Stop from this time on", context.theme.dim);
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 8);
  ImGui::InputInt("##hit", &state.hit);
  const bool enter = ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false);
  const bool hit_entered = ImGui::IsItemDeactivated() && enter;
  if (ImGui::IsItemDeactivatedAfterEdit()) {
    state.hit = std::max(state.hit, 1);
    b.hit = static_cast<std::uint64_t>(state.hit);
    changed = true;
  }
  const Typed log = field(context, "Print this and continue, instead of stopping", "##log", "loss is {loss:.3f}", b.log_text);
  explain("Expressions in braces are evaluated in the frame, as in an f-string.");
  changed = changed || log != Typed::nothing;
  if (changed) take_edited(state, commands);
  const bool runs_on = state.opened_at != stop_number(context), escaped = ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  if (condition == Typed::entered || log == Typed::entered || hit_entered || escaped || runs_on) ImGui::CloseCurrentPopup();
}

void draw_menu(const FrameContext& context, GutterState& state, Commands& commands) {
  const bool was_open = std::exchange(state.menu_open, ImGui::BeginPopup(kMenu));
  if (!state.menu_open) {
    // A click elsewhere closed the menu while a field was being edited: commit it. (Escape reverts it.)
    if (was_open && (state.edited.condition != state.kept.condition || state.edited.log_text != state.kept.log_text))
      take_edited(state, commands);
    return;
  }
  Breakpoint& b = state.edited;
  const Breakpoint* there = context.breakpoints.at(state.path, b.line);
  if (there != nullptr && b.id == 0) b.id = there->id;
  draw_fields(context, state, commands);
  ImGui::Separator();
  if (there != nullptr) {
    if (ImGui::MenuItem(there->enabled ? "Disable" : "Enable")) {
      b.enabled = !there->enabled;
      commands.push(command::PutBreakpoint{b});
    }
    if (ImGui::MenuItem("Remove")) commands.push(command::ToggleBreakpoint{state.path, b.line});
  } else if (ImGui::MenuItem("Set a breakpoint")) {
    commands.push(command::PutBreakpoint{b});
  }
  const char* refusal = context.host.run_to_refusal();
  if (ImGui::MenuItem("Run to this line", nullptr, false, refusal == nullptr))
    commands.push(command::RunToLine{state.path, b.line});
  if (refusal != nullptr) explain(refusal);
  ImGui::EndPopup();
}

void open_menu(const FrameContext& context, GutterState& state) {
  const Breakpoint* there = context.breakpoints.at(state.path, state.menu_at);
  state.edited = there != nullptr ? *there : Breakpoint{};
  state.edited.path = state.path;
  state.edited.line = state.menu_at;
  state.kept = state.edited;
  constexpr std::uint64_t kMaxHits = 1'000'000'000;
  state.hit = static_cast<int>(std::min(state.edited.hit, kMaxHits));
  state.opened_at = stop_number(context);
  ImGui::OpenPopup(kMenu);
}

}  // namespace

std::uint32_t frame_line_in(const FrameContext& context, const std::string& path) {
  const StopView* stop = context.host.frames();
  const auto* frame = stop != nullptr ? stop->chosen() : nullptr;
  return frame != nullptr && frame->path == path ? context.breakpoints.run_lines().in_text(path, frame->line) : 0;
}

void add_gutter(TextEditor& editor, GutterState& state) {
  editor.SetLineDecorator(kGlyphs, [&state](TextEditor::Decorator& at) { draw_line(state, at); });
}

void begin_gutter(const FrameContext& context, const std::string& path, GutterState& state) {
  state.context = &context;
  state.path = path;
  state.frame_line = frame_line_in(context, path);
  state.innermost = state.frame_line != 0 && context.host.frames()->frame == 0;
  state.toggled = state.menu_at = 0;
}

void end_gutter(const FrameContext& context, GutterState& state, Commands& commands) {
  state.context = nullptr;
  if (state.toggled != 0) commands.push(command::ToggleBreakpoint{state.path, state.toggled});
  if (state.menu_at != 0) open_menu(context, state);
  draw_menu(context, state, commands);
}

}  // namespace dlscope::app
