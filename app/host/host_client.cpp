#include "app/host/host_client.h"

#include <signal.h>

#include <cstring>
#include <future>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "app/host/foreground.h"
#include "app/host/host_client_impl.h"
#include "app/host/host_command.h"
#include "app/host/process_tree.h"
#include "core/wire/host_launch.h"

namespace dlscope::app {

namespace wire = core::wire;
using core::ErrorKind;
using core::fail;
using core::Result;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kOrphansDie{1000};       // until what the host started has died, once it is killed
constexpr milliseconds kHostDies{2000};         // until a killed host has died; then it is left behind
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

std::unexpected<core::Error> no_thread() {
  return fail(core::ErrorKind::environment,
              "the system gives no more threads, which listening to Python takes: its limits of memory (ulimit -v) or of "
              "processes (ulimit -u) are reached");
}

}  // namespace

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
