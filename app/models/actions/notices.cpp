#include "app/models/actions/notices.h"

#include <algorithm>
#include <utility>

#include "app/models/text/time_stamp.h"

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

void Notices::push(Notice notice) {
  log(notice.tone, notice.text);
  notices_.push_back(std::move(notice));
  if (notices_.size() <= kMax) return;
  const auto outdated = std::ranges::find(notices_, false, &Notice::stays);
  notices_.erase(outdated != notices_.end() ? outdated : notices_.begin());
}

void Notices::clear() {
  std::erase_if(notices_, [](const Notice& notice) { return !notice.stays; });
}

void Notices::log(Tone tone, std::string text) {
  log_.push_back({time_of_day(), tone, std::move(text)});
  if (log_.size() > kMaxLogged) log_.pop_front();
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

std::string Notices::log_text() const {
  std::string text;
  for (const LoggedEvent& event : log_) text += event.time + "  " + event.text + "\n";
  return text;
}

}  // namespace dlscope::app
