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

void publish(bool spoilt) {
  SnapshotBuilder builder;
  builder.info().python_version = builder.intern("3.99.0");
  const auto snapshot = builder.finish();
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

// Says whatever comes to its mind, well formed or not, in any order, in any phase; the same for the same seed.
void lie(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t end) { return random() % end; };
  const auto text = [&](std::size_t most) {
    std::string out(below(most), ' ');
    for (char& c : out) c = static_cast<char>(random());
    return out;
  };
  wire::RingWriter writer = region->to_viewer_writer();
  const auto send = [&](const wire::ToViewer& message) {
    wire::RawMessage raw = wire::encode(message);
    if (below(20) == 0 && !raw.payload.empty()) raw.payload[below(raw.payload.size())] ^= std::byte{0x41};
    static_cast<void>(writer.write(raw.kind, raw.payload));
  };
  RunOutcome outcome;
  outcome.script_path = "script.py";
  for (std::uint64_t step = 40 + below(200); step > 0; --step) {
    switch (below(12)) {
      case 0:
        send(wire::Hello{build_id(), ::getpid(), text(20), text(20), text(20), text(20)});
        break;
      case 1:
        send(wire::RunStarted{below(4)});
        break;
      case 2:
        outcome.outcome = static_cast<Outcome>(below(6));
        outcome.error = ScriptError{text(20), text(2000), static_cast<std::int32_t>(random()), text(20000)};
        send(wire::RunFinished{below(4), outcome});
        break;
      case 3:
        send(wire::SnapshotReady{random() % 8, below(4), static_cast<Scanned>(below(5))});
        break;
      case 4: {
        const auto slot = region->begin_snapshot();
        for (std::size_t i = 0; i < 4096; ++i) slot[i] = static_cast<std::byte>(random());
        send(wire::SnapshotReady{region->publish_snapshot(below(2) == 0 ? below(4096) : slot.size()), 1, Scanned::end});
        break;
      }
      case 5:
        publish(below(2) == 0);
        break;
      case 6:
        send(wire::Answer{below(4), text(10), text(3000), text(30)});
        break;
      case 7:
        phase(static_cast<HostPhase>(below(12)));
        break;
      case 8:
        region->header().slots[below(2)].sequence.store(random());
        region->header().slots[below(2)].bytes.store(below(2) == 0 ? random() : below(1u << 20));
        break;
      case 9:
        if (below(20) == 0) region->header().to_viewer.head.store(random());
        break;
      default:
        send(wire::Notice{text(5000)});
        break;
    }
  }
}

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

// What to do with the next request; false to leave.
bool answer(const wire::ToHost& request, const std::string& mode) {
  if (std::holds_alternative<wire::Shutdown>(request)) return mode == "deaf";
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
    publish(mode == "bad_snapshot");
    if (mode == "bad_snapshot") say(wire::ScanFinished{});
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

[[noreturn]] void crash() {
  wire::CrashRecord& record = region->header().crash;
  record.signal = SIGSEGV;
  record.fault_address = 0x1234;
  record.program_counter = reinterpret_cast<std::uint64_t>(&print_forever);
  std::strcpy(record.python_stack, "File \"x.py\", line 3");
  record.stack_bytes = 0xffffffff;  // a lie: larger than the field
  record.state = 2;
  for (;;) ::pause();
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
    lie(std::stoull(mode.substr(5)));
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
