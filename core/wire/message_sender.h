// MessageSender: what the host tells the viewer, in order, on the ring between them. The viewer may not read for a while (it is
// suspended), and this process may have no memory left: neither may cost the viewer the one end of something that it waits for.
// thread: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

#include "core/wire/messages.h"
#include "core/wire/ring.h"

namespace dlscope::core::wire {

// wait: a message that must arrive. drop: one that the next one replaces; it is left out when the ring is full.
enum class WhenFull : std::uint8_t { wait, drop };

struct MessageSenderOptions {
  std::chrono::milliseconds room_in_ring{5000};  // how long a message waits for a viewer that does not read, before it is kept
  std::size_t max_unwritten_bytes = std::size_t{64} << 20;      // of the messages that are kept
  std::chrono::milliseconds out_of_memory{1000};                // how long an end is tried again that there is no memory for
  std::function<bool()> is_over = [] { return false; };         // nothing is sent any more: a forked child has no ring
  std::function<bool()> has_crashed = [] { return false; };     // a lock may be held for ever
};

class MessageSender {
 public:
  explicit MessageSender(RingWriter writer, MessageSenderOptions options = {});

  // Blocks while the viewer makes no room, see the options. False: it was left out, because the ring is full and it may be
  // dropped, or because it is a part, a notice or the like and too large, or too much is kept already. What the viewer counts on
  // (an answer, and the beginning or the end of anything) is not left out: where it is too large, or there is neither room nor
  // memory for it, a few words are sent instead of what was found, also when memory is there only within `out_of_memory`.
  // Throws std::bad_alloc where there is no memory for a message that the viewer does not count on.
  bool send(const ToViewer& message, WhenFull when_full = WhenFull::wait);
  // Writes what was kept, as far as there is room, unless somebody is sending. Does not block.
  void write_kept();

 private:
  enum class Written : std::uint8_t { yes, no, too_much_is_kept };
  [[nodiscard]] Written write(RawMessage& raw, WhenFull when_full, std::chrono::steady_clock::time_point give_up,
                              bool is_counted_on);
  [[nodiscard]] bool write_unwritten();

  MessageSenderOptions options_;
  std::timed_mutex writing_;  // the members below; after a crash somebody may hold it for ever
  RingWriter writer_;
  std::deque<RawMessage> unwritten_;
  std::size_t unwritten_bytes_ = 0;
};

}  // namespace dlscope::core::wire
