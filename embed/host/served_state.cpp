#include "embed/host/served_state.h"

#include "embed/host/crash_guard.h"
#include "embed/host/forked_child.h"

namespace dlscope::embed {

using core::wire::HostPhase;

ServedState::ServedState(core::wire::RegionHeader& region_header, pthread_t python_thread)
    : header(region_header), main_thread(python_thread), interruption(python_thread) {}

HostPhase ServedState::phase() const {
  if (is_forked_child()) return HostPhase::idle;
  return static_cast<HostPhase>(header.phase.load(std::memory_order_acquire));
}

void ServedState::set_phase(HostPhase phase) {
  if (crashed() || is_forked_child()) return;  // the child has no region
  header.phase.store(static_cast<std::uint32_t>(phase), std::memory_order_release);
}

HostPhase ServedState::waiting_phase() const { return stops.empty() ? HostPhase::idle : HostPhase::stopped; }

void ServedState::send_interrupt() {
  if (!stops.empty() && !stops.back().is_of_main_thread) return interruption.send_to_stopped_thread();
  interruption.send_to_main_thread();
}

}  // namespace dlscope::embed
