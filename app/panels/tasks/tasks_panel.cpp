#include "app/panels/tasks/tasks_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <string>

#include "app/models/jobs/task_list.h"
#include "app/models/text/format.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kLongestTitle = 48;
constexpr const char* kCancel = "Cancel";

const ImVec4& state_colour(const Theme& theme, TaskState state) {
  switch (state) {
    case TaskState::done:
      return theme.good;
    case TaskState::failed:
      return theme.bad;
    case TaskState::cancelled:
      return theme.warn;
    case TaskState::waiting:
    case TaskState::running:
      break;
  }
  return theme.accent;
}

void draw_cancel(const TaskEntry& task, Commands& commands) {
  ImGui::BeginDisabled(!task.can_cancel || task.cancel_asked);
  if (small_button(task.cancel_asked ? "Cancelling" : kCancel)) commands.push(command::CancelTask{task.id});
  ImGui::EndDisabled();
  if (!task.can_cancel) explain("This cannot be interrupted half-way.");
}

void draw_bar(const FrameContext& context, const TaskEntry& task) {
  const float width = ImGui::GetContentRegionAvail().x;
  const auto part = task.part();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = context.px(4);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, {at.x + width, at.y + height}, ImGui::GetColorU32(ImGuiCol_FrameBg));
  // Without a total the bar cannot show a part: it is filled with a paler colour.
  const float filled = part ? static_cast<float>(*part) : 1;
  ImVec4 colour = context.theme.accent;
  if (!part) colour.w *= 0.35F;
  list->AddRectFilled(at, {at.x + width * filled, at.y + height}, ImGui::GetColorU32(colour));
  ImGui::Dummy({width, height});
}

void draw_open(const FrameContext& context, const TaskEntry& task, Commands& commands) {
  draw_wrapped_text(task.title, context.theme.text);
  if (task.state == TaskState::running) draw_bar(context, task);
  draw_cancel(task, commands);
  ImGui::SameLine();
  draw_text(progress_text(task), context.theme.dim);
}

void draw_ended(const FrameContext& context, const TaskEntry& task) {
  const double seconds = std::chrono::duration<double>(task.ended - task.started).count();
  draw_wrapped_text(task.message.empty() ? task.title : task.message,
                    task.state == TaskState::failed ? context.theme.bad : context.theme.text);
  draw_text(task_state_word(task.state), state_colour(context.theme, task.state));
  ImGui::SameLine();
  const std::string progress = progress_text(task);
  draw_text(LineText("{}{}in {:.1f} s", progress, progress.empty() ? "" : " ", seconds), context.theme.dim);
  explain(task.title);
}

std::string line_text(const TaskEntry& task) {
  std::string text = shortened(task.title, kLongestTitle);
  if (task.cancel_asked) return text + ": being cancelled";
  if (const auto part = task.part()) return text + fmt::format(": {:.0f} %", *part * 100);
  return text + " …";
}

const TaskEntry* task_shown(const FrameContext& context) { return context.tasks.shown(TaskList::Clock::now()); }

}  // namespace

void draw_tasks_panel(const FrameContext& context, Commands& commands) {
  if (ImGui::Begin(title_of(ActionContext::tasks))) {
    const auto& tasks = context.tasks.all();
    if (tasks.empty())
      draw_wrapped_text(
          "Nothing is running. What takes longer, such as saving a report or searching a whole tensor, is listed here while it "
          "runs and after it.",
          context.theme.dim);
    for (const bool open : {true, false}) {
      for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {
        if (task->is_open() != open) continue;
        ImGui::PushID(static_cast<int>(task->id));
        if (open)
          draw_open(context, *task, commands);
        else
          draw_ended(context, *task);
        ImGui::Spacing();
        ImGui::PopID();
      }
    }
    if (tasks.size() > context.tasks.open_count() && small_button("Clear what has ended"))
      commands.push(command::ClearTasks{});
  }
  ImGui::End();
}

float task_line_width(const FrameContext& context) {
  const TaskEntry* task = task_shown(context);
  if (task == nullptr) return 0;
  const float spacing = ImGui::GetStyle().ItemSpacing.x;
  return ImGui::CalcTextSize(line_text(*task).c_str()).x + button_width(kCancel) + spacing * 3;
}

void draw_task_line(const FrameContext& context, Commands& commands) {
  const TaskEntry* task = task_shown(context);
  if (task == nullptr) return;
  draw_text(line_text(*task), context.theme.accent);
  explain([&] { return task->title + "\n" + progress_text(*task); });
  ImGui::PushID("task line");
  draw_cancel(*task, commands);
  ImGui::PopID();
}

}  // namespace dlscope::app
