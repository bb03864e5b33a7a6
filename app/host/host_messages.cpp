// What the host says: HostClient's thread for messages reads them, turns them into events, and looks for crashes meanwhile.
#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <variant>

#include "app/host/crash_facts.h"
#include "app/host/host_client_impl.h"
#include "app/host/process_tree.h"
#include "core/base/build_id.h"
#include "core/base/overloaded.h"
#include "core/memory/address_map.h"
#include "core/wire/snapshot_codec.h"

namespace dlscope::app {

namespace wire = core::wire;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kWireWait{200};
constexpr milliseconds kFullQueueLook{5};     // retry interval while the queue is full
constexpr milliseconds kOutputCatchesUp{50};  // for output to arrive after the message that follows it

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

}  // namespace

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
    if (deadline != 0 && std::chrono::steady_clock::now().time_since_epoch().count() > deadline) end_host();
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
                   push(started);
                 },
                 [&](wire::RunFinished& finished) {
                   if (terminal) terminal->catch_up(kOutputCatchesUp);
                   push(std::move(finished));
                 },
                 [&](const wire::SnapshotReady& snapshot) { handle_snapshot(snapshot); },
                 [&](wire::ScanFinished& scan) {
                   const std::string reason = std::exchange(unreadable, {});
                   if (!reason.empty() && scan.result != wire::ScanResult::failed)
                     scan = {scan.request, wire::ScanResult::failed, "the tensors that the scan found are missing: " + reason};
                   push(std::move(scan));
                 },
                 [&](wire::Notice& notice) { push(std::move(notice)); },
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
  const auto decoded = [&]() -> core::Result<core::SnapshotPtr> {
    try {
      const auto bytes = region->take_snapshot(snapshot.sequence);
      if (!bytes) return core::SnapshotPtr();  // overwritten by a newer one, which is announced, too
      return wire::decode_snapshot(*bytes);
    } catch (const std::bad_alloc&) {
      return core::fail(core::ErrorKind::environment, "no memory is left for it");
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

}  // namespace dlscope::app
