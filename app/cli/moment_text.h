// What a headless run prints of the moment its tables are of, where that is not the end of the script.
#pragma once

#include <string>
#include <string_view>

#include "app/cli/supervised_run.h"

namespace dlscope::app {

// Why the tables say nothing about the end of the script: "nothing was scanned: the process ...". "": they do, or they are of the
// moment that was asked for, or of an exception.
[[nodiscard]] std::string why_not_of_the_end(const RunReport& found);

// The lines above the tables, or in their place. asked: as in --at; "": it was not given.
[[nodiscard]] std::string moment_text(const RunReport& found, std::string_view asked);

}  // namespace dlscope::app
