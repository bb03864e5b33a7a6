// Breakpoints as JSON: those in files are stored with the settings, those of a script that was never saved with its text.
// thread: any.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "app/models/debug/breakpoint_list.h"

namespace dlscope::app {

[[nodiscard]] nlohmann::json breakpoints_json(const std::vector<KeptBreakpoint>& breakpoints);
// Throws WrongType (stored_fields.h) for what breakpoints_json() cannot have made. Numbers out of range are skipped.
[[nodiscard]] std::vector<KeptBreakpoint> breakpoints_of(const nlohmann::json& list);

}  // namespace dlscope::app
