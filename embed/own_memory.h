// The readers of this process's own memory. A forked child has other memory and none of the threads, so it gets new ones.
// thread: any.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "core/memory/deadline_reader.h"
#include "core/memory/memory_reader.h"
#include "core/memory/kept_pages.h"

namespace dlscope::embed {

// Never destroyed, because a thread of in_time may hang.
struct OwnReaders {
  pid_t process = 0;
  std::string problem;                                 // why the system forbids reading: both read nothing; else ""
  std::shared_ptr<const core::MemoryReader> direct;     // blocks as long as the kernel does: only for pages that are there
  std::shared_ptr<const core::DeadlineReader> in_time;  // knows what hangs, from one call to the next
  std::shared_ptr<const core::KeptPages> pages;
};
[[nodiscard]] const OwnReaders& own_readers();

// Reads pages that are there at once, on the calling thread. Other pages of a mapping may never arrive (of a stalled file, or
// registered with userfaultfd): it waits for them a second at most, and afterwards not at all (problem() says so). Leaves no
// thread behind but those that hang. last_status() and problem() are of the calling thread's last call. A call costs a
// microsecond.
[[nodiscard]] const core::MemoryReader& own_memory();

}  // namespace dlscope::embed
