// What the command line may say about a file of tensors or a recording of streams in the place of a script: nothing of it is run.
#pragma once

#include <optional>
#include <string>

#include "app/cli/options.h"

namespace dlscope::app {

// The usage error (exit code 2), in one line, when such a file is given arguments or an option that has no meaning for it. nullopt:
// none, or it is a script.
[[nodiscard]] std::optional<std::string> wrong_for_file(const Options& options);

}  // namespace dlscope::app
