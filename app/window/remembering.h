// Remembered tensors in the window: which ones the host is to copy at each look, and the copies fetched from it with our own reader.
// The host copies (embed/host/remembered_bytes.h), because only there it is certain that nothing of the program goes on meanwhile.
// thread: UI.
#pragma once

#include <cstdint>

#include "app/models/actions/commands.h"
#include "app/window/memory_readers.h"

namespace dlscope::app {

struct ApplicationParts;

// How far the fetching is.
struct RememberedFetch {
  std::uint64_t process = 0;   // Timeline's; of another one nothing is known
  std::uint64_t through = 0;   // the number of the last copy that is here, or is not to be had
  std::uint64_t ticket = 0, answered = 0;  // of the questions
  std::uint64_t asked_after = 0;  // the newest moment when it was asked last
  bool fetching = false;
};

// What the views see of the moment that is looked back at.
struct RememberedPast {
  std::uint64_t generation = 0;  // SnapshotViews'
  std::uint64_t revision = 0;    // RememberedTensors'
  MemoryReaders memory;
};

void remember_tensor(const command::RememberTensor& remember, ApplicationParts& parts);
// Once a frame: asks after each look, fetches what waits, and shows what was remembered of a moment that is looked back at.
void follow_remembered(ApplicationParts& parts);
// For the views: the reader of what is shown; null where nothing of the selected tensor may be read.
[[nodiscard]] const core::MemoryReader* reader_of_shown(const ApplicationParts& parts);

}  // namespace dlscope::app
