#include "app/host/host_client.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <future>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "app/host/crash_facts.h"
#include "app/host/foreground.h"
#include "app/host/host_command.h"
#include "app/host/host_event_queue.h"
#include "app/host/host_process.h"
#include "app/host/process_tree.h"
#include "app/host/pseudo_terminal.h"
#include "core/base/build_id.h"
#include "core/base/overloaded.h"
#include "core/memory/address_map.h"
#include "core/wire/host_launch.h"
#include "core/wire/snapshot_codec.h"

namespace dlscope::app {

namespace wire = core::wire;
using core::ErrorKind;
using core::fail;
using core::Result;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kWireWait{200};
constexpr milliseconds kFullQueueLook{5};       // retry interval while the queue is full
constexpr milliseconds kOrphansDie{1000};       // until what the host started has died, once it is killed
constexpr milliseconds kHostDies{2000};         // until a killed host has died; then it is left behind
constexpr milliseconds kOutputCatchesUp{50};    // for output to arrive after the message that follows it
constexpr std::size_t kFirstWordsBytes = 8192;  // of output before the host is ready, for an error message

std::string ended_text(const HostExited& exit) {
  if (exit.signal) return "it was ended by signal " + std::to_string(*exit.signal) + " (" + ::strsignal(*exit.signal) + ")";
  if (exit.exit_code) return "it ended with exit code " + std::to_string(*exit.exit_code);
  return "it ended";
}

// The last non-empty line: where programs explain their end.
std::string last_text(std::string_view printed) {
  const auto last = printed.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) return {};
  printed = printed.substr(0, last + 1);
  const auto begin = printed.rfind('\n');
  return std::string{printed.substr(begin == std::string_view::npos ? 0 : begin + 1)};
}

// After a crash only tasks send messages, Python does not.
bool is_of_work(const wire::ToViewer& message) {
  return std::holds_alternative<wire::Progress>(message) || std::holds_alternative<wire::Part>(message) ||
         std::holds_alternative<wire::WorkEnded>(message);
}

// The file that the code at `address` belongs to: the library a crash happened in.
std::string library_at(pid_t pid, core::Address address) {
  const auto map = core::AddressMap::load(pid);
  if (!map) return {};
  const core::Mapping* mapping = map->find(address);
  return mapping == nullptr || mapping->path.empty() ? std::string{"unknown code"} : mapping->path;
}

std::unexpected<core::Error> no_thread() {
  return fail(core::ErrorKind::environment,
              "the system gives no more threads, which listening to Python takes: its limits of memory (ulimit -v) or of "
              "processes (ulimit -u) are reached");
}

}  // namespace

struct HostClient::Impl : std::enable_shared_from_this<Impl> {
  Impl(HostLaunch how, std::function<void()> wake) : launch(std::move(how)), events(std::move(wake)) {}

  Result<pid_t> start();
  void look_after_process(std::promise<Result<pid_t>> started, HostProcessSpec spec);
  bool start_listening();
  void end_unheard_host();
  void read_wire();
  void listen();
  bool read_messages();  // false: there were none
  void handle(wire::ToViewer&& message, std::size_t bytes);
  void handle_hello(wire::Hello&& hello, std::size_t bytes);
  void handle_snapshot(const wire::SnapshotReady& ready);
  void look_for_crash();
  void look_for_windows();
  void give_up(std::string wording);
  void handle_orphans();
  void report_end(const HostExited& exit);
  void end_host();
  std::size_t take_output(std::string_view text);
  bool send(const wire::ToHost& message);

  const std::chrono::system_clock::time_point created = std::chrono::system_clock::now();  // not later than the process
  HostLaunch launch;
  HostEventQueue events;
  std::unique_ptr<wire::Region> region;
  std::optional<wire::RingWriter> writer;
  std::optional<wire::RingReader> reader;
  std::optional<PseudoTerminal> terminal;
  std::optional<HostProcess> process;  // set before start() returns, then constant
  std::mutex send_mutex;
  std::atomic<std::uint32_t> stop_attempts{0};
  std::atomic<bool> exited{false}, killed{false}, wire_stopping{false}, wire_done{false}, settled{false};
  std::atomic<Clock::rep> shutdown_deadline{0};  // 0: none

  // Written by the wire thread, read by the process thread after joining it.
  bool crashed = false, broken = false;
  std::string why;

  // Of the wire thread.
  std::uint64_t window_turns = 0;
  bool windows_told = true;  // since the last snapshot; true before the first
  std::string unreadable;    // why the snapshot of the scan that ends next cannot be read; "": it can

  std::atomic<bool> ready{false};
  std::mutex text_mutex;
  std::string first_text;

  std::thread process_thread, wire_thread;
  std::promise<void> process_done;
};

Result<pid_t> HostClient::Impl::start() {
  auto made = wire::Region::create();
  if (!made) return std::unexpected(made.error());
  region = std::move(*made);
  writer.emplace(region->to_host_writer());
  reader.emplace(region->to_viewer_reader());

  HostProcessSpec spec;
  auto command = host_command(launch.python, region->fd());
  if (!command) return std::unexpected(command.error());
  spec.arguments = std::move(*command);
  spec.region_fd = region->fd();
  spec.working_directory = launch.working_directory;
  spec.stdout_to_stderr = launch.stdout_to_stderr;
  if (launch.terminal) {
    auto opened = PseudoTerminal::open();
    if (!opened) return std::unexpected(opened.error());
    terminal.emplace(std::move(*opened));
    spec.terminal_fd = terminal->child_side();
    spec.controlling_terminal = terminal->is_terminal();
    // The console pane shows plain text: it is no VT100 emulator.
    spec.extra_environment = {"TERM=dumb"};
  }
  std::promise<Result<pid_t>> started;
  auto answer = started.get_future();
  // The thread keeps this object alive: a host that not even SIGKILL ends (it hangs in the kernel) is left behind with its
  // thread.
  try {
    process_thread = std::thread([self = shared_from_this(), spec = std::move(spec), promise = std::move(started)]() mutable {
      self->look_after_process(std::move(promise), std::move(spec));
      self->process_done.set_value();
    });
  } catch (const std::system_error&) {
    return no_thread();
  }
  auto pid = answer.get();
  region->close_fd();
  return pid;
}

// The process thread: the child's parent. The kernel kills the child when this thread ends.
void HostClient::Impl::look_after_process(std::promise<Result<pid_t>> started, HostProcessSpec spec) {
  auto spawned = HostProcess::spawn(spec);
  if (terminal) terminal->close_child_side();
  if (!spawned) {
    started.set_value(std::unexpected(spawned.error()));
    return;
  }
  process.emplace(*spawned);
  if (!start_listening()) {
    end_unheard_host();
    started.set_value(no_thread());
    return;
  }
  started.set_value(process->pid());

  HostChange change;
  {
    std::optional<Foreground> foreground;
    if (!launch.terminal) foreground.emplace();
    for (;;) {
      change = process->wait_for_change();
      const auto* stopped = std::get_if<HostStopped>(&change);
      if (stopped == nullptr) break;
      if (foreground) foreground->host_stopped(process->pid(), stopped->signal);
    }
  }
  exited = true;
  handle_orphans();
  if (terminal) terminal->finish();
  wire_stopping = true;
  while (!wire_done) {
    reader->wake();
    std::this_thread::sleep_for(milliseconds{1});
  }
  wire_thread.join();
  report_end(std::get<HostExited>(change));
}

// False: the system gives no more threads.
bool HostClient::Impl::start_listening() {
  try {
    if (terminal) terminal->start_reading([this](std::string_view text) { return take_output(text); });
    wire_thread = std::thread([this] { read_wire(); });
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

void HostClient::Impl::end_unheard_host() {
  end_host();
  while (std::holds_alternative<HostStopped>(process->wait_for_change())) {
  }
  exited = true;
  handle_orphans();
  if (terminal) terminal->finish();
}

void HostClient::Impl::end_host() {
  killed = true;
  if (!exited) process->end();
}

// What a host started is killed with it when we kill the host, and survives a host that ends by itself, as with any program.
void HostClient::Impl::handle_orphans() {
  if (killed) {
    end_orphans(kOrphansDie);
  } else {
    leave_orphans();
  }
}

void HostClient::Impl::report_end(const HostExited& exit) {
  HostEnded ended{exit.exit_code, exit.signal, std::move(why)};
  if (!ready && ended.why.empty()) {
    const std::lock_guard lock{text_mutex};
    const std::string wording = last_text(first_text);
    ended.why = "Python's process ended before it was ready: " + (wording.empty() ? ended_text(exit) : wording);
    if (!launch.terminal && exit.exit_code == wire::kHostCannotServe) ended.why += "; its own message is above";
  }
  events.push(std::move(ended));
}

std::size_t HostClient::Impl::take_output(std::string_view text) {
  if (!ready) {
    const std::lock_guard lock{text_mutex};
    first_text += text;
    if (first_text.size() > kFirstWordsBytes) first_text.erase(0, first_text.size() - kFirstWordsBytes);
  }
  return events.push_output(text);
}

void HostClient::Impl::read_wire() {
  try {
    listen();
  } catch (const std::bad_alloc&) {
    give_up("the viewer has no memory left for what Python's process said");
  }
  wire_done = true;
}

void HostClient::Impl::listen() {
  while (!wire_stopping) {
    const auto phase = region->header().phase.load(std::memory_order_acquire);
    // Idle before a look that found no message: everything the host sent before it became idle has been queued.
    const bool at_rest = phase == static_cast<std::uint32_t>(wire::HostPhase::idle) ||
                         phase == static_cast<std::uint32_t>(wire::HostPhase::windows);
    if (!read_messages() && !events.full()) settled = at_rest;
    look_for_windows();
    look_for_crash();
    const auto deadline = shutdown_deadline.load();
    if (deadline != 0 && Clock::now().time_since_epoch().count() > deadline) end_host();
    reap_orphans();
    if (events.full()) {
      std::this_thread::sleep_for(kFullQueueLook);
      continue;
    }
    reader->wait(deadline != 0 ? milliseconds{50} : kWireWait);
  }
  read_messages();
  look_for_crash();
}

bool HostClient::Impl::read_messages() {
  wire::RawMessage raw;
  bool any = false;
  while (!broken && !(events.full() && !wire_stopping)) {
    const auto got = reader->read(raw);
    if (!got) {
      give_up("the connection to Python's process broke: " + got.error().message);
      break;
    }
    if (!*got) break;
    any = true;
    settled = false;
    auto message = wire::decode_to_viewer(raw);
    if (message) {
      if (!crashed || is_of_work(*message)) handle(std::move(*message), raw.payload.size());
    } else {
      give_up("Python's process sent something unreadable: " + message.error().message);
    }
  }
  return any;
}

void HostClient::Impl::handle(wire::ToViewer&& message, std::size_t bytes) {
  const auto push = [&](HostEvent event) { events.push(std::move(event), bytes); };
  std::visit(core::Overloaded{
                 [&](wire::Hello& hello) { handle_hello(std::move(hello), bytes); },
                 [&](const wire::RunStarted& started) {
                   stop_attempts = 0;
                   push(HostRunStarted{started.run});
                 },
                 [&](wire::RunFinished& finished) {
                   if (terminal) terminal->catch_up(kOutputCatchesUp);
                   push(HostRunFinished{finished.run, std::move(finished.outcome)});
                 },
                 [&](const wire::SnapshotReady& snapshot) { handle_snapshot(snapshot); },
                 [&](wire::ScanFinished& scan) {
                   const std::string reason = std::exchange(unreadable, {});
                   if (!reason.empty() && scan.result != wire::ScanResult::failed)
                     scan = {scan.request, wire::ScanResult::failed, "the tensors that the scan found are missing: " + reason};
                   push(std::move(scan));
                 },
                 [&](wire::Notice& notice) { push(HostNotice{std::move(notice.text)}); },
                 [&](wire::Answer& answer) {
                   if (answer.error != wire::kAnswerBusy) stop_attempts = 0;  // a Stop that ended a question is spent
                   push(HostAnswer{std::move(answer)});
                 },
                 [&](const wire::Progress& progress) { push(progress); },
                 [&](wire::Part& part) { push(std::move(part)); },
                 [&](wire::WorkEnded& end) { push(std::move(end)); },
                 [&](wire::LeaseChanged& lease) { push(std::move(lease)); },
                 [&](wire::Stopped& stopped) {
                   stop_attempts = 0;
                   if (terminal) terminal->catch_up(kOutputCatchesUp);
                   push(std::move(stopped));
                 },
                 [&](wire::Resumed& resumed) {
                   stop_attempts = 0;
                   push(resumed);
                 },
                 [&](wire::BreakpointsChanged& breakpoints) { push(std::move(breakpoints)); },
             },
             message);
}

void HostClient::Impl::handle_hello(wire::Hello&& hello, std::size_t bytes) {
  if (hello.build_id != core::build_id()) {
    return give_up("dlscope and its Python side are of different builds (" + std::string{core::build_id()} + " and " +
                   hello.build_id + "): build or install both again, and look at DLSCOPE_PYTHON_DIR");
  }
  // The views read the memory of this pid: it must be the process we started.
  if (hello.pid != process->pid()) {
    return give_up("a process other than the one that was started answered for Python (" + std::to_string(hello.pid) + ", not " +
                   std::to_string(process->pid()) + ")");
  }
  ready = true;
  events.push(HostReady{std::move(hello)}, bytes);
}

void HostClient::Impl::handle_snapshot(const wire::SnapshotReady& snapshot) {
  const auto decoded = [&]() -> Result<core::SnapshotPtr> {
    try {
      const auto bytes = region->take_snapshot(snapshot.sequence);
      if (!bytes) return core::SnapshotPtr();  // overwritten by a newer one, which is announced, too
      return wire::decode_snapshot(*bytes);
    } catch (const std::bad_alloc&) {
      return fail(ErrorKind::environment, "no memory is left for it");
    }
  }();
  const bool in_scan = snapshot.scanned != core::Scanned::earlier;  // the script's own reports are no scan that ends
  if (in_scan) unreadable.clear();
  if (!decoded) {
    if (in_scan) unreadable = decoded.error().message;
    events.push(HostNotice{"what the scan found cannot be read: " + decoded.error().message});
  } else if (*decoded) {
    events.push(HostSnapshot{*decoded, snapshot.scanned, snapshot.python_threads});
    windows_told = false;
  }
}

// Their number of before the snapshot is what counts: a turn at about the same time may have been after it.
void HostClient::Impl::look_for_windows() {
  const std::uint64_t now = region->header().window_turns.load(std::memory_order_acquire);
  if (std::exchange(window_turns, now) == now || std::exchange(windows_told, true)) return;
  events.push(HostWindowsRan{});
}

// A signal handler in the host wrote the record and parked the thread; its memory stays readable until the process is killed.
void HostClient::Impl::look_for_crash() {
  wire::CrashRecord& record = region->header().crash;
  if (crashed || broken || record.state.load(std::memory_order_acquire) != 2) return;
  read_messages();  // those sent before the crash
  crashed = true;
  HostCrashed crash;
  crash.signal = record.signal;
  crash.fault_address = record.fault_address;
  crash.library = library_at(process->pid(), record.program_counter);
  crash.facts = crash_facts(process->pid(), created, record);
  crash.stack_on_stderr = record.stack_on_stderr != 0;
  const std::size_t bytes = std::min<std::size_t>(record.stack_bytes, sizeof record.python_stack);
  crash.python_stack.assign(record.python_stack, ::strnlen(record.python_stack, bytes));
  if (terminal) terminal->catch_up(kOutputCatchesUp);
  events.push(std::move(crash));
}

void HostClient::Impl::give_up(std::string wording) {
  broken = true;
  why = std::move(wording);
  end_host();
}

bool HostClient::Impl::send(const wire::ToHost& message) {
  if (exited) return false;
  const wire::RawMessage raw = wire::encode(message);
  const std::lock_guard lock{send_mutex};
  return writer->write(raw.kind, raw.payload);
}

HostClient::HostClient(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<HostClient>> HostClient::start(const HostLaunch& launch, std::function<void()> wake) {
  auto impl = std::make_shared<Impl>(launch, std::move(wake));
  const auto pid = impl->start();
  if (!pid) {
    if (impl->process_thread.joinable()) impl->process_thread.join();
    if (impl->process) impl->process->reap();  // it was started, but nobody could listen to it
    return std::unexpected(pid.error());
  }
  return std::unique_ptr<HostClient>{new HostClient(std::move(impl))};
}

HostClient::~HostClient() {
  impl_->region->header().viewer_gone.store(1, std::memory_order_release);
  if (!impl_->exited) impl_->end_host();
  if (impl_->process_done.get_future().wait_for(kHostDies) != std::future_status::ready) {
    impl_->events.disconnect();
    impl_->process_thread.detach();
    return;
  }
  impl_->process_thread.join();
  impl_->process->reap();
}

bool HostClient::run(wire::Run request) { return impl_->send(std::move(request)); }

bool HostClient::ask(wire::Ask question) {
  if (question.kind.size() > wire::kMaxKindBytes || question.text.size() > wire::kMaxQuestionBytes) return false;
  return impl_->send(std::move(question));
}

bool HostClient::scan(std::uint64_t request) { return impl_->send(wire::Scan{request}); }

bool HostClient::start_work(wire::Start work) { return impl_->send(std::move(work)); }

void HostClient::cancel(std::uint64_t work) { impl_->send(wire::Cancel{work}); }

bool HostClient::set_breakpoints(wire::SetBreakpoints breakpoints) { return impl_->send(std::move(breakpoints)); }

bool HostClient::pause() { return impl_->send(wire::Pause{}); }

bool HostClient::resume(wire::Resume resume) { return impl_->send(std::move(resume)); }

void HostClient::interrupt(wire::Interrupt request) {
  request.attempt = impl_->stop_attempts.fetch_add(1) + 1;
  impl_->send(request);
}

void HostClient::kill() { impl_->end_host(); }

std::size_t HostClient::end_remaining_processes() {
  impl_->killed = true;
  return impl_->exited ? end_orphans(kOrphansDie) : 0;
}

void HostClient::shutdown(std::optional<milliseconds> at_most) {
  impl_->send(wire::Shutdown{});
  if (at_most) impl_->shutdown_deadline = (Clock::now() + *at_most).time_since_epoch().count();
  impl_->reader->wake();
}

bool HostClient::write_input(const std::string& text) { return impl_->terminal && impl_->terminal->write(text); }

bool HostClient::terminal_echoes() const { return !impl_->terminal || impl_->terminal->echoes(); }

std::vector<HostEvent> HostClient::drain() {
  bool freed = false;
  auto events = impl_->events.drain(freed);
  if (freed && impl_->terminal) impl_->terminal->resume();
  return events;
}

void HostClient::wait(milliseconds at_most) { impl_->events.wait(at_most); }

wire::HostPhase HostClient::phase() const {
  const std::uint32_t phase = impl_->region->header().phase.load(std::memory_order_acquire);
  if (phase > static_cast<std::uint32_t>(wire::HostPhase::stopped)) return wire::HostPhase::ending;
  if (impl_->exited && phase != static_cast<std::uint32_t>(wire::HostPhase::crashed)) return wire::HostPhase::ending;
  return static_cast<wire::HostPhase>(phase);
}

bool HostClient::settled() const { return impl_->settled; }

pid_t HostClient::pid() const { return impl_->process->pid(); }

}  // namespace dlscope::app
