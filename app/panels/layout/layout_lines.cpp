#include "app/panels/layout/layout_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr float kTermGap = 6;  // pixels at 100 %, between the terms of the formula
constexpr std::size_t kManyAxes = 6;

const char* sign_before(std::size_t term) { return term == 0 ? "" : term == 1 ? "at" : term == 2 ? "=" : "+"; }

ImVec4 axis_colour(const FrameContext& context, const LayoutPanelState& state, int axis) {
  if (axis == state.mapping.row) return context.theme.row_axis;
  if (axis == state.mapping.column) return context.theme.column_axis;
  return context.theme.text;
}

// As many words as fit into `room`. Returns whether that is not the whole sentence: its tooltip has to say it.
bool draw_sentence(const std::string& sentence, float room, const ImVec4& colour) {
  const CutText shown = fit_entries(sentence, " ", room, text_width);
  draw_text(shown, colour);
  return shown.cut;
}

void draw_verdict(const FrameContext& context, const OrderVerdict& verdict) {
  const bool cut =
      draw_sentence(verdict.message, ImGui::GetContentRegionAvail().x, verdict.holds ? context.theme.good : context.theme.text);
  const char* meaning = verdict.holds
                            ? "Elements lie one after the other in this order, without gaps."
                            : "Reading it in this order jumps around in memory. Functions that want this order will copy it.";
  explain([&] { return cut ? verdict.message + "\n" + meaning : std::string(meaning); });
}

// Whether the two verdicts need two lines.
bool verdicts_wrap(const FrameContext& context, const LayoutPanelState& state) {
  const float width = ImGui::CalcTextSize(state.c_order.message.c_str()).x + ImGui::CalcTextSize(state.f_order.message.c_str()).x;
  return width + context.px(32) > ImGui::GetContentRegionAvail().x;
}

void light(const LayoutPanelState& state, int axis, Commands& commands) {
  commands.push(command::Hover{{.tensor = state.tensor, .element = {}, .space = {}, .bytes = {}, .axis = axis}});
}

// right: where the lines end, in pixels of the screen.
void draw_axis(const FrameContext& context, const LayoutPanelState& state, const AxisFact& fact, float right, Commands& commands) {
  const bool used = fact.step != AxisStep::unused && fact.step != AxisStep::no_elements;
  const ImVec4 plain = used ? context.theme.text : context.theme.dim;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::Selectable(fmt::format("##axis{}", fact.axis).c_str(), context.lit_axis() == fact.axis,
                    ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap, {0, ImGui::GetTextLineHeight()});
  if (ImGui::IsItemHovered()) light(state, fact.axis, commands);
  ImGui::SameLine(0, 0);
  draw_text(fmt::format("axis {}", fact.axis), used ? axis_colour(context, state, fact.axis) : context.theme.dim);
  ImGui::TableNextColumn();
  draw_text("size " + grouped(static_cast<std::uint64_t>(fact.size)), plain);
  ImGui::TableNextColumn();
  draw_text("stride " + fact.elements + (fact.elements == "1" ? " element" : " elements"), plain);
  explain("How far one step along this axis moves in memory.");
  ImGui::TableNextColumn();
  draw_text(fact.bytes, plain);
  ImGui::TableNextColumn();
  const char* what = fact.breaks_c && fact.breaks_f ? "breaks C and F order"
                     : fact.breaks_c                ? "breaks C order"
                     : fact.breaks_f                ? "breaks F order"
                                                    : "";
  const float room = right - ImGui::GetCursorScreenPos().x - (*what != 0 ? text_width(what) + ImGui::GetStyle().ItemSpacing.x : 0);
  if (draw_sentence(fact.message, room, plain)) explain(fact.message);
  if (*what == 0) return;
  ImGui::SameLine();
  draw_text(what, context.theme.warn);
  explain("The first axis, counted from the fastest, whose step is not the one of this order.");
}

// A number of the formula with its label, below it or in its tooltip.
struct FormulaTerm {
  std::string text, label;
  ImVec4 colour;
  int axis = -1;
};

void draw_term(const FrameContext& context, const LayoutPanelState& state, const FormulaTerm& term, bool labels,
               Commands& commands) {
  ImGui::BeginGroup();
  ImGui::PushFont(context.fonts.mono, 0.0F);
  draw_text(term.text, term.colour);
  ImGui::PopFont();
  if (labels) {
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y);
    draw_text(term.label, term.colour.w > 0 ? context.theme.dim : term.colour);
  }
  ImGui::EndGroup();
  if (term.axis >= 0 && ImGui::IsItemHovered()) light(state, term.axis, commands);
  if (!labels) explain(term.label);
}

std::vector<FormulaTerm> formula_of(const FrameContext& context, const LayoutPanelState& state, const AddressTerms& terms) {
  const core::TensorRecord& tensor = context.index->tensor(state.tensor);
  const core::LayoutView layout = context.index->snapshot->layout(tensor);
  const ImVec4 text = context.theme.text, dim = context.theme.dim;
  std::vector<FormulaTerm> out;
  const std::string index = layout.shape.empty() ? "the element" : index_text(layout, terms.element);
  std::string at = grouped_address(terms.address);
  if (tensor.item_bits % 8 != 0) at += fmt::format(", bit {}", terms.bit);
  out.push_back({index, "element", context.theme.accent});
  out.push_back({at, "its address", text});
  out.push_back({grouped_address(terms.data), "data", text});
  out.push_back({fmt::format("{} B", terms.byte_offset), "byte_offset", terms.byte_offset == 0 ? dim : text});
  for (const AddressTerm& term : terms.terms) {
    const bool moves = term.bits() != 0;
    const ImVec4 colour = axis_colour(context, state, term.axis);
    out.push_back({term.used ? term_text(term) : "0", fmt::format("axis {}", term.axis),
                   moves || term.axis == state.mapping.row || term.axis == state.mapping.column ? colour : dim, term.axis});
    if (!term.used) out.back().colour = dim;
  }
  return out;
}

// "+ 0·8 B (axis 0) + 0·1024 B (axis 1)", from that term on.
std::string rest_of_formula(const std::vector<FormulaTerm>& formula, std::size_t from) {
  std::string out;
  for (std::size_t i = from; i < formula.size(); ++i)
    out += fmt::format("{}{} {} ({})", i > from ? " " : "", sign_before(i), formula[i].text, formula[i].label);
  return out;
}

// The line of each term when the terms follow each other in a room so wide; only a term too wide by itself reaches beyond it.
std::vector<int> flow(const FrameContext& context, const std::vector<FormulaTerm>& formula, bool labels, float room) {
  const float gap = context.px(kTermGap);
  std::vector<int> out;
  float x = 0;
  int line = 0;
  for (std::size_t i = 0; i < formula.size(); ++i) {
    ImGui::PushFont(context.fonts.mono, 0.0F);
    float width = text_width(formula[i].text);
    ImGui::PopFont();
    if (labels) width = std::max(width, text_width(formula[i].label));
    if (i > 0) width += text_width(sign_before(i)) + gap;
    if (x > 0 && x + gap + width > room) {
      ++line;
      x = 0;
    }
    x += width + (x > 0 ? gap : 0);
    out.push_back(line);
  }
  return out;
}

}  // namespace

void draw_axis_lines(const FrameContext& context, const LayoutPanelState& state, float room, Commands& commands) {
  const float line = ImGui::GetTextLineHeight() + context.px(2);
  const std::size_t lines = state.facts.size() + (verdicts_wrap(context, state) ? 2 : 1);
  const float needed = line * static_cast<float>(lines) + context.px(2);
  const float whole = line * std::max(1.0F, std::floor(room / line));  // no line is cut off
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(context.px(6), context.px(1)));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(context.px(8), context.px(2)));
  ImGui::BeginChild("axis lines", {0, std::min(needed, whole)});
  draw_verdict(context, state.c_order);
  if (!verdicts_wrap(context, state)) ImGui::SameLine(0, context.px(16));
  draw_verdict(context, state.f_order);
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  if (!state.facts.empty() && ImGui::BeginTable("axes", 5, ImGuiTableFlags_SizingFixedFit)) {
    for (const AxisFact& fact : state.facts) draw_axis(context, state, fact, right, commands);
    ImGui::EndTable();
  }
  ImGui::EndChild();
  ImGui::PopStyleVar(2);
}

const FormulaLines& formula_lines(const FrameContext& context, LayoutPanelState& state, float width) {
  return state.formula_lines.get({context.generation, state.tensor, width, ImGui::GetFontSize()}, [&](FormulaLines& out) {
    const core::TensorRecord& tensor = context.index->tensor(state.tensor);
    // The last element has the largest index along every axis.
    const auto formula = formula_of(context, state, address_terms(*context.index->snapshot, tensor, tensor.elements - 1));
    out.with_labels = flow(context, formula, true, width).back() + 1;
    out.without = flow(context, formula, false, width).back() + 1;
  });
}

void draw_address_formula(const FrameContext& context, LayoutPanelState& state, const LayoutFocus& focus, bool labels, int lines,
                          Commands& commands) {
  const core::TensorRecord& tensor = context.index->tensor(state.tensor);
  const AddressTerms terms = address_terms(*context.index->snapshot, tensor, focus.element.value_or(0));
  const float line = ImGui::GetTextLineHeight() * (labels ? 2.0F : 1.0F) + context.px(4), gap = context.px(kTermGap);
  const auto formula = formula_of(context, state, terms);
  float room = ImGui::GetContentRegionAvail().x;
  std::vector<int> line_of = flow(context, formula, labels, room);
  const bool whole = line_of.back() < lines;
  // Of very many axes several lines are visible and the rest scrolls; of fewer, what is left out is in the tooltip of the dots.
  const bool scrolls = !whole && lines > 1 && terms.terms.size() > kManyAxes;
  if (!whole) {
    room -= scrolls ? ImGui::GetStyle().ScrollbarSize : text_width("…") + gap;
    line_of = flow(context, formula, labels, room);
  }
  state.drawn.formula_lines = lines;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(gap, context.px(2)));
  ImGui::BeginChild("address formula", {0, line * static_cast<float>(lines)}, ImGuiChildFlags_None,
                    scrolls ? ImGuiWindowFlags_None : ImGuiWindowFlags_NoScrollbar);
  for (std::size_t i = 0; i < formula.size(); ++i) {
    const bool left_out = !scrolls && line_of[i] >= lines;
    if (i > 0 && (left_out || line_of[i] == line_of[i - 1])) ImGui::SameLine(0, gap);
    if (left_out) {
      draw_text("…", context.theme.dim);
      explain([&] { return rest_of_formula(formula, i); });
      state.drawn.formula_left_out = static_cast<int>(formula.size() - i);
      break;
    }
    if (i > 0) {
      draw_text(sign_before(i), context.theme.dim);
      ImGui::SameLine(0, gap);
    }
    draw_term(context, state, formula[i], labels, commands);
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace dlscope::app
