#include "embed/host/host_service.h"

#include <fmt/format.h>
#include <pthread.h>

#include <array>
#include <chrono>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/base/build_id.h"
#include "core/base/in_words.h"
#include "core/base/overloaded.h"
#include "core/wire/payload.h"
#include "embed/host/crash_guard.h"
#include "embed/host/forked_child.h"
#include "embed/host/host_threads.h"
#include "embed/host/request_ends.h"

namespace dlscope::embed {

using core::wire::HostPhase;
using namespace std::chrono_literals;

namespace {

constexpr auto kBusyTick = 50ms;   // deferred interrupts, crash handlers taken away by libraries
constexpr auto kIdleTick = 500ms;  // only to notice that the viewer has gone
constexpr auto kExitAfterViewer = 3s;
constexpr int kSendTries = 100;  // of an end that there is no memory for, each after kBetweenSendTries
constexpr auto kBetweenSendTries = 10ms;

core::wire::MessageSenderOptions sender_options() {
  core::wire::MessageSenderOptions options;
  options.is_over = [] { return is_forked_child(); };
  options.has_crashed = [] { return crashed(); };
  return options;
}

// A message of the same kind that contains only the number with which every request begins. Allocates nothing.
core::wire::ToHost message_with_number(const core::wire::RawMessage& raw) {
  using namespace core::wire;
  PayloadReader in(raw.payload);
  static_cast<void>(in.number<std::uint16_t>());  // the version
  const auto number = in.number<std::uint64_t>();
  const auto is = [&]<class Message>(std::type_identity<Message>) {
    return raw.kind == kFirstKindToHost + ToHost(std::in_place_type<Message>).index();
  };
  ToHost message = Shutdown{};
  if (is(std::type_identity<Run>())) message.emplace<Run>().run = number;
  if (is(std::type_identity<Scan>())) message = Scan{number};
  if (is(std::type_identity<Ask>())) message.emplace<Ask>().id = number;
  if (is(std::type_identity<Start>())) message.emplace<Start>().id = number;
  return message;
}

}  // namespace

core::Result<HostService*> HostService::start(int region_fd, const core::wire::Hello& hello) {
  auto region = core::wire::Region::attach(region_fd);
  if (!region) return std::unexpected(region.error());
  const auto& header = (*region)->header();
  const std::string theirs(header.build_id, strnlen(header.build_id, sizeof header.build_id));
  if (theirs != core::build_id()) {
    return core::fail(
        core::ErrorKind::unsupported,
        fmt::format("the viewer is build {}, this host is build {}: install both from one build", theirs, core::build_id()));
  }
  auto* service = new HostService(std::move(*region));  // lives as long as the process
  notice_forks();

  prepare_to_end_system_calls();
  if (!service->wire_thread_.start()) {
    return core::fail(core::ErrorKind::environment, "the system lets this user start no more threads (RLIMIT_NPROC)");
  }
  service->send(hello);
  return service;
}

HostService::HostService(std::unique_ptr<core::wire::Region> region)
    : region_(std::move(region)),
      reader_(region_->to_host_reader()),
      sender_(region_->to_viewer_writer(), sender_options()),
      state_(region_->header(), pthread_self()),
      intake_(state_, sender()),
      serving_(state_, sender()),
      stops_(state_, sender()),
      tasks_(sender(), [this] { return state_.phase(); }),
      publisher_(*region_, sender(), [this](const core::SnapshotPtr& snapshot) { tasks_.keep(snapshot); }),
      process_end_(region_->header()),
      wire_thread_({.begin = [this] { tasks_.resume(); },
                    .pass = [this] { pass(); },
                    .wake = [this] { reader_.wake(); },
                    .notice = [this](std::string_view text) { notice(text); }}) {}

SendToViewer HostService::sender() {
  return [this](const core::wire::ToViewer& message, WhenFull when_full) { return send(message, when_full); };
}

void HostService::before_fork() {
  wire_thread_.forget_failed_starts();
  if (crashed() || wire_thread_.restart() != WireThread::Restart::done) return;
  wire_thread_.end();
  tasks_.pause();
}

bool HostService::on_main_thread() const { return pthread_equal(pthread_self(), state_.main_thread) != 0; }

bool HostService::send(const core::wire::ToViewer& message, WhenFull when_full) { return sender_.send(message, when_full); }

void HostService::notice(std::string_view text) { send(core::wire::Notice{std::string(text)}); }

bool HostService::publish(const core::SnapshotPtr& snapshot, core::wire::SnapshotReady ready) {
  return !is_forked_child() && publisher_.publish(snapshot, ready);
}

// ---- the wire's thread ----

void HostService::pass() {
  const HostPhase now = state_.phase();
  const bool rests = now == HostPhase::idle || now == HostPhase::stopped || now == HostPhase::crashed;
  reader_.wait(rests ? kIdleTick : kBusyTick);
  // An exception that left this thread would end the user's process. Where there is no memory for a message, it is the first one at
  // the next pass as well: that must not keep the rest from being done.
  bool complete = true;
  for (const auto part : {&HostService::read_messages, &HostService::tick}) {
    try {
      (this->*part)();
    } catch (const std::exception&) {  // std::bad_alloc: what was not read or done is so at the next pass
      complete = false;
    }
  }
  if (!complete) std::this_thread::sleep_for(kBusyTick);
}

void HostService::read_messages() {
  while (!ring_broken_) {
    const auto got = reader_.read(raw_);
    if (!got) {
      ring_broken_ = true;
      notice(got.error().message + ". This host takes no more requests: restart Python.");
    } else if (!*got) {
      break;
    } else {
      handle(raw_);
    }
  }
}

void HostService::handle(const core::wire::RawMessage& raw) {
  core::wire::ToHost numbers = message_with_number(raw);
  std::array<char, 200> words;  // not on the heap: memory may have run out
  std::string_view why = core::kNotEnoughMemory;
  try {
    auto message = core::wire::decode_to_host(raw);
    if (!message) return notice("A request could not be read: " + message.error().message);
    using core::wire::Ask, core::wire::Run;
    if (const auto* run = std::get_if<Run>(&*message)) std::get<Run>(numbers).scan_after = run->scan_after;
    if (const auto* question = std::get_if<Ask>(&*message)) std::get<Ask>(numbers).kind = question->kind;
    return std::visit([this](auto& request) { handle_message(std::move(request)); }, *message);  // one overload for every kind
  } catch (const std::bad_alloc&) {  // it has not been queued
  } catch (const std::exception& error) {
    const auto end = fmt::format_to_n(words.data(), words.size(), "{}{}", core::kDlscopeFailed, error.what()).out;
    why = std::string_view(words.data(), static_cast<std::size_t>(end - words.data()));
  }
  const char* const python_error = why == core::kNotEnoughMemory ? "MemoryError" : "RuntimeError";
  for (int tries = 0; tries < kSendTries; ++tries) {
    try {
      for (const core::wire::ToViewer& end : ends_of_failed(numbers, python_error, why)) send(end);
      return;
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(kBetweenSendTries);
    }
  }
}

void HostService::handle_message(const core::wire::Shutdown& shutdown) {
  if (crashed()) exit_by_crash_signal();
  intake_.end_waiting_acts("Python is leaving", RequestIntake::ActsAre::taken_by_python);
  intake_.put(shutdown);
}

void HostService::handle_message(core::wire::Start start) {
  auto work = task_or_act(std::move(start.work));
  std::visit(core::Overloaded{[&](const core::wire::TaskWork& task) { tasks_.start(start.id, task); },
                              [&](core::wire::ActWork& act) { intake_.put_act({start.id, std::move(act)}); }},
             work);
}

void HostService::handle_message(const core::wire::Cancel& cancel) {
  if (!tasks_.cancel(cancel.id)) intake_.cancel_act(cancel.id);  // a task ends at once
}

void HostService::tick() {
  process_end_.exit_if_time_is_over();  // these two first: what follows may find no memory
  if (process_end_.notices_viewer_gone()) leave_without_viewer();
  if (process_end_.sees_crash())
    intake_.end_waiting_acts("the script's process has crashed", RequestIntake::ActsAre::left_by_crash);
  process_end_.finish_late_crash_record();
  if (may_run_user_code(state_.phase())) {
    reinstall_crash_guard();
    intake_.interrupt_again();
  }
  sender_.write_kept();
  intake_.wake_python_for_changes();
}

// Interrupts what runs and ends the process soon.
void HostService::leave_without_viewer() {
  process_end_.exit_within(kExitAfterViewer);  // first, for the same reason
  if (crashed()) exit_by_crash_signal();
  if (state_.phase() == HostPhase::running) intake_.interrupt_what_runs();
  intake_.put(core::wire::Shutdown{});
}

}  // namespace dlscope::embed
