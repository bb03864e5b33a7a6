#include "app/panels/compare/compared_with.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/models/actions/actions.h"
#include "app/models/history/moment_history.h"
#include "app/models/history/remembered_tensors.h"
#include "app/models/tensors/size_text.h"
#include "app/models/text/fitted_text.h"
#include "app/models/text/name_path.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kNameLength = 60;

std::string file_name(const ComparedFileTensors& file) { return file.path.substr(file.path.rfind('/') + 1); }

void take_width(float in_letters) {
  ImGui::SetNextItemWidth(std::min(ImGui::GetFontSize() * in_letters, ImGui::GetContentRegionAvail().x));
}

bool has_moments(const HistoryView& history) {
  return history.remembered != nullptr && history.kept != nullptr && !history.remembered->moments().empty();
}

std::string moment_title(const HistoryView& history, std::uint64_t number) {
  const KeptMomentPtr moment = history.kept->find(number);
  return moment ? fmt::format("as it was at {}, {}", moment->title, moment->time) : std::string("no longer kept");
}

// Another tensor, or the selected one at a moment for which its bytes were kept.
void draw_moments(const FrameContext& context, Commands& commands) {
  const HistoryView& history = context.history;
  const ComparedSides& sides = context.compared_sides;
  const std::uint64_t chosen = sides.moment;
  take_width(22);
  const std::string shown = !sides.file.path.empty() ? "compared: A with " + file_name(sides.file)
                            : chosen == 0            ? std::string("compared: A with B")
                                                     : "A: " + moment_title(history, chosen);
  const float room = ImGui::CalcItemWidth() - ImGui::GetFrameHeight() - ImGui::GetStyle().FramePadding.x * 2;
  if (ImGui::BeginCombo("##with", fit_text(shown, room, text_width).str().c_str())) {
    if (ImGui::Selectable("A with B, the one chosen by Ctrl+click", sides.both_shown()))
      commands.push(command::CompareWithMoment{});
    for (const auto& [number, kept] : history.remembered->moments()) {
      if (number == history.shown || kept->with_bytes().empty()) continue;
      ImGui::PushID(static_cast<int>(number));
      if (ImGui::Selectable(moment_title(history, number).c_str(), chosen == number))
        commands.push(command::CompareWithMoment{number});
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  explain(
      "The selected tensor with itself as it was at a moment whose bytes of it were remembered: A is then, B is what is shown.");
}

// The tensors of the file, to choose from.
void draw_file_tensors(const FrameContext& context, const ComparedFileTensors& file, Commands& commands) {
  const core::Snapshot& snapshot = *file.snapshot;
  const auto name_of = [&](std::uint32_t id) { return shortened_name(snapshot.name(snapshot.tensors[id]), kNameLength); };
  take_width(22);
  const std::string shown = file.tensor == core::kNone32 ? std::string("choose a tensor") : name_of(file.tensor);
  if (!ImGui::BeginCombo("##of file", shown.c_str())) return explain("The tensor of the file that is B.");
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(snapshot.tensors.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto id = static_cast<std::uint32_t>(i);
      const core::TensorRecord& tensor = snapshot.tensors[id];
      ImGui::PushID(i);
      if (ImGui::Selectable(name_of(id).c_str(), id == file.tensor)) commands.push(command::CompareWithFileTensor{id});
      ImGui::SameLine();
      draw_text(LineText("{}   {}", snapshot.dtype_name(tensor), shape_in_words(snapshot.shape(tensor))), context.theme.dim);
      ImGui::PopID();
    }
  }
  ImGui::EndCombo();
}

void draw_file(const FrameContext& context, const ComparedFileTensors& file, Commands& commands) {
  ImGui::AlignTextToFramePadding();
  draw_text(file_name(file), context.theme.text);
  explain(file.path);
  ImGui::SameLine();
  if (file.snapshot != nullptr)
    draw_file_tensors(context, file, commands);
  else
    draw_text("Opening …", context.theme.dim);
  same_line_for(button_width("Close the file"));
  if (small_button("Close the file")) commands.push(command::CompareWithFile{});
  explain("Compares with the tensor chosen by Ctrl+click again.");
  if (file.warning.empty()) return;
  draw_wrapped_text(file.warning, context.theme.warn);
  if (small_button("Open it again")) commands.push(command::CompareWithFile{file.path});
}

}  // namespace

void draw_compared_with(const FrameContext& context, Commands& commands) {
  const ComparedFileTensors& file = context.compared_sides.file;
  if (has_moments(context.history)) draw_moments(context, commands);
  if (!file.path.empty()) return draw_file(context, file, commands);
  if (has_moments(context.history)) same_line_for(button_width("Compare with a file …"));
  if (small_button("Compare with a file …")) commands.push(command::Ask{ActionId::compare_file});
  explain(action(ActionId::compare_file).meaning);
}

void draw_no_counterpart(const FrameContext& context) {
  const ComparedSides& sides = context.compared_sides;
  if (sides.file.snapshot == nullptr) return;
  const std::string name = shortened_name(sides.a.snapshot->name(sides.a.record()), kNameLength);
  const std::string why = sides.file.snapshot->tensors.empty()
                              ? fmt::format("{} holds no tensors.", file_name(sides.file))
                              : fmt::format("{} holds no tensor of the name {}: choose the one to compare it with.",
                                            file_name(sides.file), name);
  draw_wrapped_text(why, context.theme.text);
}

}  // namespace dlscope::app
