// What the files of action rows have in common, and the rows that belong to no panel. action_table.cpp joins them.
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

// What is asked of Python at later looks, too.
inline const char* needs_python_tensor(const ActionState& s) {
  const char* const why_not = why_not_asked(s.moment);
  return s.has_selection && why_not != nullptr ? why_not : no_selection(s);
}
// Acts on what Python has, now.
inline const char* needs_act(const ActionState& s) {
  const char* const why_not = why_not_acted(s.moment, s.host);
  return s.has_selection && why_not != nullptr ? why_not : no_selection(s);
}
// Reads the bytes of what is shown.
inline const char* needs_bytes(const ActionState& s) {
  return s.moment.since == Since::looked_again && !s.has_bytes_then ? kSeenThen : no_selection(s);
}

template <class Which>
Command make(const ActionState&) {
  return Which{};
}

}  // namespace dlscope::app
