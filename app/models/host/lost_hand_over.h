// LostHandOver: a hand-over during which Python's process came to its end, as the verdict CRASHED or HUNG. The library cannot be asked
// any more: the evidence is what the window saw from outside.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "app/models/exchange/exchange_text.h"
#include "app/models/host/host_session.h"

namespace dlscope::app {

struct LostVerdict {
  std::string verdict;  // "CRASHED" or "HUNG"
  std::vector<EvidenceLine> evidence;
};
struct LostHandOver {
  std::string subject, library;  // "x[1:3]", "torch"
  LostVerdict how;
};

// Of a hand-over that was under way for `lasted` when its process came to its end. nullopt: the process is still there, or it was
// killed so early that the library may just have needed more time.
[[nodiscard]] std::optional<LostVerdict> lost_verdict(const HostSession& session, std::chrono::seconds lasted);

}  // namespace dlscope::app
