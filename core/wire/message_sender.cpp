#include "core/wire/message_sender.h"

#include <fmt/format.h>

#include <new>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/in_words.h"
#include "core/base/overloaded.h"
#include "core/base/utf8.h"

namespace dlscope::core::wire {
namespace {

using namespace std::chrono_literals;

constexpr auto kLockAfterCrash = 200ms;  // of a lock that the thread which crashed may hold
constexpr auto kLook = 2ms;              // at a ring that is full
constexpr auto kBetweenTries = 10ms;     // of an end that there is no memory for
constexpr std::size_t kFewWords = 200;   // bytes of a text

// Made now, because later there may be no memory for them.
const std::string kNoMemory = kNotEnoughMemory;
const std::string kTooMuchKept = "the window did not take messages for so long that what was found could not be kept";

std::string cut(const std::string& text) { return std::string(utf8_prefix(text, kFewWords)); }

// One overload for each kind of message that the viewer counts on: the same without what was found, and where it said that
// something was done, a failure for this reason.
WorkEnded shortened(const WorkEnded& end, const std::string& why) {
  if (end.outcome == WorkOutcome::cancelled) return {end.id, end.outcome, {}, {}};
  const bool says_why = end.outcome == WorkOutcome::failed && !end.message.empty();
  return {end.id, WorkOutcome::failed, says_why ? cut(end.message) : why, {}};
}
RunFinished shortened(const RunFinished& end, const std::string&) {
  const RunOutcome& whole = end.outcome;
  RunFinished words{end.run, {whole.outcome, cut(whole.script_path), {}, whole.exit_code, whole.signal}};
  if (const auto& error = whole.error) words.outcome.error = ScriptError{cut(error->type), cut(error->message), error->line, {}};
  return words;
}
ScanFinished shortened(const ScanFinished& end, const std::string&) { return {end.request, end.result, cut(end.message)}; }
Answer shortened(const Answer& answer, const std::string& why) {
  return {answer.id, cut(answer.kind), {}, answer.error.empty() ? why : cut(answer.error)};
}
LeaseChanged shortened(const LeaseChanged& change, const std::string&) {
  return {change.lease, change.state, change.pinned, change.tensor, cut(change.message)};
}
Stopped shortened(const Stopped& stop, const std::string&) {
  return {stop.stop, stop.reason, cut(stop.thread), cut(stop.message), stop.breakpoint, {}};
}
Resumed shortened(const Resumed& same, const std::string&) { return same; }
RunStarted shortened(const RunStarted& same, const std::string&) { return same; }
SnapshotReady shortened(const SnapshotReady& same, const std::string&) { return same; }
Hello shortened(const Hello& same, const std::string&) { return same; }

template <class Message>
concept CountedOn = requires(const Message& message, const std::string& why) { shortened(message, why); };

bool is_counted_on(const ToViewer& message) {
  return std::visit([]<class Message>(const Message&) { return CountedOn<Message>; }, message);
}

ToViewer in_few_words(const ToViewer& message, const std::string& why) {
  return std::visit(Overloaded{[&](const CountedOn auto& counted) -> ToViewer { return shortened(counted, why); },
                               [](const auto& other) -> ToViewer { return other; }},
                    message);
}

}  // namespace

MessageSender::MessageSender(RingWriter writer, MessageSenderOptions options)
    : options_(std::move(options)), writer_(std::move(writer)) {}

bool MessageSender::send(const ToViewer& message, WhenFull when_full) {
  const bool is_counted_on = wire::is_counted_on(message);
  const auto now = std::chrono::steady_clock::now();
  const std::string* why = nullptr;  // the message is sent in a few words; nullptr: as it is
  std::string too_large;
  std::optional<std::chrono::steady_clock::time_point> without_memory_since;  // it may have waited for room before
  for (;;) {
    try {
      RawMessage raw = encode(why == nullptr ? message : in_few_words(message, *why));
      if (raw.payload.size() > kMaxMessageBytes && is_counted_on && why == nullptr) {
        too_large = fmt::format("what was found is too large to be sent to the window ({} bytes)", raw.payload.size());
        why = &too_large;
        continue;
      }
      const Written written = write(raw, when_full, now + options_.room_in_ring, is_counted_on);
      if (written != Written::too_much_is_kept || !is_counted_on || why == &kTooMuchKept) return written == Written::yes;
      why = &kTooMuchKept;
    } catch (const std::bad_alloc&) {
      if (when_full == WhenFull::drop) return false;
      if (!is_counted_on) throw;
      const auto failed_at = std::chrono::steady_clock::now();
      if (!without_memory_since) without_memory_since = failed_at;
      if (failed_at > *without_memory_since + options_.out_of_memory) return false;
      std::this_thread::sleep_for(kBetweenTries);
      why = &kNoMemory;
    }
  }
}

MessageSender::Written MessageSender::write(RawMessage& raw, WhenFull when_full, std::chrono::steady_clock::time_point give_up,
                                            bool is_counted_on) {
  constexpr std::size_t kShort = 16 * kFewWords;
  if (raw.payload.size() > kMaxMessageBytes) return Written::no;
  while (!options_.is_over()) {
    {
      const std::unique_lock lock(writing_, kLockAfterCrash);
      if (lock.owns_lock() && write_unwritten() && writer_.write(raw.kind, raw.payload)) return Written::yes;
      if (!lock.owns_lock() && options_.has_crashed()) return Written::no;
      if (when_full == WhenFull::drop) return Written::no;
      if (lock.owns_lock() && std::chrono::steady_clock::now() > give_up) {
        const std::size_t bytes = raw.payload.size();
        const bool may_exceed = is_counted_on && bytes <= kShort;
        if (unwritten_bytes_ + bytes > options_.max_unwritten_bytes && !may_exceed) return Written::too_much_is_kept;
        unwritten_.push_back(std::move(raw));
        unwritten_bytes_ += bytes;
        return Written::yes;
      }
    }
    std::this_thread::sleep_for(kLook);
  }
  return Written::no;
}

// With writing_ held. False: some are left.
bool MessageSender::write_unwritten() {
  while (!unwritten_.empty() && writer_.write(unwritten_.front().kind, unwritten_.front().payload)) {
    unwritten_bytes_ -= unwritten_.front().payload.size();
    unwritten_.pop_front();
  }
  return unwritten_.empty();
}

void MessageSender::write_kept() {
  const std::unique_lock lock(writing_, std::try_to_lock);
  if (lock.owns_lock()) static_cast<void>(write_unwritten());
}

}  // namespace dlscope::core::wire
