#include "app/models/host/stop_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/models/text/format.h"
#include "app/models/text/sentence.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxWords = 120;
constexpr const char* kMainThread = "MainThread";  // Python's name for it

// Within a sentence.
std::string continued(std::string text) {
  if (text.starts_with("The ")) text.front() = 't';
  return text;
}

std::string function_text(const std::string& function) {
  if (function.empty() || function == "<module>") return {};
  return " in " + function + (function.ends_with('>') ? "" : "()");
}

}  // namespace

std::string frame_place(const core::wire::StackFrame& frame) {
  return fmt::format("{}:{}", frame.path.substr(frame.path.rfind('/') + 1), frame.line);
}

std::string stop_reason_text(const core::wire::Stopped& stop) {
  using core::wire::StopReason;
  switch (stop.reason) {
    case StopReason::breakpoint:
      return stop.message.empty() ? std::string("breakpoint") : "breakpoint: " + shortened(continued(stop.message), kMaxWords);
    case StopReason::step:
      return "step";
    case StopReason::pause:
      return "paused";
    case StopReason::raised:
      return stop.message.empty() ? std::string("an exception was raised") : "raised " + shortened(stop.message, kMaxWords);
    case StopReason::call:
      return stop.message.empty() ? std::string("asked for by the code") : shortened(stop.message, kMaxWords);
    case StopReason::returns:
      return "before it returns";
    case StopReason::uncaught:
      if (stop.message.empty()) return "an exception that nobody caught";
      return "uncaught " + shortened(stop.message, kMaxWords);
    case StopReason::ended:
      return stop.message.empty() ? std::string("interrupted") : shortened(stop.message, kMaxWords);
  }
  return {};
}

bool has_user_function(const core::wire::Stopped& stop) {
  return std::ranges::any_of(stop.frames, [](const auto& frame) { return frame.user && frame.function != "<module>"; });
}

std::string ended_sentence(const core::wire::Stopped& ended) {
  std::string out = "The script was interrupted";
  if (!ended.message.empty()) {
    out = ended.thread.empty() ? "The script" : "The thread " + shortened(ended.thread, kMaxWords);
    out += " ended with " + shortened(ended.message, 4 * kMaxWords);
  }
  return as_sentence(std::move(out));
}

std::string stop_sentence(const StopView& stop) {
  const auto& frames = stop.at.frames;
  const auto user = std::ranges::find_if(frames, &core::wire::StackFrame::user);
  const auto* frame = user != frames.end() ? &*user : frames.empty() ? nullptr : &frames.front();
  const bool ended = stop.at.reason == core::wire::StopReason::ended;
  std::string out = ended ? "Ended" : "Stopped";
  if (frame != nullptr) out += " at " + frame_place(*frame) + function_text(frame->function);
  out += ", " + stop_reason_text(stop.at);
  if (!stop.at.thread.empty() && stop.at.thread != kMainThread) out += ", in thread " + shortened(stop.at.thread, kMaxWords);
  return as_sentence(std::move(out));
}

}  // namespace dlscope::app
