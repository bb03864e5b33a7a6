// Notices: what happened, why, what to do. Shown beside the work, never in its way, until dismissed or outdated.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "app/models/badges.h"
#include "app/models/commands.h"

namespace dlscope::app {

struct Notice {
  std::uint64_t id = 0;
  Tone tone = Tone::plain;
  std::string text;
  std::string action;  // label of the button that pushes `command`; "" for none
  std::optional<Command> command;
};

class Notices {
 public:
  static constexpr std::size_t kMost = 8;  // older ones leave

  // The same words as a notice already shown are not repeated.
  void add(Tone tone, std::string text, std::string action = {}, std::optional<Command> command = {}) {
    for (const Notice& notice : notices_) {
      if (notice.text == text) return;
    }
    notices_.push_back({++last_id_, tone, std::move(text), std::move(action), std::move(command)});
    if (notices_.size() > kMost) notices_.pop_front();
  }
  void dismiss(std::uint64_t id) {
    std::erase_if(notices_, [id](const Notice& n) { return n.id == id; });
  }
  void clear() { notices_.clear(); }
  [[nodiscard]] const std::deque<Notice>& all() const { return notices_; }

 private:
  std::deque<Notice> notices_;
  std::uint64_t last_id_ = 0;
};

}  // namespace dlscope::app
