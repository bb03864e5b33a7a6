#include "app/panels/values/value_head.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/models/tensors/size_text.h"
#include "app/models/text/fitted_text.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "app/panels/slice_field.h"
#include "app/panels/tensor_marks.h"
#include "app/panels/values/axis_pickers.h"
#include "app/panels/values/field_picker.h"
#include "app/panels/values/value_table.h"
#include "app/panels/values/value_tools.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr std::int64_t kMinRows = 4;  // or all of them, if fewer
constexpr float kShortTitle = 13;     // font sizes, of the name on a line with everything else
constexpr float kLeastOfName = 0.4F;  // of the title's line
constexpr const char* kShowAs = "Show as …";
constexpr const char* kThenMeaning =
    "The numbers are a copy that dlscope kept of what it read while the memory was known to be the tensor's own. It keeps at most "
    "1 MiB of what was on the screen, and small tensors whole.";

constexpr const char* kVectorForms[] = {"wrapped", "as a row", "as a column"};

float vector_choice_width() { return ImGui::CalcTextSize("as a column").x + ImGui::GetFrameHeight() + ImGui::GetFontSize(); }

void draw_vector_choice(VectorForm& form) {
  int chosen = static_cast<int>(form);
  ImGui::SetNextItemWidth(vector_choice_width());
  if (ImGui::Combo("##vector", &chosen, kVectorForms, IM_ARRAYSIZE(kVectorForms))) form = static_cast<VectorForm>(chosen);
  explain(
      "How the one axis lies in this view. Wrapped: as many in a row as there is room for; the index of a value is the number "
      "before its row and the one above it, added.");
}

float axes_width(std::span<const std::int64_t> shape) {
  return shape.size() == 1 ? vector_choice_width() : axis_choices_width(shape);
}

// Lines needed for the axis choices and the number tools; one when both fit on it.
float control_lines(const FrameContext& context, const ValuesPanelState& state, const core::TensorRecord& tensor,
                    std::span<const std::int64_t> shape) {
  const float gap = ImGui::GetStyle().ItemSpacing.x, field = field_choice_width(context);
  const float room = ImGui::GetContentRegionAvail().x, tools = value_tools_width(state, tensor);
  const float only_axes = axes_width(shape), axes = only_axes + (field > 0 ? field + (only_axes > 0 ? gap : 0) : 0);
  if (axes == 0) return std::max(1.0F, std::ceil(tools / room));
  if (axes + gap + tools <= room) return 1;
  return std::ceil(axes / room) + std::ceil(tools / room);
}

LineText facts_of(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  return LineText("{}   {}", tensor.has_metadata ? snapshot.dtype_name(tensor) : std::string(),
                  tensor.has_metadata ? shape_in_words(snapshot.shape(tensor)) : std::string());
}

// Whether there is a choice between kept and present values: other data may be there now.
bool is_then_or_now(const FrameContext& context, const ValuesPanelState& state) {
  return !context.bytes_are_its_own(state.tensor) && state.kept.of(state.tensor, state.mapping, state.field) != nullptr;
}

// What stands before the state where the head is folded: what the numbers are; "" while they are the tensor's own.
std::string_view shown_before_state(const FrameContext& context, const ValuesPanelState& state) {
  if (context.bytes_are_its_own(state.tensor)) return {};
  return shown_kept(context, state) != nullptr ? "then: " : "present bytes: ";
}

// Whether that choice fits behind the title, drawn whole; else it has a line of its own.
bool then_fits_beside(const FrameContext& context, const core::TensorRecord& tensor) {
  const core::Snapshot& snapshot = *context.values.snapshot();
  const float gap = ImGui::GetStyle().ItemSpacing.x, title = ImGui::GetTextLineHeight() + gap + text_width(snapshot.name(tensor)) +
                    gap + text_width(facts_of(snapshot, tensor)) + context.px(16) +
                    text_width(state_text(context.moment, context.state_of(context.selected)));
  return title + context.px(16) + shown_bytes_width() <= ImGui::GetContentRegionAvail().x;
}

// Says whether kept or present values are shown; a click switches.
void draw_then_or_now(const FrameContext& context, ValuesPanelState& state) {
  if (!is_then_or_now(context, state)) return;
  const bool then = shown_kept(context, state) != nullptr;
  if (draw_shown_bytes(context, then, kThenMeaning)) {
    state.shows_now = then;
    state.cells.clear();
  }
}

bool shows_slice_field(const FrameContext& context, const ValuesPanelState& state) {
  return context.index->tensor(context.selected).rank > 0 && (state.slice_open || !context.slice.text.empty());
}

void draw_controls(const FrameContext& context, ValuesPanelState& state, const core::TensorRecord& tensor, int slider_lines,
                   Commands& commands) {
  if (shows_slice_field(context, state)) draw_slice_field(context, commands);
  const SliceView shown(context.values.layout(), state.mapping.slice);
  const auto shape = shown.layout().shape;
  const bool has_fields = field_choice_width(context) > 0;
  draw_field_choice(context, commands);
  if (has_fields && tensor.rank > 0) same_line_for(axes_width(shape));
  if (tensor.rank == 1)
    draw_vector_choice(state.vector_form);
  else
    draw_axis_choices(shape, state.mapping);
  if (tensor.rank > 0 || has_fields) same_line_for(value_tools_width(state, tensor));
  draw_value_tools(context, state, tensor);
  draw_axis_sliders(context, shape, state.mapping, slider_lines);
}

// One line: the name, whether the numbers are current, the shown part, and a button for the rest. The state gives way last.
void draw_line(const FrameContext& context, ValuesPanelState& state, const core::TensorRecord& tensor) {
  const core::Snapshot& snapshot = *context.values.snapshot();
  const ImVec2 from = ImGui::GetCursorPos();
  const float room = std::max(0.0F, ImGui::GetContentRegionAvail().x - button_width(kShowAs));
  const float gap = ImGui::GetStyle().ItemSpacing.x, end = ImGui::GetCursorScreenPos().x + room - context.px(6);
  const auto left = [&] { return std::max(0.0F, end - ImGui::GetCursorScreenPos().x); };
  const std::string_view before = shown_before_state(context, state);
  const bool says_state = !surely_its_own(context.moment, context.state_of(context.selected));
  ImGui::SetCursorPosY(from.y + ImGui::GetStyle().FramePadding.y);  // aligned with the button's text
  tensor_swatch(context, context.selected);
  ImGui::SameLine();
  const std::string_view name = snapshot.name(tensor);
  const std::string owner = owner_beside_name(context, *context.index->snapshot, context.index->tensor(context.selected));
  const float for_state = (says_state ? gap + least_state_width(context, context.selected, before) : 0) +
                          (owner.empty() ? 0 : gap + text_width(owner));
  draw_text(fit_path(name, std::clamp(left() - for_state, 0.0F, ImGui::GetFontSize() * kShortTitle), text_width),
            context.theme.text);
  const std::string slice = context.slice.any() ? slice_in_brackets(context) : tensor.rank > 2 ? slice_text(state.mapping) : "";
  const LineText facts("{}{}   {}", slice.empty() ? "" : slice + "   ", snapshot.dtype_name(tensor),
                       shape_in_words(snapshot.shape(tensor)));
  explain([&] {
    return fmt::format("{}\n{}\n{}\n{}", name, facts.view(), state_text(context.moment, context.state_of(context.selected)),
                       bits_reason(tensor));
  });
  draw_owner(context, owner);
  if (says_state) {
    ImGui::SameLine();
    state_of_tensor(context, context.selected, left(), before);
  }
  ImGui::SameLine();
  const std::string news = value_news(state);
  const std::string_view said = news.empty() ? facts.view() : std::string_view(news);
  draw_text(fit_text(said, left(), text_width), context.theme.dim);
  explain(said);
  ImGui::SetCursorPos({from.x + room, from.y});
  if (ImGui::Button(kShowAs)) state.show_as_open = true;
  explain(
      "Which slice is shown, which axes run down and across, at which index the others are fixed, and how numbers are written.");
}

void draw_popup(const FrameContext& context, ValuesPanelState& state, const core::TensorRecord& tensor, Commands& commands) {
  if (std::exchange(state.show_as_open, false)) ImGui::OpenPopup("show as");
  ImGui::SetNextWindowSizeConstraints({0, 0}, {ImGui::GetMainViewport()->WorkSize.x * 0.9F, 1e6F});
  if (!ImGui::BeginPopup("show as")) return;
  draw_value_title(context, tensor, true);
  draw_then_or_now(context, state);
  if (const std::string bits = bits_reason(tensor); !bits.empty()) draw_text(bits, context.theme.unknown);
  draw_controls(context, state, tensor, kMaxSliderLines, commands);
  ImGui::EndPopup();
}

float bits_height(const core::TensorRecord& tensor) {
  const std::string bits = bits_reason(tensor);
  if (bits.empty()) return 0;
  const float room = ImGui::GetContentRegionAvail().x;
  return ImGui::CalcTextSize(bits.c_str(), nullptr, false, room).y + ImGui::GetStyle().ItemSpacing.y;
}

}  // namespace

void draw_value_title(const FrameContext& context, const core::TensorRecord& tensor, bool readable) {
  // The view of bytes shows the whole tensor, and others than the selected one.
  const bool is_shown = context.values.part.snapshot != nullptr && &tensor == &context.values.record();
  const core::Snapshot& snapshot = is_shown ? *context.values.snapshot() : *context.index->snapshot;
  tensor_swatch(context, context.selected);
  ImGui::SameLine();
  const std::string_view name = snapshot.name(tensor);
  const LineText facts = facts_of(snapshot, tensor);
  const float gap = context.px(16), state_width = readable ? gap + least_state_width(context, context.selected) : 0;
  // The name gives way before dtype and shape: it loses whole segments, and they cannot be read with their middle cut out.
  const float all = ImGui::GetContentRegionAvail().x;
  const std::string owner = owner_beside_name(context, *context.index->snapshot, context.index->tensor(context.selected));
  const float gap_owner = owner.empty() ? 0 : ImGui::GetStyle().ItemSpacing.x + text_width(owner);
  const float beside = text_width(facts) + state_width + ImGui::GetStyle().ItemSpacing.x + gap_owner;
  const CutText fitted = fit_path(name, tensor.has_metadata ? std::max(all * kLeastOfName, all - beside) : all, text_width);
  draw_text(fitted, context.theme.text);
  explain(fitted.cut ? name : std::string_view());
  draw_owner(context, owner);
  if (!tensor.has_metadata) return;
  ImGui::SameLine();
  // The name of a dtype with fields may be longer than the panel is wide; whether the bytes are current is seen all the same.
  const float room = ImGui::GetContentRegionAvail().x - state_width;
  draw_text(fit_text(facts.view(), room, text_width), context.theme.dim);
  explain([&] { return snapshot.dtype_name(tensor) + "   " + tuple_text(snapshot.shape(tensor)); });
  if (!readable) return;
  ImGui::SameLine(0, gap);
  state_of_tensor(context, context.selected);
}

float shown_bytes_width() {
  return text_width("shown: present bytes") + ImGui::GetStyle().ItemSpacing.x + text_width("then");
}

bool draw_shown_bytes(const FrameContext& context, bool then, const char* then_meaning) {
  draw_text(then ? "shown: then" : "shown: present bytes", context.theme.dim);
  explain(then ? then_meaning
               : "What is at the tensor's address now, whatever lies there, read as if the tensor were still there.");
  if (context.reader == nullptr) return false;
  ImGui::SameLine();
  const bool switched = ImGui::TextLink(then ? "present bytes" : "then");
  explain(then ? "Read the present bytes." : "Show what was last known to be its own.");
  return switched;
}

void draw_state_over_numbers(const FrameContext& context, const ValuesPanelState& state) {
  if (surely_its_own(context.moment, context.state_of(context.selected))) return;
  const LineText text("{}{}", shown_before_state(context, state),
                      brief_state_text(context.moment, context.state_of(context.selected)));
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize(), edge = ImGui::GetStyle().WindowPadding;
  const ImVec2 to{at.x + size.x - edge.x - ImGui::GetStyle().ScrollbarSize, at.y + size.y - edge.y};
  const ImVec2 from{to.x - text_width(text), to.y - ImGui::GetTextLineHeight()};
  ImGui::GetWindowDrawList()->AddRectFilled(from, to, ImGui::GetColorU32(context.theme.panel));
  ImGui::SetCursorScreenPos(from);
  draw_text(text, context.theme.warn);
}

HeadForm head_form(const FrameContext& context, const ValuesPanelState& state, const core::TensorRecord& tensor) {
  const float room = ImGui::GetContentRegionAvail().y;
  const ImGuiStyle& style = ImGui::GetStyle();
  const float button_line = ImGui::GetFrameHeightWithSpacing(), text_line = ImGui::GetTextLineHeightWithSpacing();
  const SliceView shown(context.values.layout(), state.mapping.slice);
  const auto shape = shown.layout().shape;
  const std::int64_t rows = state.mapping.wrap > 0  ? kMinRows
                            : state.mapping.row < 0 ? 1
                                                    : shape[static_cast<std::size_t>(state.mapping.row)];
  ImGui::PushFont(context.fonts.mono, 0.0F);  // unzoomed: larger numbers do not fold the head
  const float numbers = value_row_height(context) * static_cast<float>(1 + std::min(rows, kMinRows)) + style.ScrollbarSize + 2;
  ImGui::PopFont();
  const float fields =
      (state.go_to_open ? button_line : 0) + (shows_slice_field(context, state) ? slice_field_height(context) : 0);
  const float lines = control_lines(context, state, tensor, shape) * button_line;
  const float then_line = is_then_or_now(context, state) && !then_fits_beside(context, tensor) ? text_line : 0;
  const float above = text_line + then_line + bits_height(tensor) + fields + lines, below = text_line;
  const int sliders = std::min(axis_slider_lines(shape, state.mapping), kMaxSliderLines);
  const auto fits = [&](float head) { return head + numbers <= room; };
  const float slider_line = button_line, gap = sliders > 0 ? style.ItemSpacing.y : 0;
  if (fits(above + below + gap + slider_line * static_cast<float>(sliders))) return HeadForm::full;
  if (sliders > 1 && fits(above + below + gap + slider_line)) return HeadForm::short_sliders;
  return fits(button_line) ? HeadForm::line : HeadForm::none;
}

void draw_value_head(const FrameContext& context, ValuesPanelState& state, const core::TensorRecord& tensor, Commands& commands) {
  const bool folded = state.head >= HeadForm::line;
  if (!folded) {
    const bool beside = then_fits_beside(context, tensor);
    draw_value_title(context, tensor, true);
    if (beside && is_then_or_now(context, state)) ImGui::SameLine(0, context.px(16));
    draw_then_or_now(context, state);
    draw_go_to(context, state, commands);
    if (const std::string bits = bits_reason(tensor); !bits.empty()) draw_wrapped_text(bits, context.theme.unknown);
    return draw_controls(context, state, tensor, state.head == HeadForm::full ? kMaxSliderLines : 1, commands);
  }
  if (state.go_to_open)
    draw_go_to(context, state, commands);
  else if (state.head == HeadForm::line)
    draw_line(context, state, tensor);
  draw_popup(context, state, tensor, commands);
}

}  // namespace dlscope::app
