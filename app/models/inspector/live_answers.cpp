#include "app/models/inspector/live_answers.h"

#include <utility>

#include "core/wire/messages.h"

namespace dlscope::app {
namespace {

constexpr const char* kAsker = "inspector";
constexpr std::size_t kMaxKept = 256;

}  // namespace

const LiveAnswer* LiveAnswers::current() const {
  const auto found = answers_.find(tensor_);
  return found == answers_.end() ? nullptr : &found->second;
}

void LiveAnswers::start_over(const SnapshotIndex* index) {
  snapshot_ = index != nullptr ? index->snapshot : nullptr;
  answers_.clear();
  pending_.reset();
  gone_ = false;
  ++revision_;
}

void LiveAnswers::set_state(LiveAnswer& answer, LiveAnswer::State state) {
  if (std::exchange(answer.state, state) != state) ++revision_;
}

void LiveAnswers::ask_again(bool anyway) {
  const auto found = answers_.find(tensor_);
  if (found == answers_.end()) return;
  found->second = {.state = LiveAnswer::State::asking, .error = {}, .anyway = anyway, .raw = {}, .protocols = {}};
  pending_.reset();
  ++revision_;
}

void LiveAnswers::take(const Reply& reply) {
  const Pending asked = *std::exchange(pending_, std::nullopt);
  LiveAnswer& answer = answers_[asked.tensor];
  ++revision_;
  if (reply.error == core::wire::kAnswerBusy) return;  // a run began meanwhile: asked again after it
  if (reply.error == core::wire::kAnswerStopped) return set_state(answer, LiveAnswer::State::stopped);
  if (!reply.error.empty()) {
    answer.error = reply.error;
    return set_state(answer, reply.error == "gone" ? LiveAnswer::State::gone : LiveAnswer::State::failed);
  }
  std::string why;
  if (asked.part == Part::raw) {
    auto raw = core::wire::decode_struct_answer(reply.text);
    if (raw)
      answer.raw = std::move(*raw);
    else
      why = raw.error().message;
  } else {
    auto protocols = core::wire::decode_protocols_answer(reply.text);
    if (protocols)
      answer.protocols = std::move(*protocols);
    else
      why = protocols.error().message;
  }
  if (why.empty()) return;
  answer.error = std::move(why);
  set_state(answer, LiveAnswer::State::failed);
}

std::optional<Question> LiveAnswers::next_question(LiveAnswer& answer, const SnapshotIndex& index) {
  if (answer.raw && (answer.protocols || !answer.raw->found)) {
    set_state(answer, LiveAnswer::State::done);
    return std::nullopt;
  }
  const Part part = answer.raw ? Part::protocols : Part::raw;
  pending_ = {++last_ticket_, tensor_, part};
  return Question{.asker = kAsker,
                  .ticket = last_ticket_,
                  .kind = part == Part::raw ? "struct" : "protocols",
                  .text = look_question(snapshot_->name(index.tensor(tensor_)), answer.anyway),
                  .patient = true};
}

std::optional<Question> LiveAnswers::follow(const SnapshotIndex* index, std::uint32_t tensor, const HostSession& host,
                                          const Questions& answers) {
  if ((index != nullptr ? index->snapshot : nullptr) != snapshot_) start_over(index);
  if (std::exchange(tensor_, tensor) != tensor) ++revision_;
  if (!snapshot_ || tensor >= index->size()) return std::nullopt;
  if (host.state() != HostState::absent && !host.is_up()) gone_ = true;
  if (answers_.size() > kMaxKept && !answers_.contains(tensor)) answers_.clear();
  const Reply* reply = answers.reply(kAsker);
  if (pending_ && reply != nullptr && reply->ticket == pending_->ticket) take(*reply);

  LiveAnswer& answer = answers_[tensor];
  const bool settled =
      answer.state == LiveAnswer::State::stopped || answer.state == LiveAnswer::State::failed ||
      answer.state == LiveAnswer::State::done;
  if (settled) return std::nullopt;
  if (host.state() == HostState::absent || answers.closed() || gone_) {
    set_state(answer, gone_ ? LiveAnswer::State::gone : LiveAnswer::State::no_python);
    return std::nullopt;
  }
  set_state(answer, host.busy() ? LiveAnswer::State::waits : LiveAnswer::State::asking);
  if (pending_ && pending_->tensor == tensor) return std::nullopt;
  return next_question(answer, *index);
}

}  // namespace dlscope::app
