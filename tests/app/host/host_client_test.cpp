#include "app/host/host_client.h"

#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/build_id.h"
#include "tests/support/temporary_folder.h"

using namespace dlscope;
using namespace dlscope::app;
using std::chrono::milliseconds;

namespace {

// The package folder only has to exist: the fake host loads nothing from it.
class FakeHost {
 public:
  explicit FakeHost(const char* mode, bool terminal = true) {
    package_.write("dlscope/__init__.py", "\n");
    ::setenv("DLSCOPE_PYTHON_DIR", package_.path().c_str(), 1);
    ::setenv("DLSCOPE_FAKE_HOST", mode, 1);
    HostLaunch launch;
    launch.python.executable = std::string{std::getenv("DLSCOPE_BUILD_DIR")} + "/tests/dlscope_fake_host";
    launch.terminal = terminal;
    auto started = HostClient::start(launch, [this] { ++woken; });
    REQUIRE(started);
    client = std::move(*started);
  }
  ~FakeHost() { client.reset(); }

  // Drains until an event of this kind came; everything seen is kept.
  template <class Event>
  Event* wait_for() {
    for (int i = 0; i < 3000; ++i) {
      for (HostEvent& event : client->drain()) events.push_back(std::move(event));
      if (Event* found = find<Event>()) return found;
      client->wait(milliseconds{20});
    }
    return nullptr;
  }
  template <class Event>
  Event* find() {
    for (HostEvent& event : events) {
      if (Event* found = std::get_if<Event>(&event)) return found;
    }
    return nullptr;
  }

  std::atomic<int> woken{0};
  std::unique_ptr<HostClient> client;
  std::vector<HostEvent> events;

 private:
  tests::TemporaryFolder package_;
};

core::wire::Run some_run() {
  core::wire::Run run;
  run.run = 1;
  run.path = "script.py";
  return run;
}

}  // namespace

TEST_CASE("A run comes back as its events in order", "[app][host]") {
  FakeHost host("");
  REQUIRE(host.wait_for<HostReady>());
  CHECK(host.find<HostReady>()->hello.build_id == core::build_id());
  CHECK(host.client->pid() == host.find<HostReady>()->hello.pid);
  REQUIRE(host.client->run(some_run()));
  REQUIRE(host.wait_for<HostScanFinished>());
  std::vector<std::size_t> kinds;
  for (const HostEvent& event : host.events) kinds.push_back(event.index());
  const std::vector<std::size_t> expected{HostEvent{HostReady{}}.index(), HostEvent{HostRunStarted{}}.index(),
                                          HostEvent{HostRunFinished{}}.index(), HostEvent{HostSnapshot{}}.index(),
                                          HostEvent{HostScanFinished{}}.index()};
  CHECK(kinds == expected);
  CHECK(host.find<HostRunFinished>()->outcome.script_path == "script.py");
  CHECK(host.find<HostSnapshot>()->scanned == core::Scanned::end);
  CHECK(host.woken > 0);
  host.client->shutdown();
  const HostEnded* ended = host.wait_for<HostEnded>();
  REQUIRE(ended);
  CHECK(ended->exit_code == 0);
  CHECK(ended->why.empty());
  CHECK_FALSE(host.client->run(some_run()));
}

TEST_CASE("A scan that fails leaves the client settled with a notice", "[app][host]") {
  FakeHost host("no_scan");
  REQUIRE(host.wait_for<HostReady>());
  REQUIRE(host.client->run(some_run()));
  REQUIRE(host.wait_for<HostRunFinished>());
  for (int i = 0; i < 500 && !host.client->settled(); ++i) std::this_thread::sleep_for(milliseconds{10});
  CHECK(host.client->settled());
  REQUIRE(host.wait_for<HostNotice>());
  CHECK(host.find<HostNotice>()->text == "the scan failed");
}

TEST_CASE("A host that dies before it is ready says why", "[app][host]") {
  FakeHost wordy("wordy");
  const HostEnded* ended = wordy.wait_for<HostEnded>();
  REQUIRE(ended);
  CHECK(ended->exit_code == 3);
  CHECK(ended->why.find("no libpython here") != std::string::npos);

  FakeHost silent("silent");
  ended = silent.wait_for<HostEnded>();
  REQUIRE(ended);
  CHECK(ended->why.find("exit code 9") != std::string::npos);
}

TEST_CASE("A host of another build is refused", "[app][host]") {
  FakeHost host("other_build");
  const HostEnded* ended = host.wait_for<HostEnded>();
  REQUIRE(ended);
  CHECK(host.find<HostReady>() == nullptr);
  CHECK(ended->why.find("of different builds") != std::string::npos);
}

TEST_CASE("A host that names another process as Python's is refused: its memory would be read", "[app][host]") {
  FakeHost host("other_pid");
  const HostEnded* ended = host.wait_for<HostEnded>();
  REQUIRE(ended);
  CHECK(host.find<HostReady>() == nullptr);
  CHECK(ended->why.find("a process other than") != std::string::npos);
}

TEST_CASE("What a host sends is not believed", "[app][host]") {
  SECTION("a message nobody knows") {
    FakeHost host("garbage");
    const HostEnded* ended = host.wait_for<HostEnded>();
    REQUIRE(ended);
    CHECK(ended->signal == SIGKILL);
    CHECK_FALSE(ended->why.empty());
  }
  SECTION("a ring with impossible positions") {
    FakeHost host("broken_ring");
    const HostEnded* ended = host.wait_for<HostEnded>();
    REQUIRE(ended);
    CHECK_FALSE(ended->why.empty());
  }
  SECTION("a snapshot of noise") {
    FakeHost host("bad_snapshot");
    REQUIRE(host.wait_for<HostReady>());
    REQUIRE(host.client->run(some_run()));
    REQUIRE(host.wait_for<HostNotice>());
    CHECK(host.find<HostSnapshot>() == nullptr);
    const HostScanFinished* scan = host.wait_for<HostScanFinished>();  // which the host calls complete
    REQUIRE(scan);
    CHECK(scan->result == core::wire::ScanResult::failed);
    CHECK_FALSE(scan->message.empty());
  }
}

TEST_CASE("A crashed host is told with signal, place and stack, and stands until it is killed", "[app][host]") {
  FakeHost host("crash");
  const HostCrashed* crash = host.wait_for<HostCrashed>();
  REQUIRE(crash);
  CHECK(crash->signal == SIGSEGV);
  CHECK(crash->fault_address == 0x1234);
  CHECK(crash->library.find("dlscope_fake_host") != std::string::npos);
  CHECK(crash->python_stack.starts_with("File \"x.py\""));
  CHECK(crash->python_stack.size() <= sizeof(core::wire::CrashRecord::python_stack));
  CHECK(host.find<HostEnded>() == nullptr);
  host.client->kill();
  const HostEnded* ended = host.wait_for<HostEnded>();
  REQUIRE(ended);
  CHECK(ended->signal == SIGKILL);
}

TEST_CASE("An endless printer is held up by its terminal", "[app][host]") {
  FakeHost host("printer");
  REQUIRE(host.wait_for<HostOutput>());
  std::this_thread::sleep_for(milliseconds{300});
  std::size_t bytes = 0;
  for (const HostEvent& event : host.client->drain()) {
    if (const auto* output = std::get_if<HostOutput>(&event)) bytes += output->text.size();
  }
  CHECK(bytes <= (std::size_t{4} << 20));
  REQUIRE(host.wait_for<HostOutput>());  // and goes on after a drain
  host.client->kill();
  CHECK(host.wait_for<HostEnded>());
}

TEST_CASE("What a script printed comes before its end", "[app][host]") {
  FakeHost host("last_words");
  REQUIRE(host.wait_for<HostReady>());
  for (int run = 0; run < 50; ++run) {
    host.events.clear();
    REQUIRE(host.client->run(some_run()));
    REQUIRE(host.wait_for<HostSnapshot>());
    const auto is_output = [](const HostEvent& event) { return std::holds_alternative<HostOutput>(event); };
    const auto is_end = [](const HostEvent& event) { return std::holds_alternative<HostRunFinished>(event); };
    const auto printed = std::ranges::find_if(host.events, is_output), ended = std::ranges::find_if(host.events, is_end);
    CHECK(std::ranges::distance(host.events.begin(), printed) < std::ranges::distance(host.events.begin(), ended));
  }
}

TEST_CASE("Typed text reaches the host's standard input", "[app][host]") {
  FakeHost host("reads_line");
  REQUIRE(host.wait_for<HostReady>());
  CHECK(host.client->write_input("typed\n"));
  const HostEnded* ended = host.wait_for<HostEnded>();
  REQUIRE(ended);
  CHECK(ended->exit_code == 42);
}

TEST_CASE("A host that does not leave is ended at the deadline", "[app][host]") {
  FakeHost host("deaf");
  REQUIRE(host.wait_for<HostReady>());
  host.client->shutdown(milliseconds{100});
  const HostEnded* ended = host.wait_for<HostEnded>();
  REQUIRE(ended);
  CHECK(ended->signal == SIGKILL);
}

TEST_CASE("Dropping a client ends its host", "[app][host]") {
  FakeHost host("deaf");
  REQUIRE(host.wait_for<HostReady>());
  const pid_t pid = host.client->pid();
  host.client.reset();
  CHECK(::kill(pid, 0) == -1);
}

TEST_CASE("A program that cannot be executed is an error, not an event", "[app][host]") {
  ::setenv("DLSCOPE_PYTHON_DIR", "/nonexistent", 1);
  HostLaunch launch;
  launch.python.executable = "/nonexistent/python";
  auto started = HostClient::start(launch, {});
  REQUIRE_FALSE(started);
  CHECK(started.error().message.find("DLSCOPE_PYTHON_DIR") != std::string::npos);
}

TEST_CASE("A host that floods its viewer is held up, and nothing is lost", "[app][host]") {
  FakeHost host("flood");
  REQUIRE(host.wait_for<HostReady>());
  std::size_t bytes = 0, notices = 0;
  const auto count = [&](const std::vector<HostEvent>& events) {
    for (const HostEvent& event : events) {
      const auto* notice = std::get_if<HostNotice>(&event);
      if (notice == nullptr) continue;
      CHECK(notice->text.substr(0, 12).starts_with(std::to_string(notices++) + " "));
      bytes += notice->text.size();
    }
  };
  count(std::exchange(host.events, {}));
  std::this_thread::sleep_for(milliseconds{500});  // nobody drains
  bytes = 0;
  count(host.client->drain());
  CHECK(bytes <= (std::size_t{80} << 20));
  REQUIRE(host.wait_for<HostNotice>());  // and goes on after a drain
  CHECK(host.find<HostNotice>()->text.substr(0, 12).starts_with(std::to_string(notices) + " "));
}

TEST_CASE("A snapshot there is no memory for is words, and the viewer lives", "[app][host]") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  SKIP("a sanitizer ends the process where memory is out, and does not throw");
#endif
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  FakeHost host("huge_snapshot");
  REQUIRE(host.wait_for<HostReady>());
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t used = static_cast<rlim_t>(pages) * static_cast<rlim_t>(::getpagesize());
  const rlimit limited{used + (256u << 20), before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_AS, &limited) == 0);
  const bool asked = host.client->run(some_run());
  const HostNotice* notice = host.wait_for<HostNotice>();
  ::setrlimit(RLIMIT_AS, &before);
  CHECK(asked);
  REQUIRE(notice);
  CHECK(notice->text.find("no memory") != std::string::npos);
}

TEST_CASE("A host that left its process group, and what it started, end with it", "[app][host]") {
  FakeHost host("leaves_group");
  const HostNotice* notice = host.wait_for<HostNotice>();
  REQUIRE(notice);
  const pid_t child = std::stoi(notice->text);
  host.client->kill();
  const HostEnded* ended = host.wait_for<HostEnded>();
  REQUIRE(ended);
  CHECK(ended->signal == SIGKILL);
  CHECK(::kill(child, 0) == -1);
}

TEST_CASE("A child that a host left behind by itself stays, also when the next host is killed", "[app][host]") {
  pid_t left = 0;
  {
    FakeHost host("leaves_child");
    const HostNotice* notice = host.wait_for<HostNotice>();
    REQUIRE(notice);
    left = std::stoi(notice->text);
    host.client->shutdown();
    REQUIRE(host.wait_for<HostEnded>());
  }
  FakeHost next("leaves_group");
  REQUIRE(next.wait_for<HostNotice>());
  next.client->kill();
  REQUIRE(next.wait_for<HostEnded>());
  CHECK(::kill(left, 0) == 0);
  ::kill(left, SIGKILL);
}

TEST_CASE("A host that says anything in any order ends nobody but itself", "[app][host]") {
  for (int seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    FakeHost host(("liar " + std::to_string(seed)).c_str());
    static_cast<void>(host.client->run(some_run()));
    for (int look = 0; look < 20; ++look) {
      for (HostEvent& event : host.client->drain()) host.events.push_back(std::move(event));
      static_cast<void>(host.client->phase());
      host.client->interrupt();
      host.client->wait(milliseconds{5});
    }
    host.client->kill();
    CHECK(host.wait_for<HostEnded>() != nullptr);
  }
}
