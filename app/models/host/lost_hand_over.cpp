#include "app/models/host/lost_hand_over.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/models/host/crash_text.h"
#include "app/models/host/outcome_sentence.h"

namespace dlscope::app {
namespace {

constexpr std::chrono::seconds kHangs{5};
constexpr std::size_t kMaxLibraries = 4;

}  // namespace

std::optional<LostVerdict> lost_verdict(const HostSession& session, std::chrono::seconds lasted) {
  LostVerdict lost;
  if (session.state() == HostState::crashed) {
    lost.verdict = "CRASHED";
    const core::RunOutcome& outcome = session.outcome();
    lost.evidence.emplace_back("How it ended", outcome_sentence(outcome));
    if (!outcome.crash) return lost;
    if (std::string memory = crash_address_text(*outcome.crash); !memory.empty())
      lost.evidence.emplace_back("Memory", std::move(memory));
    const std::vector<std::string> native = telling_native_lines(*outcome.crash);
    for (std::size_t i = 0; i < std::min(native.size(), kMaxLibraries); ++i)
      lost.evidence.emplace_back(i == 0 ? "Crashed in" : "called from", native[i]);
    return lost;
  }
  if (session.is_up()) return std::nullopt;
  const bool was_killed = session.killed() || session.alive();  // alive: Restart has begun another process by now
  if (!was_killed) {
    lost.verdict = "CRASHED";
    lost.evidence.emplace_back("How it ended", session.detail());
    return lost;
  }
  if (lasted < kHangs) return std::nullopt;
  lost.verdict = "HUNG";
  lost.evidence.emplace_back("How it ended", fmt::format("It had not come back after {} s, when Python was killed.", lasted.count()));
  return lost;
}

}  // namespace dlscope::app
