// Judges a trace of streams: for every two accesses to the same memory, at least one of them a write, whether one is guaranteed
// to be finished before the other begins, and why; otherwise they are a race.
// The rules are CUDA's: a stream executes its steps in order; a step starts after everything that the host had waited for when it
// issued the step; after a wait for an event, a stream continues only when everything before the event's last record is done; the
// legacy default stream waits for every blocking stream, and these wait for it. Steps that no rule orders may happen in any
// order, whatever times were recorded.
// Pure functions; thread: any.
#pragma once

#include <string>
#include <vector>

#include "core/streams/stream_trace.h"

namespace dlscope::core {

enum class Ordering : std::uint8_t {
  ordered,
  reads_unfinished,   // the later step reads what the earlier one may not have written yet
  overwrites_unread,  // the later step writes what the earlier one may not have read yet
  writes_over_write,  // both write
};

// Two accesses to the same memory, and what orders them.
struct OrderPair {
  std::uint32_t earlier = 0, later = 0;  // indices into StreamTrace::steps, in the order of issue
  Ordering ordering{};
  std::vector<std::uint32_t> path;   // if ordered: a chain of steps from `earlier` to `later`, each done before the next begins
  std::vector<std::string> reasons;  // why, for each two neighbours on the path
};

struct StreamVerdict {
  bool race = false;
  // Each access with the last write before it; each write also with the reads since then; and every pair that no rule orders.
  std::vector<OrderPair> pairs;
  std::uint32_t deciding = kNotGiven;  // index into pairs: the first race, else the last ordered pair
};

[[nodiscard]] StreamVerdict judge_streams(const StreamTrace& trace);

// One sentence: "y.sum() may read x before x.fill_(1) is done", "y.sum() reads x after x.fill_(1): ordered because ..."
[[nodiscard]] std::string order_text(const StreamTrace& trace, const OrderPair& pair);
// For a race: its cause and what would prevent it, from the hand-over of that memory; "" for an ordered pair.
[[nodiscard]] std::string race_advice(const StreamTrace& trace, const OrderPair& pair);

}  // namespace dlscope::core
