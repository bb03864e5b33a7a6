// The link to a real process that breaks the protocol: tests/support/fake_host.cpp.
#include "app/window/host/host_link.h"

#include <catch2/catch_test_macros.hpp>

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "app/window/host/host_connection.h"
#include "tests/support/process_facts.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {
namespace {

using namespace std::chrono_literals;
using core::wire::WorkOutcome;

constexpr int kRounds = 1500;
constexpr auto kRound = 10ms;

class LinkedHost {
 public:
  explicit LinkedHost(const std::string& mode) {
    package_.write("dlscope/__init__.py", "\n");
    ::setenv("DLSCOPE_PYTHON_DIR", package_.path().c_str(), 1);
    ::setenv("DLSCOPE_FAKE_HOST", mode.c_str(), 1);
    app::PythonChoice python;
    python.executable = std::string{std::getenv("DLSCOPE_BUILD_DIR")} + "/tests/dlscope_fake_host";
    python.version = "3.99.0";
    link = app::make_host_link({}, "/", [] {});
    link->choose(python);
  }

  // Drains until `done`; false: it did not become true.
  bool wait(const std::function<bool()>& done) {
    for (int round = 0; round < kRounds; ++round) {
      if (done()) return true;
      for (app::LinkEvent& event : link->drain()) take(event);
      std::this_thread::sleep_for(kRound);
    }
    return false;
  }
  void take(app::LinkEvent& event) {
    auto* const host = std::get_if<app::HostEvent>(&event);
    if (host == nullptr) return;
    if (std::holds_alternative<app::HostReady>(*host)) ++ready;
    if (std::holds_alternative<app::HostProgress>(*host)) ++progress;
    if (auto* const end = std::get_if<app::HostWorkEnded>(host)) ends[end->id].push_back(std::move(*end));
  }
  [[nodiscard]] std::vector<std::string> reasons(std::uint64_t work) {
    std::vector<std::string> out;
    for (const app::HostWorkEnded& end : ends[work]) {
      CHECK(end.outcome == WorkOutcome::failed);
      out.push_back(end.message);
    }
    return out;
  }

  std::unique_ptr<app::HostLink> link;
  std::map<std::uint64_t, std::vector<app::HostWorkEnded>> ends;
  int ready = 0, progress = 0;

 private:
  TemporaryFolder package_;
};

using Reasons = std::vector<std::string>;

// From enter() on this process may map only so much more than it does then; as before at the end of its life. Not under a
// sanitizer, whose allocator ends the process where another one answers.
class LittleMemory {
 public:
  LittleMemory() { ::getrlimit(RLIMIT_AS, &before_); }
  ~LittleMemory() { ::setrlimit(RLIMIT_AS, &before_); }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;
  void enter() {
    if (kMemoryIsKept || entered_) return;
    entered_ = true;
    const rlimit limited{mapped() + (rlim_t{512} << 20), before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_AS, &limited) == 0);
  }
  [[nodiscard]] bool entered() const { return entered_ || kMemoryIsKept; }
  // Bytes, whether they are in use or not.
  static rlim_t mapped() {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<rlim_t>(::getpagesize());
  }

 private:
  rlimit before_{};
  bool entered_ = false;
};

}  // namespace

TEST_CASE("a host that dies while it works: the work fails once, with the reason", "[window][link]") {
  LinkedHost host("dies_in_task");
  host.link->start();
  REQUIRE(host.wait([&] { return host.ready == 1; }));
  const std::uint64_t task = host.link->start_work(core::wire::SurveyTensors{1});
  REQUIRE(task != 0);
  REQUIRE(host.wait([&] { return !host.ends.empty(); }));
  CHECK(host.reasons(task) == Reasons{"the script's process has ended"});
  CHECK(host.progress == 1);
  CHECK(host.link->start_work(core::wire::SurveyTensors{1}) == 0);
  host.link->start();
  REQUIRE(host.wait([&] { return host.ready == 2; }));
  CHECK(host.reasons(task).size() == 1);
}

TEST_CASE("a host whose work never ends: a new Python ends the work, with the reason", "[window][link]") {
  LinkedHost host("stalls_in_task");
  host.link->start();
  REQUIRE(host.wait([&] { return host.ready == 1; }));
  const std::uint64_t task = host.link->start_work(core::wire::SurveyTensors{1});
  const std::uint64_t act = host.link->start_work(core::wire::Release{1});
  REQUIRE(host.wait([&] { return host.progress == 2; }));
  host.link->cancel(task);  // the host does not listen
  host.link->start();
  REQUIRE(host.wait([&] { return host.ready == 2; }));
  CHECK(host.reasons(task) == Reasons{"Python was restarted"});
  CHECK(host.reasons(act) == Reasons{"Python was restarted"});
}

TEST_CASE("a host that crashes in an act: acts fail at once, tasks when the process is gone", "[window][link]") {
  LinkedHost host("crashes_in_task");
  host.link->start();
  REQUIRE(host.wait([&] { return host.ready == 1; }));
  const std::uint64_t act = host.link->start_work(core::wire::Release{1});
  const std::uint64_t task = host.link->start_work(core::wire::SurveyTensors{1});
  REQUIRE(host.wait([&] { return host.ends.contains(act); }));
  CHECK(host.reasons(act) == Reasons{"the script's process crashed"});
  CHECK_FALSE(host.ends.contains(task));  // the memory of a crashed process can still be read
  host.link->kill();
  REQUIRE(host.wait([&] { return host.ends.contains(task); }));
  CHECK(host.reasons(task) == Reasons{"the script's process has ended"});
  CHECK(host.reasons(act).size() == 1);
}

// Everything that the window keeps of a host goes through the connection: it must take anything a host says, and a new host must
// be as usable as the first. By turns the memory is little from the beginning on, or only once there is room for large snapshots,
// which a host may then announce.
TEST_CASE("the connection takes anything that a host says, and the next host works", "[window][link]") {
  const int liars = endurance("DLSCOPE_ENDURANCE_LIARS", 30);
  for (int seed = 1; seed <= liars; ++seed) {
    INFO("seed " << seed);
    LittleMemory memory;
    const rlim_t at_first = LittleMemory::mapped();
    const auto has_region = [&] { return LittleMemory::mapped() > at_first + (rlim_t{1} << 30); };
    if (seed % 2 == 0) memory.enter();
    LinkedHost host("liar " + std::to_string(seed));
    app::OutputModel output;
    app::Notices notices;
    app::JobPool jobs;
    app::TaskRunner tasks{jobs};
    app::HostConnection connection{std::move(host.link), output, notices, tasks, [] {}};
    const auto update_until = [&](const std::function<bool()>& done) {
      for (int round = 0; round < kRounds; ++round) {
        if (done()) return true;
        if (has_region()) memory.enter();
        jobs.apply_finished();
        connection.update();
        std::this_thread::sleep_for(5ms);
      }
      return false;
    };
    app::session_event::RunAsked run;
    run.request.source = "x = 1";
    connection.ask(std::move(run));
    int rounds = 0;
    REQUIRE(update_until([&] {
      connection.ask(app::session_event::InterruptAsked{});
      return ++rounds == 20;
    }));
    ::setenv("DLSCOPE_FAKE_HOST", "", 1);  // the next one is honest
    connection.ask(app::session_event::StartAsked{});
    REQUIRE(update_until([&] { return connection.session().state() == app::HostState::idle; }));
    app::session_event::RunAsked next;
    next.request.source = "y = 2";
    connection.ask(std::move(next));
    REQUIRE(update_until([&] { return !connection.take_snapshots().empty(); }));
    REQUIRE(update_until([&] { return connection.session().state() == app::HostState::idle; }));
    CHECK(memory.entered());
  }
}

}  // namespace dlscope::tests
