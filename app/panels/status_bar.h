// The status bar: one sentence on what the mouse or the selection is on; running work; counts; what dlscope has copied and
// holds.
#pragma once

#include <cstdint>
#include <string>

#include "app/models/actions/commands.h"
#include "app/models/actions/notices.h"
#include "app/models/focus/focus_text.h"
#include "app/models/host/lease_list.h"
#include "app/models/jobs/cached_value.h"
#include "app/models/values/kept_values.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// The texts of the bar, cached with the state they were made from.
struct StatusBarState {
  struct FocusSeen {
    std::uint64_t generation = 0;
    Focus focus;
    std::string value;
    friend bool operator==(const FocusSeen&, const FocusSeen&) = default;
  };
  struct FocusWords {
    FocusLine line;
    std::string whole;
  };
  struct Room {
    std::uint64_t focus_version = 0;
    float room = 0, gap = 0;
    friend bool operator==(const Room&, const Room&) = default;
  };
  struct CountsSeen {
    std::uint64_t generation = 0;
    bool preparing = false;
    Moment moment = {};
    HeldTotal held = {};
    bool suspended = false;
    friend bool operator==(const CountsSeen&, const CountsSeen&) = default;
  };
  struct CountTexts {
    std::string all, few;  // few: only what must always be shown
  };
  CachedValue<FocusSeen, FocusWords> focus;
  std::uint64_t focus_version = 0;  // rises when `focus` is made again
  CachedValue<Room, FocusLine> fitted;
  CachedValue<CountsSeen, CountTexts> counts;
};

// kept: what the values view shows where other data may be by now, so that both give the same number; null: it shows what is there.
void draw_status_bar(const FrameContext& context, const HeldTotal& held, const KeptValues* kept, StatusBarState& state,
                     Commands& commands);

// Notices in the lower right corner, above the status bar; a click dismisses one.
void draw_notices(const FrameContext& context, const Notices& notices, Commands& commands);

}  // namespace dlscope::app
