// The user's own tools in the same process: coverage, profilers, debuggers, pytest. Each does with our breakpoints set what it does without
// dlscope, and our breakpoints are reached, or it is said who has what they need.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_adapters.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <vector>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/test_pythons.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::Outcome;

#define EACH_PYTHON_WITH_TOOLS(name)                                                                                     \
  if (::dlscope::tests::pythons_with_tools().empty()) SKIP("no Python with the tools: set DLSCOPE_TEST_PYTHONS_TOOLS");   \
  const ::dlscope::tests::TestPython name = GENERATE(from_range(::dlscope::tests::pythons_with_tools()));                  \
  INFO("Python " << name.version << ": " << name.executable)

namespace {

constexpr const char* kWork = R"(def work(n):
    total = 0
    for i in range(n):
        if i == 1000:
            total = -1
        total += i
    return total

def untouched():
    return 1
)";

// Runs the script with a text to print at line 7 of work.py, and stops nowhere.
class WithTool {
 public:
  explicit WithTool(const TestPython& python) : d(python), python_(python) {
    work = d.host.folder().write("work.py", kWork);
  }
  Debugged d;
  std::string work;

  // What plain Python prints, and what it prints here without our own lines.
  void run(const std::string& script) {
    const std::string path = d.host.folder().write("script.py", script);
    plain = output_of_command("cd '" + d.host.folder().path().string() + "' && '" + python_.executable + "' '" + path +
                              "' 2>/dev/null");
    auto point = Debugged::line(7);
    point.path = work;
    point.log_text = "OURS {total}";
    d.breakpoint_at({point});
    d.start(script);
    CHECK(d.finish() == Outcome::finished);
    INFO(d.host.err());
    const std::string all = d.host.out();
    for (std::size_t at = 0, end = 0; (end = all.find('\n', at)) != std::string::npos; at = end + 1) {
      const std::string line = all.substr(at, end - at + 1);
      const auto ours = line.find("OURS ");
      if (ours != std::string::npos) ++reached;
      seen += ours != std::string::npos ? line.substr(0, ours) : line;
    }
  }
  [[nodiscard]] std::string notices() const {
    std::string all;
    for (const auto& message : d.host.messages) {
      if (const auto* notice = std::get_if<core::wire::Notice>(&message)) all += notice->text + "\n";
    }
    return all;
  }
  std::string plain, seen;
  int reached = 0;

 private:
  const TestPython& python_;
};

}  // namespace

TEST_CASE("coverage measures the same lines beside breakpoints", "[host][tools]") {
  EACH_PYTHON_WITH_TOOLS(python);
  const std::string core = GENERATE(std::string("ctrace"), std::string("pytrace"), std::string("sysmon"));
  if (core == "sysmon" && python.minor < 12) return;
  INFO("COVERAGE_CORE=" << core);
  WithTool tool(python);
  tool.run("import os\nos.environ['COVERAGE_CORE'] = '" + core + R"('
import coverage
measured = coverage.Coverage(data_file=None, messages=False)
measured.start()
import work
work.work(5)
measured.stop()
data = measured.get_data()
print(sorted(sorted(data.lines(file)) for file in data.measured_files() if file.endswith('work.py')))
work.work(3)
)");
  CHECK_THAT(tool.plain, ContainsSubstring("[[1, 2, 3, 4, 6, 7, 9]]"));
  CHECK(tool.seen == tool.plain);
  CHECK(tool.reached == (python.minor < 12 ? 1 : 2));
  if (python.minor < 12)
    CHECK_THAT(tool.notices(), ContainsSubstring("No breakpoint can stop: another tool has set a trace function (coverage."));
}

TEST_CASE("a profiler counts the same calls beside breakpoints", "[host][tools]") {
  EACH_PYTHON_WITH_TOOLS(python);
  WithTool tool(python);
  tool.run(R"(import cProfile, pstats, work
profile = cProfile.Profile()
profile.enable()
for i in range(3):
    work.work(4)
profile.disable()
stats = pstats.Stats(profile).stats
print(sorted((name, calls[0]) for (file, line, name), calls in stats.items() if file.endswith('work.py')))
)");
  CHECK(tool.plain == "[('work', 3)]\n");
  CHECK(tool.seen == tool.plain);
  CHECK(tool.reached == 3);
}

TEST_CASE("pytest runs its tests beside breakpoints, and one in a test is reached", "[host][tools]") {
  EACH_PYTHON_WITH_TOOLS(python);
  WithTool tool(python);
  tool.d.host.folder().write("test_module.py", R"(import pytest, work
@pytest.fixture
def four():
    yield 4
@pytest.mark.parametrize("more", [0, 1])
def test_good(four, more):
    assert work.work(four + more) > 0
def test_bad(four):
    total = work.work(four)
    assert total == 7, "told"
)");
  tool.run(R"(import pytest
class Plugin:
    def pytest_runtest_logreport(self, report):
        if report.when == 'call':
            print(report.nodeid, report.outcome, 'assert 6 == 7' in str(report.longrepr))
print(pytest.main(['-q', '-p', 'no:cacheprovider', '--no-header', '-s', '--tb=short', 'test_module.py'], plugins=[Plugin()]) == 1)
)");
  CHECK_THAT(tool.plain, ContainsSubstring("test_bad failed True"));
  CHECK_THAT(tool.seen, ContainsSubstring("test_module.py::test_good[0] passed False"));
  CHECK_THAT(tool.seen, ContainsSubstring("test_module.py::test_good[1] passed False"));
  CHECK_THAT(tool.seen, ContainsSubstring("test_module.py::test_bad failed True"));
  CHECK(tool.reached == 3);

  auto point = Debugged::line(10);
  point.path = (tool.d.host.folder().path() / "test_module.py").string();
  tool.d.breakpoint_at({point});
  tool.d.start(
      "import pytest, sys\nsys.modules.pop('test_module', None)\npytest.main(['-q', '-p', 'no:cacheprovider', "
      "'test_module.py'])\n");
  const auto stop = tool.d.stopped();
  CHECK(place_of(stop) == "test_bad:10");
  CHECK(tool.d.ask("evaluate", R"({"expressions": ["total"]})") == R"({"values": [{"text": "6"}]})");
  tool.d.resume();
  CHECK(tool.d.finish() == Outcome::finished);
}

TEST_CASE("a tool of the user's on sys.monitoring keeps its events, and says no to nobody", "[host][tools]") {
  EACH_PYTHON_WITH_TOOLS(python);
  if (python.minor < 12) return;
  WithTool tool(python);
  const bool all_taken = GENERATE(false, true);
  tool.run(std::string("import sys, work\nall_taken = ") + (all_taken ? "True" : "False") + R"(
mon = sys.monitoring
taken = [n for n in (range(6) if all_taken else (1, 4)) if mon.get_tool(n) is None]
for n in taken:
    mon.use_tool_id(n, 'mine')
lines = []
mine = 1
mon.register_callback(mine, mon.events.LINE, lambda code, line: lines.append(line) if code is work.work.__code__ else mon.DISABLE)
mon.set_events(mine, mon.events.LINE)
work.work(2)
mon.set_events(mine, 0)
for n in taken:
    mon.free_tool_id(n)
print(lines)
)");
  CHECK(tool.plain == "[2, 3, 4, 6, 3, 4, 6, 3, 7]\n");
  CHECK(tool.seen == tool.plain);
  CHECK(tool.reached == 1);
}

// A client for debugpy's adapter, a process of its own because all threads stand at debugpy's stops: it sets a breakpoint and goes on.
TEST_CASE("debugpy stops at its breakpoint beside ours", "[host][tools][debugpy]") {
  EACH_PYTHON_WITH_TOOLS(python);
  WithTool tool(python);
  tool.d.host.folder().write("client.py", R"(import json, socket, sys

connection = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
stream = connection.makefile('rwb')
sent = 0

def send(command, **arguments):
    global sent
    sent += 1
    body = json.dumps({'seq': sent, 'type': 'request', 'command': command, 'arguments': arguments}).encode()
    stream.write(b'Content-Length: %d\r\n\r\n' % len(body) + body)
    stream.flush()

def receive():
    size = 0
    while line := stream.readline().strip():
        if line.lower().startswith(b'content-length'):
            size = int(line.split(b':')[1])
    return json.loads(stream.read(size)) if size else {'event': 'exited'}

send('initialize', adapterID='test', pathFormat='path')
send('attach', justMyCode=False)
while True:
    message = receive()
    if message.get('event') == 'initialized':
        send('setBreakpoints', source={'path': sys.argv[2]}, breakpoints=[{'line': 6, 'condition': 'i == 2'}])
        send('configurationDone')
    elif message.get('command') == 'configurationDone':
        print('ready', flush=True)
    elif message.get('event') == 'stopped':
        print(message['body']['reason'], flush=True)
        send('continue', threadId=message['body']['threadId'])
    elif message.get('event') in ('terminated', 'exited'):
        break
)");
  tool.run(R"(import subprocess, sys
import debugpy
import work

port = debugpy.listen(('127.0.0.1', 0))[1]
client = subprocess.Popen([sys.executable, 'client.py', str(port), work.__file__], stdout=subprocess.PIPE, text=True)
debugpy.wait_for_client()
assert client.stdout.readline() == 'ready\n'
print(work.work(4), work.work(3))
print(client.stdout.readline(), client.stdout.readline())
client.kill()
)");
  CHECK(tool.plain == "6 3\nbreakpoint\n breakpoint\n\n");
  CHECK(tool.seen == tool.plain);
  if (python.minor < 12)
    CHECK_THAT(tool.notices(), ContainsSubstring("another tool has set a trace function (") && ContainsSubstring("pydevd"));
  else
    CHECK(tool.reached == 2);
}

TEST_CASE("pydevd, as PyCharm uses it, is connected and told of beside breakpoints", "[host][tools][pydevd]") {
  EACH_PYTHON_WITH_TOOLS(python);
  WithTool tool(python);
  tool.run(R"(import socket, sys, threading
server = socket.create_server(('127.0.0.1', 0))
def serve():
    connection, _ = server.accept()
    connection.sendall(b'101\t1\t\n')  # CMD_RUN
    while connection.recv(4096):
        pass
threading.Thread(target=serve, daemon=True).start()
import pydevd
import work
pydevd.settrace('127.0.0.1', port=server.getsockname()[1], suspend=False, stdoutToServer=False, stderrToServer=False)
print(work.work(4), pydevd.GetGlobalDebugger() is not None)
pydevd.stoptrace()
print(work.work(3))
)");
  CHECK(tool.plain == "6 True\n3\n");
  CHECK(tool.seen == tool.plain);
  if (tool.reached == 0) CHECK_THAT(tool.notices(), ContainsSubstring("pydevd"));
  if (python.minor >= 12) CHECK(tool.reached == 2);
}
