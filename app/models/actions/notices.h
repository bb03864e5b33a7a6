// Notices: what happened, why, what to do. Shown beside the work, never blocking it, until dismissed or outdated. The log keeps
// them all, events that were only logged, and the events of the script's process.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "app/models/actions/commands.h"
#include "app/models/tensors/badges.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

struct Notice {
  std::uint64_t id = 0;
  Tone tone = Tone::plain;
  std::string text;
  std::string action;  // label of the button that pushes `command`; "" for none
  std::optional<Command> command;
  // Until it is taken or dismissed, whatever runs: the way back to something of the person's, or to what stays held meanwhile; or
  // without a button, what goes on being so until somebody else ends it.
  bool stays = false;
};

struct LoggedEvent {
  std::string time;  // "14:05:09", local time
  Tone tone = Tone::plain;
  std::string text;
  std::int64_t t_ns = 0;        // CLOCK_MONOTONIC, as an event of the report
  std::string kind = "window";  // of what the script's process noted: the event's kind in the report
};

class Notices {
 public:
  // Older ones are removed: of those that stay when there are more than kMax, of the others when there are more than those leave
  // room for. The others always have room for some, because a question that nobody sees is asked for ever.
  static constexpr std::size_t kMax = 8, kAlwaysRoomFor = 3;
  static constexpr std::size_t kMaxLogged = 200;
  static constexpr std::size_t kMaxEvents = 10'000;

  // Shows and logs it. A text that a shown notice already has is not shown again, but its button does what this one's does: the
  // tensor, or the lease, that the older one is about may be gone.
  void add(Tone tone, std::string text, std::string action = {}, std::optional<Command> command = {});
  // The way back to what would be lost otherwise: clear() leaves it, and other notices make room for it. Always shown, also where
  // a notice with the same text is: it leads to something else. Returns its id.
  std::uint64_t offer(Tone tone, std::string text, std::string action, Command command);
  // Shows what is so until the caller, who knows when it no longer is, dismisses it. Returns its id.
  std::uint64_t keep(Tone tone, std::string text);
  // Only logs it.
  void log(Tone tone, std::string text);
  // Logs the snapshot's events that no earlier snapshot had.
  void log_events(const core::Snapshot& snapshot);
  void dismiss(std::uint64_t id);
  // Removes what offers to release this lease, which has ended; 0: any lease, as their process has ended.
  void lease_ended(std::uint64_t lease);
  // Removes the notice whose button carries out a command of this kind, and returns the command: whoever does it by other means
  // while the question is shown has answered it. nullopt: none is shown.
  template <class Asked>
  std::optional<Asked> take_question() {
    for (auto notice = notices_.begin(); notice != notices_.end(); ++notice) {
      const Asked* const found = notice->command ? std::get_if<Asked>(&*notice->command) : nullptr;
      if (found == nullptr) continue;
      std::optional<Asked> asked = *found;
      notices_.erase(notice);
      return asked;
    }
    return std::nullopt;
  }
  void clear();
  [[nodiscard]] const std::deque<Notice>& all() const { return notices_; }
  [[nodiscard]] const std::deque<LoggedEvent>& logged() const { return log_; }  // oldest first
  // What the script's process noted, oldest first, at most kMaxEvents of them; how many older ones were dropped.
  [[nodiscard]] const std::deque<LoggedEvent>& events() const { return events_; }
  [[nodiscard]] std::uint64_t dropped_events() const { return dropped_events_; }
  [[nodiscard]] std::uint64_t logged_count() const { return logged_count_; }  // of both kinds, ever: rises with each

 private:
  void push(Notice notice);
  void make_room();

  std::deque<Notice> notices_;
  std::deque<LoggedEvent> log_, events_;
  std::int64_t newest_event_ns_ = 0;
  std::set<std::string> found_by_looks_;  // events that every look makes again: kind, run and text
  std::uint64_t dropped_events_ = 0, logged_count_ = 0;
  std::uint64_t last_id_ = 0;
};

}  // namespace dlscope::app
