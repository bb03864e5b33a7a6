#include "app/panels/compare/compare_details.h"

#include <imgui.h>

#include "app/models/actions/actions.h"
#include "app/models/focus/focus_text.h"
#include "app/models/tensors/badges.h"
#include "app/models/tensors/size_text.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "app/panels/tensor_marks.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kNameLength = 40;
constexpr const char* kGoToFirst = "Go to the first";

void draw_side(const FrameContext& context, const char* letter, const ComparedSide& side, Commands& commands) {
  const core::Snapshot& snapshot = *side.snapshot;
  const core::TensorRecord& tensor = side.record();
  const bool is_shown = side.when.empty();
  ImGui::PushID(letter);
  draw_text(letter, context.theme.dim);
  ImGui::SameLine();
  if (is_shown) {
    tensor_swatch(context, side.tensor);
    ImGui::SameLine();
  }
  draw_text(shortened_name(snapshot.name(tensor), kNameLength), context.theme.accent);
  if (is_shown && ImGui::IsItemHovered())
    commands.push(command::Hover{{.tensor = side.tensor, .element = {}, .space = tensor.space, .bytes = {}}});
  ImGui::SameLine();
  const LineText facts("{}   {}   {}", snapshot.dtype_name(tensor), shape_in_words(snapshot.shape(tensor)),
                       contiguity_text(tensor.contiguity));
  if (ImGui::CalcTextSize(facts.c_str()).x > ImGui::GetContentRegionAvail().x) ImGui::NewLine();
  draw_text(facts, context.theme.dim);
  ImGui::SameLine();
  if (is_shown)
    state_of_tensor(context, side.tensor);
  else
    draw_text(side.when, context.theme.text);
  ImGui::PopID();
}

}  // namespace

void draw_compared_sides(const FrameContext& context, Commands& commands) {
  const ComparedSides& sides = context.compared_sides;
  draw_side(context, "A", sides.a, commands);
  draw_side(context, "B", sides.b, commands);
  if (!sides.both_shown()) return;
  same_line_for(button_width("Swap"));
  if (small_button("Swap")) {
    commands.push(command::SelectTensor{context.compared});
    commands.push(command::CompareTensor{context.selected});
  }
  explain("A and B change places: errors are then relative to the other one.");
}

void draw_tolerance(const FrameContext& context, ComparePanelState& state) {
  const auto input = [&](const char* label, double& value, const char* meaning) {
    same_line_for(context.px(170));
    draw_text(label, context.theme.dim);
    ImGui::SameLine();
    ImGui::SetNextItemWidth(context.px(80));
    ImGui::PushID(label);
    ImGui::InputDouble("##tolerance", &value, 0, 0, "%g");
    ImGui::PopID();
    explain(meaning);
    if (!(value >= 0)) value = 0;
  };
  input("absolute", state.tolerance.absolute, "A and B agree where |A - B| is at most absolute + relative · |B|.");
  input("relative", state.tolerance.relative, "A and B agree where |A - B| is at most absolute + relative · |B|.");
}

void go_to_compared(const FrameContext& context, std::uint64_t element, Commands& commands) {
  commands.push(command::Pin{focus_of_two(context, ComparePicture::a, element)});
}

void draw_verdict(const FrameContext& context, ComparePanelState& state, Commands& commands) {
  if (!state.problem.empty()) return draw_wrapped_text(state.problem, context.theme.bad);
  if (!state.found) return;
  const ComparedSide &a = context.compared_sides.a, &b = context.compared_sides.b;
  if (state.text.verdict.empty()) {
    const std::string dtype_a = a.snapshot->dtype_name(a.record()), dtype_b = b.snapshot->dtype_name(b.record());
    state.text = comparison_text(*state.found, a.layout(), state.asked_tolerance, {dtype_a, a.signs()}, {dtype_b, b.signs()});
  }
  if (!(state.begun == context.moment))
    draw_wrapped_text("Code has run since they were compared: this is the result from before.", context.theme.warn);
  else if (!state.own)
    draw_wrapped_text("Code ran before they were compared: the memory may have held other data.", context.theme.warn);
  if (state.asked_tolerance != state.tolerance)
    draw_wrapped_text("The tolerance was changed since: this is with the one before. Compare again.", context.theme.warn);
  const float room = ImGui::GetContentRegionAvail().x;
  const bool button_fits = text_width(state.text.verdict) + ImGui::GetStyle().ItemSpacing.x + button_width(kGoToFirst) <= room;
  draw_wrapped_text(state.text.verdict, tone_colour(context.theme, state.text.tone));
  if (state.text.first) {
    if (button_fits) ImGui::SameLine();
    if (small_button(kGoToFirst)) go_to_compared(context, *state.text.first, commands);
    explain("Pins it: every view shows it, and the list below begins there.");
    if (context.asked(ActionId::compare_first)) go_to_compared(context, *state.text.first, commands);
  }
}

void draw_figures(const FrameContext& context, const ComparePanelState& state, Commands& commands) {
  if (state.text.figures.empty()) return;
  const ComparedSide& a = context.compared_sides.a;
  constexpr auto kFlags = ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("figures", 3, kFlags)) return;
  for (const ComparisonFigure& figure : state.text.figures) {
    ImGui::TableNextRow();
    ImGui::TableSetColumnIndex(0);
    draw_text(figure.label, context.theme.dim);
    explain(figure.meaning);
    ImGui::TableSetColumnIndex(1);
    draw_text(figure.value);
    ImGui::TableSetColumnIndex(2);
    if (!figure.element) continue;
    ImGui::PushID(figure.label.c_str());
    const std::string place = index_text(a.layout(), *figure.element);
    if (ImGui::TextLink((place + "###place").c_str())) go_to_compared(context, *figure.element, commands);
    explain("Pins it: every view shows it.");
    ImGui::PopID();
  }
  ImGui::EndTable();
}

void draw_details_button(const FrameContext& context, ComparePanelState& state, Commands& commands) {
  same_line_for(button_width("Details …"));
  if (small_button("Details …")) ImGui::OpenPopup("details");
  explain("The two tensors, the tolerance, and the counts and errors that were found.");
  ImGui::SetNextWindowSizeConstraints({0, 0}, {ImGui::GetMainViewport()->WorkSize.x * 0.9F, 1e6F});
  if (!ImGui::BeginPopup("details")) return;
  draw_compared_sides(context, commands);
  draw_tolerance(context, state);
  const bool is_of_these = state.found && state.revision == context.compared_sides.revision;
  if (is_of_these) draw_figures(context, state, commands);
  ImGui::EndPopup();
}

}  // namespace dlscope::app
