// How a run ended, in one sentence: "Finished.", "Raised ZeroDivisionError in line 3: division by zero."
#pragma once

#include <string>

#include "core/inventory/run_outcome.h"

namespace dlscope::app {

[[nodiscard]] std::string outcome_sentence(const core::RunOutcome& outcome);

}  // namespace dlscope::app
