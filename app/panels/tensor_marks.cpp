#include "app/panels/tensor_marks.h"

#include "app/models/debug/names_frame.h"
#include "app/models/host/moment_text.h"
#include "app/models/host/suspension_text.h"
#include "app/models/tensors/scan_limits.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

const char* brief_text(const Moment& moment, const HostSession& host) {
  switch (moment.since) {
    case Since::nothing:
      return moment.others_ran ? "other code ran since" : moment.at_stop ? "as of this stop" : "";
    case Since::running:
      return host.suspension().empty() ? "code runs" : kSuspendedWord;
    case Since::ran:
      return "code has run since";
    case Since::crashed:
      return "crashed since";
    case Since::ended:
      return "process ended";
    case Since::looked_again:
      return "then";
  }
  return "";
}

}  // namespace

void tensor_swatch(const FrameContext& context, std::uint32_t tensor) {
  group_swatch(context.theme, context.index->colour_of(context.index->tensor(tensor)), may_be_anothers(context.state_of(tensor)));
}

void state_of_tensor(const FrameContext& context, std::uint32_t tensor, float room, std::string_view before) {
  const TensorState state = context.state_of(tensor);
  const std::string whole = std::string(before) + state_text(context.moment, state);
  const LineText brief("{}{}", before, brief_state_text(context.moment, state));
  draw_text(first_that_fits({whole, brief}, room), state_colour(context, state));
  explain([&] { return whole + "\n" + state_meaning(context.moment, state, context.index->tensor(tensor).is_copied); });
}

void state_of_tensor(const FrameContext& context, std::uint32_t tensor) {
  state_of_tensor(context, tensor, ImGui::GetContentRegionAvail().x);
}

float least_state_width(const FrameContext& context, std::uint32_t tensor, std::string_view before) {
  return text_width(before) + text_width(brief_state_text(context.moment, context.state_of(tensor)));
}

std::string owner_beside_name(const FrameContext& context, const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  const auto frames = other_frame_chosen(context.host.frames(), context.moment);
  return frames ? owner_of_name(*frames, snapshot, tensor) : std::string();
}

void draw_owner(const FrameContext& context, const std::string& owner) {
  if (owner.empty()) return;
  ImGui::SameLine();
  draw_text(owner, context.theme.warn);
  explain([&] {
    const auto frames = other_frame_chosen(context.host.frames(), context.moment);
    return frames ? names_frame_line(*frames) : std::string();
  });
}

const char* consequence_prefix(const FrameContext& context, std::uint32_t a, std::uint32_t b) {
  return context.bytes_are_its_own(a) && context.bytes_are_its_own(b) ? "" : "Then: ";
}

std::string moment_text(const FrameContext& context, float room) {
  const std::string text = moment_description(context.moment, context.host);
  return std::string(first_that_fits({text, brief_text(context.moment, context.host), ""}, room));
}

void moment_shown(const FrameContext& context, const std::string& text) {
  if (text.empty()) return;
  draw_text(text, nothing_ran(context.moment) ? context.theme.dim : context.theme.warn);
  explain([&] { return moment_description(context.moment, context.host) + "\n" + moment_meaning(context.moment); });
}

void draw_limits_reached(const FrameContext& context) {
  if (!context.index) return;
  const std::string reached = limits_reached(*context.index->snapshot);
  if (reached.empty()) return;
  draw_wrapped_text(std::string_view(reached).substr(0, reached.size() - 1), context.theme.warn);
  explain("What lies behind such a limit is in no view. A report has every limit.");
}

const ImVec4& state_colour(const FrameContext& context, TensorState state) {
  return surely_its_own(context.moment, state) ? context.theme.dim : context.theme.warn;
}

}  // namespace dlscope::app
