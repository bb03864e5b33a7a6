// Remembered tensors in the window: tells the host which tensors to copy at each scan, and fetches the copies with our own
// reader. The host copies (embed/host/remembered_bytes.h), because only there it is certain that the program does not run
// meanwhile.
// thread: UI.
#pragma once

#include <cstdint>

#include "app/models/actions/commands.h"
#include "app/window/memory_readers.h"

namespace dlscope::app {

struct ApplicationParts;

// State of the fetching.
struct RememberedFetch {
  std::uint64_t process = 0;   // Timeline's number of the process that the rest is about
  std::uint64_t through = 0;   // the last copy that was fetched or given up
  std::uint64_t ticket = 0, answered = 0;  // of the last question; of the last one whose answer was taken
  std::uint64_t asked_after = 0;  // the newest moment when it was last asked
  bool fetching = false;
};

// The remembered bytes of the past moment that is shown, for the views.
struct RememberedPast {
  std::uint64_t generation = 0;  // the SnapshotViews::generation() it was made for
  std::uint64_t revision = 0;    // the RememberedTensors::revision() it was made for
  MemoryReaders memory;
};

void remember_tensor(const command::RememberTensor& remember, ApplicationParts& parts);
// Once a frame: asks after each new snapshot, fetches announced copies, shows the remembered bytes of a past moment.
void follow_remembered(ApplicationParts& parts);
// The reader for the views; null where the selected tensor must not be read.
[[nodiscard]] const core::MemoryReader* reader_of_shown(const ApplicationParts& parts);

}  // namespace dlscope::app
