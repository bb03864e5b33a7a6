// Shared parts of the files with action rows, and the rows that belong to no panel. action_table.cpp joins them all.
#pragma once

#include <span>

#include "app/models/actions/actions.h"
#include "app/models/host/act_refusal.h"
#include "app/models/tensors/tensor_state.h"

namespace dlscope::app {

[[nodiscard]] std::span<const Action> file_actions();
[[nodiscard]] std::span<const Action> run_actions();
[[nodiscard]] std::span<const Action> view_actions();

inline const char* no_tensors(const ActionState& s) {
  return s.has_tensors ? nullptr : "There are no tensors yet. Run a script first.";
}
inline const char* no_selection(const ActionState& s) { return s.has_selection ? nullptr : "Select a tensor first."; }

// For actions that ask Python, now or at later scans.
inline const char* needs_python_tensor(const ActionState& s) {
  const char* const why_not = why_not_asked(s.moment);
  return s.has_selection && why_not != nullptr ? why_not : no_selection(s);
}
// For actions in which Python acts on its tensors at once.
inline const char* needs_act(const ActionState& s) {
  const char* const why_not = why_not_acted(s.moment, s.host);
  return s.has_selection && why_not != nullptr ? why_not : no_selection(s);
}
// For actions that read the bytes of the shown tensor.
inline const char* needs_bytes(const ActionState& s) {
  return s.moment.since == Since::looked_again && !s.has_bytes_then ? kSeenThen : no_selection(s);
}

template <class Which>
Command make(const ActionState&) {
  return Which{};
}

}  // namespace dlscope::app
