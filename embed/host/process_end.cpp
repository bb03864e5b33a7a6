#include "embed/host/process_end.h"

#include <unistd.h>

#include "core/base/clock.h"
#include "embed/host/crash_guard.h"

namespace dlscope::embed {

using core::monotonic_ns;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::nanoseconds kCrashHandlerLimit = 2s;  // for the stacks that the crash handler writes

}  // namespace

ProcessEnd::ProcessEnd(core::wire::RegionHeader& header) : header_(header), viewer_(getppid()) {}

void ProcessEnd::exit_within(std::chrono::milliseconds time) {
  exit_at_ns_ = monotonic_ns() + std::chrono::nanoseconds(time).count();
}

void ProcessEnd::exit_if_time_is_over() const {
  if (exit_at_ns_ == 0 || monotonic_ns() <= exit_at_ns_) return;
  if (crashed()) exit_by_crash_signal();
  _exit(0);
}

bool ProcessEnd::sees_crash() {
  if (!crashed()) return false;
  if (crash_seen_ns_ == 0) crash_seen_ns_ = monotonic_ns();
  return true;
}

void ProcessEnd::finish_late_crash_record() const {
  if (crash_seen_ns_ != 0 && monotonic_ns() - crash_seen_ns_ > kCrashHandlerLimit.count()) finish_crash_record();
}

bool ProcessEnd::notices_viewer_gone() {
  if (viewer_gone_seen_ || (header_.viewer_gone.load() == 0 && getppid() == viewer_)) return false;
  return viewer_gone_seen_ = true;
}

}  // namespace dlscope::embed
