// The inspector: one tensor, field by field, with explanations and raw bytes beside the values. Every value can be copied, every
// section folded. Asks Python for the raw struct when the selection changes and Python is idle; never blocks on it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "app/models/actions/commands.h"
#include "app/models/inspector/inspector_model.h"
#include "app/models/inspector/live_answers.h"
#include "app/models/jobs/cached_value.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct InspectorState {
  bool show_meanings = true;     // show explanations beside the fields, instead of in tooltips
  std::set<std::string> folded;  // folded sections, by key; for all tensors
  LiveAnswers answers;
  struct Seen {
    std::uint64_t generation = 0;
    std::uint32_t tensor = core::kNone32;
    std::uint64_t answers = 0;  // LiveAnswers::revision and TouchCounts::revision together: both only rise
    TensorState state = TensorState::current;
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  CachedValue<Seen, Inspection> shown;
  std::optional<Question> to_ask;
  std::string under_mouse;  // what "copy" gives for the line under the mouse; "": nothing
  core::ByteRange lit;      // focused bytes whose distance was shown beside `data` in the last frame; for tests
};

// inspection: null: nothing is selected. of_file: what the shown tensor file says of itself; null: the script's tensors are shown.
void draw_inspector_panel(const FrameContext& context, InspectorState& state, const Inspection* inspection, const Section* of_file,
                          Commands& commands);

}  // namespace dlscope::app
