// The F1 text of each view, for someone who knows arrays but not DLPack.
#pragma once

#include <span>

#include "app/models/actions/actions.h"

namespace dlscope::app {

struct HelpTerm {
  const char* word;
  const char* meaning;
};

struct ViewHelp {
  ActionContext context{};  // the view; `global`: the window as a whole
  const char* what = "";    // what it shows and how to read it
  std::span<const HelpTerm> terms;
};

[[nodiscard]] ViewHelp view_help(ActionContext context);

}  // namespace dlscope::app
