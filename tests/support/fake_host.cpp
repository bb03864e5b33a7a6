// A host without a Python: speaks the wire as DLSCOPE_FAKE_HOST says, well or badly. Started like a static interpreter:
// fake_host BOOT_FILE --package-dir DIR --region-fd N.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "core/base/build_id.h"
#include "core/inventory/snapshot_builder.h"
#include "core/wire/messages.h"
#include "core/wire/region.h"
#include "core/wire/snapshot_codec.h"

using namespace dlscope::core;
using wire::HostPhase;

namespace {

wire::Region* region = nullptr;

void say(const wire::ToViewer& message) {
  const wire::RawMessage raw = wire::encode(message);
  if (!region->to_viewer_writer().write(raw.kind, raw.payload)) std::_Exit(90);
}

void phase(HostPhase now) { region->header().phase.store(static_cast<std::uint32_t>(now)); }

void greet(const char* build, pid_t pid = ::getpid()) {
  phase(HostPhase::idle);
  say(wire::Hello{build, pid, "3.99.0", "/fake/python", "/fake", "/fake"});
}

void publish(bool spoilt, UnknownWhy sharing = UnknownWhy::none) {
  SnapshotBuilder builder;
  builder.info().python_version = builder.intern("3.99.0");
  const auto snapshot = builder.finish();
  snapshot->info.missing_pairs = snapshot->info.open_groups = sharing;
  const auto slot = region->begin_snapshot();
  const std::size_t bytes = wire::encode_snapshot(*snapshot, slot);
  if (spoilt) std::memset(slot.data(), 0xff, bytes);
  say(wire::SnapshotReady{region->publish_snapshot(bytes), 1, Scanned::end});
}

// As many notices as the ring takes, for ever.
[[noreturn]] void flood() {
  wire::RingWriter writer = region->to_viewer_writer();
  for (std::size_t count = 0;; ++count) {
    const wire::RawMessage raw = wire::encode(wire::Notice{std::to_string(count) + " " + std::string(200'000, 'x')});
    while (!writer.write(raw.kind, raw.payload)) ::usleep(1000);
  }
}

// Says anything, well formed or not, in any order, in any phase; the same for the same seed.
class Liar {
 public:
  explicit Liar(std::uint64_t seed) : random_(seed) {}

  void lie() {
    for (std::uint64_t step = 60 + below(300); step > 0; --step) {
      if (below(4) == 0)
        tamper();
      else
        send(below(3) == 0 ? about_work() : below(2) == 0 ? about_stops() : about_runs());
    }
  }

 private:
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  template <class Enum>
  Enum any(std::uint64_t end) {  // also values that the enumeration does not have
    return static_cast<Enum>(below(end));
  }
  std::string text(std::size_t most) {
    std::string out(below(most), ' ');
    for (char& c : out) c = static_cast<char>(random_());
    return out;
  }
  void send(const wire::ToViewer& message) {
    wire::RawMessage raw = wire::encode(message);
    if (below(20) == 0 && !raw.payload.empty()) raw.payload[below(raw.payload.size())] ^= std::byte{0x41};
    static_cast<void>(writer_.write(raw.kind, raw.payload));
  }

  wire::ToViewer about_runs() {
    switch (below(7)) {
      case 0:
        return wire::Hello{build_id(), ::getpid(), text(20), text(20), text(20), text(20)};
      case 1:
        return wire::RunStarted{below(4)};
      case 2: {
        RunOutcome outcome;
        outcome.script_path = "script.py";
        outcome.outcome = any<Outcome>(6);
        outcome.error = ScriptError{text(20), text(2000), static_cast<std::int32_t>(random_()), text(20000)};
        return wire::RunFinished{below(4), outcome};
      }
      case 3:
        return wire::SnapshotReady{random_() % 8, below(4), any<Scanned>(5)};
      case 4:
        return wire::ScanFinished{below(4), any<wire::ScanResult>(4), text(200)};
      case 5:
        return wire::Answer{below(4), text(10), text(3000), text(30)};
      default:
        return wire::Notice{text(5000)};
    }
  }
  wire::ToViewer about_work() {
    switch (below(4)) {
      case 0:
        return wire::Progress{below(4), random_(), below(2) == 0 ? 0 : random_(), any<wire::ProgressUnit>(4)};
      case 1:
        return wire::Part{below(4), wire::ValueFound{random_()}};
      case 2:
        return wire::WorkEnded{below(4), any<wire::WorkOutcome>(4), text(200),
                               ValueMatches{random_(), below(9), random_(), random_(), random_()}};
      default:
        return wire::LeaseChanged{
            below(4), any<wire::LeaseState>(4), below(2) == 0, {below(4), static_cast<std::uint32_t>(random_())}, text(200)};
    }
  }
  wire::ToViewer about_stops() {
    switch (below(3)) {
      case 0:
        return wire::BreakpointsChanged{{{below(4), static_cast<std::uint32_t>(random_()), below(9), text(50)}}};
      case 1:
        return wire::Stopped{below(4),   any<wire::StopReason>(9),
                             text(20),   text(200),
                             below(4),   {{text(20), text(40), static_cast<std::uint32_t>(random_()), below(2) == 0}}};
      default:
        return wire::Resumed{below(4)};
    }
  }
  // Writes into what both processes share.
  void tamper() {
    switch (below(5)) {
      case 0: {
        const auto slot = region->begin_snapshot();
        for (std::size_t i = 0; i < 4096; ++i) slot[i] = static_cast<std::byte>(random_());
        send(wire::SnapshotReady{region->publish_snapshot(below(2) == 0 ? below(4096) : slot.size()), 1, Scanned::end});
        break;
      }
      case 1:
        publish(below(2) == 0);
        break;
      case 2:
        phase(any<HostPhase>(12));
        break;
      case 3:
        region->header().slots[below(2)].sequence.store(random_());
        region->header().slots[below(2)].bytes.store(below(2) == 0 ? random_() : below(1u << 20));
        break;
      default:
        if (below(20) == 0) region->header().to_viewer.head.store(random_());
        break;
    }
  }

  std::mt19937_64 random_;
  wire::RingWriter writer_ = region->to_viewer_writer();
};

// A child in a session of its own, when it is there.
pid_t start_child() {
  int ready[2];
  if (::pipe(ready) != 0) std::_Exit(94);
  char byte = 0;
  const pid_t child = ::fork();
  if (child != 0) return ::read(ready[0], &byte, 1) == 1 ? child : -1;
  ::prctl(PR_SET_PDEATHSIG, 0);
  ::setsid();
  if (::write(ready[1], &byte, 1) != 1) std::_Exit(95);
  for (;;) ::pause();
}

[[noreturn]] void crash() {
  wire::CrashRecord& record = region->header().crash;
  record.signal = SIGSEGV;
  record.fault_address = 0x1234;
  record.program_counter = reinterpret_cast<std::uint64_t>(&start_child);
  std::strcpy(record.python_stack, "File \"x.py\", line 3");
  record.stack_bytes = 0xffffffff;  // a lie: larger than the field
  record.state = 2;
  for (;;) ::pause();
}

// What to do with the next request; false to leave.
bool answer(const wire::ToHost& request, const std::string& mode) {
  if (std::holds_alternative<wire::Shutdown>(request)) return mode == "deaf";
  if (const auto* work = std::get_if<wire::Start>(&request); work != nullptr && mode.ends_with("_in_task")) {
    say(wire::Progress{work->id, 1, 2, wire::ProgressUnit::bytes});
    if (mode == "dies_in_task") std::_Exit(7);
    if (mode == "crashes_in_task") crash();
    return true;  // stalls_in_task: the work never ends
  }
  const auto* run = std::get_if<wire::Run>(&request);
  if (run == nullptr) return true;
  phase(HostPhase::running);
  say(wire::RunStarted{run->run});
  if (mode == "dies") std::_Exit(7);
  if (mode == "last_words" && ::write(1, "last words\n", 11) != 11) std::_Exit(93);
  phase(HostPhase::scanning);
  RunOutcome outcome;
  outcome.outcome = Outcome::finished;
  outcome.script_path = run->path;
  say(wire::RunFinished{run->run, outcome});
  if (mode == "huge_snapshot") {
    const auto slot = region->begin_snapshot();
    say(wire::SnapshotReady{region->publish_snapshot(slot.size()), 1, Scanned::end});
  } else if (mode == "no_scan") {
    say(wire::Notice{"the scan failed"});
  } else {
    if (mode.starts_with("unfinished")) publish(false, UnknownWhy::not_yet);
    if (mode == "unfinished_dies") std::_Exit(7);
    if (mode == "unfinished_crashes") crash();
    publish(mode == "bad_snapshot");
    say(wire::ScanFinished{});
  }
  phase(HostPhase::idle);
  return true;
}

[[noreturn]] void print_forever() {
  const std::string line(4096, 'x');
  for (;;) {
    if (::write(1, line.data(), line.size()) < 0) std::_Exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* wanted = std::getenv("DLSCOPE_FAKE_HOST");
  const std::string mode = wanted == nullptr ? "" : wanted;
  if (mode == "silent") return 9;
  if (mode == "wordy") {
    const char wording[] = "first line\nno libpython here\n";
    return ::write(2, wording, sizeof wording - 1) > 0 ? 3 : 4;
  }
  auto attached = wire::Region::attach(argc > 1 ? std::atoi(argv[argc - 1]) : -1);
  if (!attached) return 91;
  region = attached->get();
  if (mode == "other_build") greet("0.0.0-other");
  if (mode == "other_pid") greet(build_id(), ::getppid());
  greet(build_id());
  if (mode == "printer") print_forever();
  if (mode == "crash") crash();
  if (mode == "garbage" && !region->to_viewer_writer().write(0x7777, {})) return 92;
  if (mode == "broken_ring") region->header().to_viewer.head.store(std::uint64_t{1} << 60);
  if (mode.starts_with("liar ")) {
    Liar(std::stoull(mode.substr(5))).lie();
    if (std::stoull(mode.substr(5)) % 3 == 0) std::_Exit(5);
    if (std::stoull(mode.substr(5)) % 3 == 1) crash();
  }
  if (mode == "flood") flood();
  if (mode == "leaves_group" || mode == "leaves_child") {
    ::signal(SIGINT, SIG_IGN);
    const pid_t child = start_child();
    if (mode == "leaves_group") ::setpgid(0, ::getpgid(::getppid()));
    say(wire::Notice{std::to_string(child)});
  }
  if (mode == "deaf") ::signal(SIGINT, SIG_IGN);
  if (mode == "reads_line") {
    char line[64] = {};
    const ssize_t got = ::read(0, line, sizeof line);
    return got > 0 && std::string(line, static_cast<std::size_t>(got)) == "typed\n" ? 42 : 43;
  }
  wire::RingReader requests = region->to_host_reader();
  wire::RawMessage raw;
  for (;;) {
    requests.wait(std::chrono::milliseconds{100});
    while (requests.read(raw).value_or(false)) {
      const auto request = wire::decode_to_host(raw);
      if (!request || !answer(*request, mode)) return 0;
    }
  }
}
