#include "app/window/commands/leaving.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace dlscope::app {
namespace {

constexpr std::string_view kAsked = "Quit ends ";

bool asks_to_quit(const Notice& notice) { return notice.command && std::holds_alternative<command::Quit>(*notice.command); }

// What leaving would end; "": nothing that somebody waits for.
std::string what_ends(const HostSession& host) {
  if (host.stop() != nullptr) return "the script, which stands at a stop";
  if (host.current_run() == 0) return {};
  if (host.last_run_kind() == RunKind::console) return "the line of the console that is running";
  return "the script, which is running";
}

// True: the question was there, which this request answers.
bool take_answer(Notices& notices) {
  const auto asked = std::ranges::find_if(
      notices.all(), [](const Notice& notice) { return asks_to_quit(notice) && notice.text.starts_with(kAsked); });
  if (asked == notices.all().end()) return false;
  notices.dismiss(asked->id);
  return true;
}

}  // namespace

void leave_window(ApplicationParts& parts) {
  const std::string ends = what_ends(parts.host.session());
  // Whoever is asked about unsaved text, or waits for it to be stored, has agreed to the rest.
  const bool is_agreed = take_answer(parts.notices) || parts.document.leaving() ||
                         std::ranges::any_of(parts.notices.all(), asks_to_quit);
  if (!ends.empty() && !is_agreed)
    return parts.notices.add(Tone::warn, std::string(kAsked) + ends + ": what it has not written is lost.", "Quit", command::Quit{});
  parts.document.leave([&parts] { parts.quit = true; });
}

}  // namespace dlscope::app
