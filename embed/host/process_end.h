// ProcessEnd: when this process has to end by itself, whatever hangs in it: after a time limit, after a crash, without a viewer.
// Notices crashes and the end of the viewer. Borrows the region's header.
// thread: the wire's, unless a function says otherwise.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>

#include "core/wire/region.h"

namespace dlscope::embed {

class ProcessEnd {
 public:
  // thread: any. The parent process is the viewer.
  explicit ProcessEnd(core::wire::RegionHeader& header);

  // Ends the process at the latest after this time.
  void exit_within(std::chrono::milliseconds time);
  // Once per tick: ends the process where its time is over.
  void exit_if_time_is_over() const;

  // Once per tick: whether the process has crashed. Notes when that was first seen.
  [[nodiscard]] bool sees_crash();
  // Once per tick: completes the record of a crash whose handler takes too long.
  void finish_late_crash_record() const;
  // True once: the viewer has gone.
  [[nodiscard]] bool notices_viewer_gone();

 private:
  core::wire::RegionHeader& header_;
  const pid_t viewer_;
  std::int64_t exit_at_ns_ = 0;     // CLOCK_MONOTONIC; 0: stay
  std::int64_t crash_seen_ns_ = 0;  // 0: none
  bool viewer_gone_seen_ = false;
};

}  // namespace dlscope::embed
