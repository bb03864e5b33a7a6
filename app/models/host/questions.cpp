#include "app/models/host/questions.h"

#include <algorithm>
#include <utility>

#include "core/wire/messages.h"

namespace dlscope::app {

void Questions::reply_with(Desk& desk, std::uint64_t ticket, std::string text, std::string error) {
  desk.replied = true;
  desk.reply = {ticket, std::move(text), std::move(error)};
}

void Questions::want(Question question) {
  Desk& desk = desks_[question.asker];
  desk.replaced = desk.id != 0;
  desk.waiting = true;
  desk.next = std::move(question);
}

void Questions::put(Python python, const std::function<std::uint64_t(const Question&)>& ask) {
  for (auto& [asker, desk] : desks_) {
    if (!desk.waiting || desk.id != 0) continue;
    if (python == Python::busy && desk.next.patient) continue;
    desk.waiting = false;
    if (python == Python::idle) {
      desk.id = ask(desk.next);
      desk.ticket = desk.next.ticket;
      desk.replaced = false;
    }
    if (desk.id == 0) reply_with(desk, desk.next.ticket, {}, python == Python::busy ? core::wire::kAnswerBusy : "gone");
  }
}

void Questions::answer(const core::wire::Answer& answer) {
  for (auto& [asker, desk] : desks_) {
    if (desk.id == 0 || desk.id != answer.id) continue;
    desk.id = 0;
    if (!std::exchange(desk.replaced, false)) reply_with(desk, desk.ticket, answer.text, answer.error);
    return;
  }
}

const Reply* Questions::reply(std::string_view asker) const {
  const auto found = desks_.find(asker);
  return found == desks_.end() || !found->second.replied ? nullptr : &found->second.reply;
}

bool Questions::waits(std::string_view asker) const {
  const auto found = desks_.find(asker);
  return found != desks_.end() && (found->second.waiting || (found->second.id != 0 && !found->second.replaced));
}

bool Questions::is_open(std::string_view asker) const {
  const auto found = desks_.find(asker);
  return found != desks_.end() && found->second.id != 0;
}

bool Questions::any_open() const {
  return std::any_of(desks_.begin(), desks_.end(), [](const auto& desk) { return desk.second.id != 0; });
}

}  // namespace dlscope::app
