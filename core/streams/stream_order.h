// What a trace of streams says about order: for every two accesses to the same memory, at least one of them a write, whether one is done
// before the other begins however fast the device is, and why; or whether nothing orders them.
// The rules are CUDA's: a stream does its steps one after the other; what the host issues begins after everything the host had waited
// for; a wait for an event begins what follows after everything before the event's last record; the legacy default stream waits for
// every blocking stream and they for it. What no rule orders may happen in any order, also where a recording shows no harm.
// thread: any, pure.
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

// Why one step is done before the other begins: steps of the trace, from the first to the last.
struct OrderPair {
  std::uint32_t earlier = 0, later = 0;  // steps, in the order in which they were issued
  Ordering ordering{};
  std::vector<std::uint32_t> path;   // ordered: earlier, ..., later
  std::vector<std::string> reasons;  // one for each step from one to the next on the path
};

struct StreamVerdict {
  bool race = false;
  // Accesses to the same memory that follow each other: each with the last write before it, a write also with the reads since then; and all that no
  // rule orders.
  std::vector<OrderPair> pairs;
  std::uint32_t deciding = kNotGiven;  // of pairs: the first race, else the last pair that is ordered
};

[[nodiscard]] StreamVerdict judge_streams(const StreamTrace& trace);

// "y.sum() may read x before x.fill_(1) is done", "y.sum() reads x after x.fill_(1): ordered because ..."
[[nodiscard]] std::string order_text(const StreamTrace& trace, const OrderPair& pair);
// What caused a race and what would order it, by the hand-over of that memory; "" for what is ordered.
[[nodiscard]] std::string race_advice(const StreamTrace& trace, const OrderPair& pair);

}  // namespace dlscope::core
