#include "app/models/debug/names_frame.h"

#include <fmt/format.h>

#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxFunction = 40;
constexpr const char* kTopLevel = "the script";

bool is_top_level(const core::wire::StackFrame& frame) { return frame.function.empty() || frame.function == "<module>"; }

std::string frame_words(const core::wire::StackFrame& frame) {
  if (!is_top_level(frame)) return shortened(frame.function, kMaxFunction) + (frame.function.ends_with('>') ? "" : "()");
  return frame.user ? "the top level of " + frame.path.substr(frame.path.rfind('/') + 1) : std::string("a module of a library");
}

// The innermost frame of the user's code in the stack that begins at `first`; null: it has none.
const core::wire::StackFrame* innermost_user_frame(const core::wire::Stopped& stop, std::uint32_t first) {
  const bool ended = stop.reason == core::wire::StopReason::ended;
  for (std::uint32_t i = first; i < stop.frames.size(); ++i) {
    if (i > first && !ended && !stop.frames[i].heading.empty()) return nullptr;
    if (stop.frames[i].user) return &stop.frames[i];
  }
  return nullptr;
}

}  // namespace

std::uint32_t first_of_stack(const core::wire::Stopped& stop, std::uint32_t frame) {
  while (frame > 0 && (frame >= stop.frames.size() || stop.frames[frame].heading.empty())) --frame;
  return frame;
}

std::optional<NamesFrame> other_frame_chosen(const StopView* frames, const Moment& moment) {
  if (frames == nullptr || frames->chosen() == nullptr || moment.of_file || moment.since == Since::looked_again)
    return std::nullopt;
  const bool ended = frames->at.reason == core::wire::StopReason::ended;
  if (!ended && !moment.at_stop) return std::nullopt;
  const core::wire::StackFrame& chosen = *frames->chosen();
  const auto* const names = innermost_user_frame(frames->at, ended ? 0 : first_of_stack(frames->at, frames->frame));
  if (names == &chosen) return std::nullopt;
  NamesFrame out{names != nullptr ? frame_words(*names) : kTopLevel, frame_words(chosen)};
  if (names != nullptr && out.names == out.chosen) {  // two calls of one function
    out.names += fmt::format(", line {}", names->line);
    out.chosen += fmt::format(", line {}", chosen.line);
  }
  return out;
}

std::string names_frame_line(const NamesFrame& frames) {
  const char* const innermost = frames.names == kTopLevel ? "" : ", the innermost frame";
  return fmt::format("Names as in {}{}; you are in {}.", frames.names, innermost, frames.chosen);
}

std::string owner_of_name(const NamesFrame& frames, const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  const std::string_view name = snapshot.name(tensor);
  if (tensor.frame >= snapshot.frames.size()) return name.starts_with("globals()[") ? "" : "global";
  const std::string_view function = snapshot.str(snapshot.frames[tensor.frame].function);
  const bool says_itself = name.starts_with(function) && (name.substr(function.size()).starts_with("().") ||
                                                          name.substr(function.size()).starts_with("()#"));
  return says_itself ? std::string() : "of " + frames.names;
}

std::string line_frame_text(const NamesFrame& frames) {
  return fmt::format("For the console in {}: in {}, where you are, its names may mean other objects.", frames.names,
                     frames.chosen);
}

std::string why_not_run_here(const NamesFrame& frames) {
  return fmt::format(
      "The line would run in {}, the chosen frame, where its names may mean other objects. Choose {} in the Stack.",
      frames.chosen, frames.names);
}

}  // namespace dlscope::app
