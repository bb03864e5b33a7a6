#include "app/models/host/questions.h"

#include <algorithm>
#include <utility>

#include "core/wire/messages.h"

namespace dlscope::app {

void Questions::reply_with(Slot& slot, std::uint64_t ticket, std::string text, std::string error) {
  slot.replied = true;
  slot.reply = {ticket, std::move(text), std::move(error)};
}

void Questions::want(Question question) {
  Slot& slot = slots_[question.asker];
  slot.replaced = slot.id != 0;
  slot.waiting = true;
  slot.next = std::move(question);
}

void Questions::put(Python python, const std::function<std::uint64_t(const Question&)>& ask) {
  for (auto& [asker, slot] : slots_) {
    if (!slot.waiting || slot.id != 0) continue;
    if (python == Python::busy && slot.next.patient) continue;
    slot.waiting = false;
    if (python == Python::idle) {
      slot.id = ask(slot.next);
      slot.ticket = slot.next.ticket;
      slot.replaced = false;
    }
    if (slot.id == 0) reply_with(slot, slot.next.ticket, {}, python == Python::busy ? core::wire::kAnswerBusy : "gone");
  }
}

void Questions::answer(const core::wire::Answer& answer) {
  for (auto& [asker, slot] : slots_) {
    if (slot.id == 0 || slot.id != answer.id) continue;
    slot.id = 0;
    if (!std::exchange(slot.replaced, false)) reply_with(slot, slot.ticket, answer.text, answer.error);
    return;
  }
}

const Reply* Questions::reply(std::string_view asker) const {
  const auto found = slots_.find(asker);
  return found == slots_.end() || !found->second.replied ? nullptr : &found->second.reply;
}

bool Questions::waits(std::string_view asker) const {
  const auto found = slots_.find(asker);
  return found != slots_.end() && (found->second.waiting || (found->second.id != 0 && !found->second.replaced));
}

bool Questions::is_open(std::string_view asker) const {
  const auto found = slots_.find(asker);
  return found != slots_.end() && found->second.id != 0;
}

bool Questions::any_open() const { return oldest_open() != 0; }

std::uint64_t Questions::oldest_open() const {
  std::uint64_t oldest = 0;
  for (const auto& [asker, slot] : slots_)
    if (slot.id != 0 && (oldest == 0 || slot.id < oldest)) oldest = slot.id;
  return oldest;
}

}  // namespace dlscope::app
