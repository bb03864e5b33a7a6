// ServedStops: the stops that are on. Each suspends a run: between enter() and leave(), RequestServing::next() returns the
// requests that can be served at the stop; afterwards the run goes on as it was.
// thread: the one that reached the stop, unless a function says otherwise. Borrows the state, whose mutex it takes; no message is
// sent while it is held.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/wire/messages.h"
#include "embed/host/send_to_viewer.h"
#include "embed/host/served_state.h"

namespace dlscope::embed {

// How many stops are on, and the number of the innermost one; 0: none.
struct StopPlace {
  std::size_t depth = 0;
  std::uint64_t number = 0;
};

class ServedStops {
 public:
  ServedStops(ServedState& state, SendToViewer send) : state_(state), send_(std::move(send)) {}

  void enter(core::wire::Stopped stop);
  void leave();
  // A request that was served at a stop has ended: from here on Stop means the stopped script. Call it before sending the end.
  void end_request();
  [[nodiscard]] StopPlace place();  // thread: any

 private:
  ServedState& state_;
  SendToViewer send_;
};

}  // namespace dlscope::embed
