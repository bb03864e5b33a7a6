#include "app/models/inspector/live_look.h"

#include <utility>

#include "core/wire/messages.h"

namespace dlscope::app {
namespace {

constexpr const char* kAsker = "inspector";
constexpr std::size_t kMaxKept = 256;

}  // namespace

const LiveLook* LiveLooks::current() const {
  const auto found = looks_.find(tensor_);
  return found == looks_.end() ? nullptr : &found->second;
}

void LiveLooks::start_over(const SnapshotIndex* index) {
  snapshot_ = index != nullptr ? index->snapshot : nullptr;
  looks_.clear();
  pending_.reset();
  gone_ = false;
  ++revision_;
}

void LiveLooks::set_state(LiveLook& look, LiveLook::State state) {
  if (std::exchange(look.state, state) != state) ++revision_;
}

void LiveLooks::ask_again(bool anyway) {
  const auto found = looks_.find(tensor_);
  if (found == looks_.end()) return;
  found->second = {.state = LiveLook::State::asking, .error = {}, .anyway = anyway, .raw = {}, .protocols = {}};
  pending_.reset();
  ++revision_;
}

void LiveLooks::take(const Reply& reply) {
  const Pending asked = *std::exchange(pending_, std::nullopt);
  LiveLook& look = looks_[asked.tensor];
  ++revision_;
  if (reply.error == core::wire::kAnswerBusy) return;  // a run began meanwhile: asked again after it
  if (reply.error == core::wire::kAnswerStopped) return set_state(look, LiveLook::State::stopped);
  if (!reply.error.empty()) {
    look.error = reply.error;
    return set_state(look, reply.error == "gone" ? LiveLook::State::gone : LiveLook::State::failed);
  }
  std::string why;
  if (asked.part == Part::raw) {
    auto answer = read_struct_answer(reply.text);
    if (answer)
      look.raw = std::move(*answer);
    else
      why = answer.error().message;
  } else {
    auto answer = read_protocols_answer(reply.text);
    if (answer)
      look.protocols = std::move(*answer);
    else
      why = answer.error().message;
  }
  if (why.empty()) return;
  look.error = std::move(why);
  set_state(look, LiveLook::State::failed);
}

std::optional<Question> LiveLooks::next_question(LiveLook& look, const SnapshotIndex& index) {
  if (look.raw && (look.protocols || !look.raw->found)) {
    set_state(look, LiveLook::State::done);
    return std::nullopt;
  }
  const Part part = look.raw ? Part::protocols : Part::raw;
  pending_ = {++last_ticket_, tensor_, part};
  return Question{.asker = kAsker,
                  .ticket = last_ticket_,
                  .kind = part == Part::raw ? "struct" : "protocols",
                  .text = look_question(snapshot_->name(index.tensor(tensor_)), look.anyway),
                  .patient = true};
}

std::optional<Question> LiveLooks::follow(const SnapshotIndex* index, std::uint32_t tensor, const HostSession& host,
                                          const Questions& answers) {
  if ((index != nullptr ? index->snapshot : nullptr) != snapshot_) start_over(index);
  if (std::exchange(tensor_, tensor) != tensor) ++revision_;
  if (!snapshot_ || tensor >= index->size()) return std::nullopt;
  if (host.state() != HostState::absent && !host.is_up()) gone_ = true;
  if (looks_.size() > kMaxKept && !looks_.contains(tensor)) looks_.clear();
  const Reply* reply = answers.reply(kAsker);
  if (pending_ && reply != nullptr && reply->ticket == pending_->ticket) take(*reply);

  LiveLook& look = looks_[tensor];
  const bool settled =
      look.state == LiveLook::State::stopped || look.state == LiveLook::State::failed || look.state == LiveLook::State::done;
  if (settled) return std::nullopt;
  if (host.state() == HostState::absent || answers.closed() || gone_) {
    set_state(look, gone_ ? LiveLook::State::gone : LiveLook::State::no_python);
    return std::nullopt;
  }
  set_state(look, host.busy() ? LiveLook::State::waits : LiveLook::State::asking);
  if (pending_ && pending_->tensor == tensor) return std::nullopt;
  return next_question(look, *index);
}

}  // namespace dlscope::app
