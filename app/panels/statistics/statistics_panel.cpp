#include "app/panels/statistics/statistics_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/models/focus/focus_text.h"
#include "app/models/text/format.h"
#include "app/panels/nothing_selected.h"
#include "app/panels/values/field_picker.h"
#include "app/panels/values/value_head.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "core/inventory/tensor_numbers.h"

namespace dlscope::app {
namespace {

using Phase = TensorStatistics::Phase;

bool holds_whole_numbers(core::DType dtype) {
  const auto code = static_cast<core::DTypeCode>(dtype.code);
  return code == core::DTypeCode::int_ || code == core::DTypeCode::uint || code == core::DTypeCode::bool_;
}

// Why nothing can be read, as a sentence; "": it can.
std::string obstacle(const FrameContext& context, const core::TensorRecord& tensor) {
  std::string why = why_no_statistics(*context.values.snapshot(), tensor);
  if (!why.empty()) return why;
  if (std::string no = context.why_not_read(context.selected); !no.empty()) return no;
  return {};
}

void compute(const FrameContext& context, Commands& commands) {
  commands.push(command::ComputeStatistics{context.selected, context.values.field});
}

// Offers to read what has not been read: a button, and how long it may take.
void draw_offer(const FrameContext& context, const core::TensorRecord& tensor, const char* again, Commands& commands) {
  const std::uint64_t bytes = bytes_to_read(*context.values.snapshot(), tensor);
  const LineText label("{} {}###compute", again, human_bytes(bytes));
  if (ImGui::Button(label.c_str())) compute(context, commands);
  explain(
      "As a task in the script's process, at the speed of memory. It goes on while Python runs or hangs, and can be cancelled.");
  ImGui::SameLine();
  draw_text(reading_time(bytes, context.statistics.rate()), context.theme.dim);
}

void draw_computing(const FrameContext& context, const TensorStatistics& statistics, Commands& commands) {
  const TaskEntry* const task = context.tasks.find(statistics.task);
  const float part = task != nullptr && task->part() ? static_cast<float>(*task->part()) : 0;
  const float button = button_width("Cancel") + ImGui::GetStyle().ItemSpacing.x;
  ImGui::ProgressBar(part, {std::max(1.0F, ImGui::GetContentRegionAvail().x - button), ImGui::GetFrameHeight()},
                     task != nullptr ? progress_text(*task).c_str() : "");
  ImGui::SameLine();
  ImGui::BeginDisabled(task == nullptr || task->cancel_asked);
  if (ImGui::Button("Cancel")) commands.push(command::CancelTask{statistics.task});
  ImGui::EndDisabled();
}

// Always says what the numbers cover, and when they were read.
void draw_coverage(const FrameContext& context, const TensorStatistics& statistics) {
  const Coverage about = coverage(statistics.found->summary);
  draw_wrapped_text(about.text, about.is_sample ? context.theme.warn : context.theme.text);
  explain(about.meaning);
  const ReadWhen when = read_when(statistics, context.moment);
  if (!when.text.empty()) draw_wrapped_text(when.text, when.stale ? context.theme.warn : context.theme.dim);
}

void draw_facts(const FrameContext& context, const std::vector<StatisticsFact>& facts, Commands& commands) {
  if (!ImGui::BeginTable("facts", 2, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_RowBg)) return;
  for (const StatisticsFact& fact : facts) {
    ImGui::PushID(fact.label.c_str());
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    draw_text(fact.label, context.theme.dim);
    explain(fact.meaning);
    ImGui::TableNextColumn();
    ImGui::PushFont(context.fonts.mono, 0.0F);
    const ImVec4 colour = tone_colour(context.theme, fact.tone);
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    copyable(fact.text, fact.text, "copy");
    ImGui::PopStyleColor();
    ImGui::PopFont();
    explain(fact.meaning);
    if (fact.element) {
      same_line_for(button_width("Go there"));
      if (small_button("Go there")) commands.push(command::Pin{context.values.focus_on(*fact.element)});
      explain("Pins this element: the values, the layout and the memory map show it.");
    }
    ImGui::PopID();
  }
  ImGui::EndTable();
}

void draw_numbers(const FrameContext& context, StatisticsPanelState& state, const core::TensorRecord& tensor,
                  const core::Statistics& statistics, ColourEnds& ends, Commands& commands) {
  const core::Snapshot& snapshot = *context.values.snapshot();
  const StatisticsPanelState::Seen seen{context.generation, context.selected, context.values.field,
                                        context.statistics.summaries_revision()};
  const auto& facts =
      state.facts.get(seen, [&](std::vector<StatisticsFact>& out) { out = statistics_facts(snapshot, tensor, statistics); });
  const float wide = ImGui::GetFontSize() * 46;
  const bool whole_numbers = holds_whole_numbers(core::numbers_of(snapshot, tensor).dtype);
  const BinnedValues values = whole_numbers ? BinnedValues::whole : BinnedValues::real;
  const bool side_by_side = ImGui::GetContentRegionAvail().x >= wide && statistics.histogram.valid;
  if (side_by_side) {
    if (!ImGui::BeginTable("sides", 2, ImGuiTableFlags_SizingStretchProp)) return;
    ImGui::TableSetupColumn("facts", ImGuiTableColumnFlags_WidthFixed, ImGui::GetFontSize() * 27);
    ImGui::TableSetupColumn("histogram", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableNextColumn();
    draw_facts(context, facts, commands);
    ImGui::TableNextColumn();
    draw_histogram(context, state.histogram, statistics, values, ends);
    ImGui::EndTable();
    return;
  }
  draw_facts(context, facts, commands);
  draw_histogram(context, state.histogram, statistics, values, ends);
}

void draw_selected(const FrameContext& context, StatisticsPanelState& state, ColourEnds& ends, Commands& commands) {
  const core::TensorRecord& tensor = context.values.record();
  const std::string why = obstacle(context, tensor);
  draw_value_title(context, tensor, why.empty());
  draw_field_choice(context, commands);
  const TensorStatistics* const statistics = context.statistics.find(*context.values.snapshot(), tensor);
  if (!why.empty() && (statistics == nullptr || !statistics->found)) return draw_wrapped_text(why, context.theme.unknown);
  const bool own = context.bytes_are_its_own(context.selected);
  if (context.asked(ActionId::statistics_compute)) compute(context, commands);
  if (statistics == nullptr) {
    if (own && bytes_to_read(*context.values.snapshot(), tensor) <= kReadAtOnce) return compute(context, commands);
    draw_wrapped_text(own ? "Not read yet." : "Not read yet. Code is running or has run since: other data may be there.",
                      own ? context.theme.dim : context.theme.warn);
    return draw_offer(context, tensor, own ? "Read all" : "Read the present bytes,", commands);
  }
  if (statistics->computing()) draw_computing(context, *statistics, commands);
  if (statistics->phase == Phase::failed)
    draw_wrapped_text("The values were not read: " + statistics->why + ".", context.theme.bad);
  if (statistics->phase == Phase::cancelled) draw_text("Cancelled.", context.theme.warn);
  if (statistics->found) draw_coverage(context, *statistics);
  if (!statistics->computing() && why.empty())
    draw_offer(context, tensor, statistics->exact() ? "Read again," : "Read all", commands);
  if (statistics->found) draw_numbers(context, state, tensor, *statistics->found, ends, commands);
}

}  // namespace

void draw_statistics_panel(const FrameContext& context, StatisticsPanelState& state, ColourEnds& ends, Commands& commands) {
  if (ImGui::Begin(title_of(ActionContext::statistics))) {
    if (!context.has_tensors() || context.selected == core::kNone32)
      draw_wrapped_text(nothing_selected(context, "The statistics of the selected tensor's values will be shown here."),
                        context.theme.dim);
    else
      draw_selected(context, state, ends, commands);
  }
  ImGui::End();
}

}  // namespace dlscope::app
