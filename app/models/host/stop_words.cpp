#include "app/models/host/stop_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMostWords = 120;
constexpr const char* kMainThread = "MainThread";  // as Python calls it

std::string function_words(const std::string& function) {
  if (function.empty() || function == "<module>") return {};
  return " in " + function + (function.ends_with('>') ? "" : "()");
}

}  // namespace

std::string frame_place(const core::wire::StackFrame& frame) {
  return fmt::format("{}:{}", frame.path.substr(frame.path.rfind('/') + 1), frame.line);
}

std::string stop_reason_words(const core::wire::Stopped& stop) {
  using core::wire::StopReason;
  switch (stop.reason) {
    case StopReason::breakpoint:
      return "breakpoint";
    case StopReason::step:
      return "step";
    case StopReason::pause:
      return "paused";
    case StopReason::raised:
      return stop.words.empty() ? std::string("an exception was raised") : "raised " + shortened(stop.words, kMostWords);
    case StopReason::call:
      return stop.words.empty() ? std::string("asked for by the code") : shortened(stop.words, kMostWords);
  }
  return {};
}

std::string stop_sentence(const StopView& stop) {
  const auto& frames = stop.at.frames;
  const auto user = std::ranges::find_if(frames, &core::wire::StackFrame::user);
  const auto* frame = user != frames.end() ? &*user : frames.empty() ? nullptr : &frames.front();
  std::string out = "Stopped";
  if (frame != nullptr) out += " at " + frame_place(*frame) + function_words(frame->function);
  out += ", " + stop_reason_words(stop.at);
  if (!stop.at.thread.empty() && stop.at.thread != kMainThread) out += ", in thread " + shortened(stop.at.thread, kMostWords);
  return out.ends_with('.') ? out : out + ".";
}

}  // namespace dlscope::app
