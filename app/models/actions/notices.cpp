#include "app/models/actions/notices.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/models/text/time_stamp.h"
#include "core/base/clock.h"

namespace dlscope::app {

void Notices::add(Tone tone, std::string text, std::string action, std::optional<Command> command) {
  if (const auto shown = std::ranges::find(notices_, text, &Notice::text); shown != notices_.end()) {
    if (shown->stays) return;
    shown->tone = tone;
    shown->action = std::move(action);
    shown->command = std::move(command);
    return;
  }
  push({++last_id_, tone, std::move(text), std::move(action), std::move(command), false});
}

std::uint64_t Notices::offer(Tone tone, std::string text, std::string action, Command command) {
  push({++last_id_, tone, std::move(text), std::move(action), std::move(command), true});
  return last_id_;
}

std::uint64_t Notices::keep(Tone tone, std::string text) {
  push({++last_id_, tone, std::move(text), {}, {}, true});
  return last_id_;
}

void Notices::push(Notice notice) {
  log(notice.tone, notice.text);
  notices_.push_back(std::move(notice));
  make_room();
}

// The newest is never the one that goes: it was not seen yet. A question goes after what only tells something.
void Notices::make_room() {
  const auto remove_oldest = [this](auto&& goes) {
    const auto found = std::find_if(notices_.begin(), notices_.end() - 1, goes);
    if (found == notices_.end() - 1) return false;
    notices_.erase(found);
    return true;
  };
  const auto staying = static_cast<std::size_t>(std::ranges::count(notices_, true, &Notice::stays));
  if (staying > kMax) remove_oldest([](const Notice& notice) { return notice.stays && notice.command; });
  const std::size_t room = std::max(kMax - std::min(kMax, staying), kAlwaysRoomFor);
  if (notices_.size() - staying <= room) return;
  if (!remove_oldest([](const Notice& notice) { return !notice.stays && !notice.command; }))
    remove_oldest([](const Notice& notice) { return !notice.stays; });
}

void Notices::clear() {
  std::erase_if(notices_, [](const Notice& notice) { return !notice.stays; });
}

void Notices::log(Tone tone, std::string text) {
  log_.push_back({time_of_day(), tone, std::move(text), core::monotonic_ns()});
  ++logged_count_;
  if (log_.size() > kMaxLogged) log_.pop_front();
}

void Notices::log_events(const core::Snapshot& snapshot) {
  constexpr std::size_t kMostRemembered = 4096;
  const std::int64_t now = core::monotonic_ns();
  std::int64_t newest = newest_event_ns_;
  for (const core::EventRecord& event : snapshot.events) {
    const std::int64_t t_ns = std::clamp<std::int64_t>(event.t_ns, 0, now);  // as the host says
    const bool is_of_tensor = event.tensor != core::kNone32 || event.kind == core::EventKind::device;
    if (!is_of_tensor && t_ns <= newest_event_ns_) continue;
    const std::string text(snapshot.str(event.text)), kind = core::event_kind_name(event.kind);
    // A look finds out again what is about a tensor; everything else is listed in the order in which it was noted.
    if (is_of_tensor) {
      if (found_by_looks_.size() >= kMostRemembered) found_by_looks_.clear();
      if (!found_by_looks_.insert(fmt::format("{} {} {}", kind, snapshot.info.run, text)).second) continue;
    } else {
      newest = std::max(newest, t_ns);
    }
    const bool is_bad = event.kind == core::EventKind::refuse || event.kind == core::EventKind::device;
    events_.push_back({time_of_day(t_ns), is_bad ? Tone::warn : Tone::plain, text, t_ns, kind});
    ++logged_count_;
    if (events_.size() <= kMaxEvents) continue;
    events_.pop_front();
    ++dropped_events_;
  }
  newest_event_ns_ = newest;
}

void Notices::dismiss(std::uint64_t id) {
  std::erase_if(notices_, [id](const Notice& notice) { return notice.id == id; });
}

void Notices::lease_ended(std::uint64_t lease) {
  std::erase_if(notices_, [lease](const Notice& notice) {
    const auto* const release = notice.command ? std::get_if<command::ReleaseMemory>(&*notice.command) : nullptr;
    return release != nullptr && notice.stays && (lease == 0 || release->lease == lease);
  });
}

}  // namespace dlscope::app
