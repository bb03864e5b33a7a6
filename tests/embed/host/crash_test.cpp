// Fatal signals: told with signal and Python stack, the process stands with its memory until it is told to go.
#include <signal.h>
#include <sys/wait.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <cstdlib>
#include <string>

#include "core/memory/address_map.h"
#include "core/memory/memory_reader.h"
#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string stack_of(HostProcess& host) {
  const auto& crash = host.region().header().crash;
  return {crash.python_stack, crash.stack_bytes};
}

// Starts the script, waits for its crash and returns the signal; 0 when there was none.
int crash_of(HostProcess& host, const std::string& code) {
  host.start_script(code);
  if (!host.wait_for_crash()) return 0;
  CHECK(host.region().header().phase.load() == static_cast<std::uint32_t>(core::wire::HostPhase::crashed));
  return host.region().header().crash.signal;
}

}  // namespace

TEST_CASE("a null write is told with address and Python stack, and memory stays readable", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const int signal = crash_of(host, R"(
import ctypes
kept = ctypes.create_string_buffer(b'still here')
print(ctypes.addressof(kept), flush=True)
def boom():
    ctypes.memset(16, 1, 1)
boom()
)");
  REQUIRE(signal == SIGSEGV);
  CHECK(host.region().header().crash.fault_address == 16);
  CHECK(host.region().header().crash.program_counter != 0);
  const std::string stack = stack_of(host);
  CHECK_THAT(stack, ContainsSubstring("Segmentation fault") && ContainsSubstring("script.py\", line 6 in boom"));
  CHECK_THAT(stack, ContainsSubstring("line 7 in <module>") && !ContainsSubstring("_host"));

  const auto reader = core::process_reader(host.pid());
  REQUIRE(reader);
  std::array<std::byte, 10> bytes{};
  CHECK((*reader)->read(std::strtoull(host.out().c_str(), nullptr, 10), bytes) == bytes.size());
  CHECK(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) == "still here");

  host.send(core::wire::Shutdown{});
  const int status = host.wait();
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGSEGV);
}

TEST_CASE("abort, a division by zero in C, a signal from outside and a stack overflow in C are told", "[host]") {
  EACH_PYTHON(python);
  {
    HostProcess host(python);
    CHECK(crash_of(host, "import os\nos.abort()\n") == SIGABRT);
    CHECK_THAT(stack_of(host), ContainsSubstring("script.py\", line 2"));
  }
  {
    HostProcess host(python);
    CHECK(crash_of(host, "import os, signal\nos.kill(os.getpid(), signal.SIGFPE)\n") == SIGFPE);
  }
  {
    HostProcess host(python);
    host.start_script("import time\n\nprint('on', flush=True); time.sleep(1000)\n");  // one line: either may be cut short
    REQUIRE(host.wait_for_output("on"));
    kill(host.pid(), SIGBUS);
    REQUIRE(host.wait_for_crash());
    CHECK(host.region().header().crash.signal == SIGBUS);
    CHECK_THAT(stack_of(host), ContainsSubstring("line 3 in <module>"));
  }
  {
    HostProcess host(python);
    // A function that does nothing but call itself: C frames without end, below any recursion limit of Python's.
    CHECK(crash_of(host, R"(
import ctypes, mmap, platform
endless = {'x86_64': b'\xe8\xfb\xff\xff\xff', 'aarch64': b'\xfd\x7b\xbf\xa9\xff\xff\xff\x97'}[platform.machine()]
memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
memory.write(endless)
ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))()
)") == SIGSEGV);
  }
}

TEST_CASE("a fault tells the address, how it was touched and the native frames; a signal that was sent has no address",
          "[host]") {
  EACH_PYTHON(python);
  using Record = core::wire::CrashRecord;
  {
    HostProcess host(python);
    CHECK(crash_of(host, "import ctypes\nctypes.memset(24, 1, 1)\n") == SIGSEGV);
    const Record& crash = host.region().header().crash;
    CHECK(crash.has_address == 1);
    CHECK(crash.fault_address == 24);
#if defined(__x86_64__)
    CHECK(crash.access == Record::write);
#endif
    REQUIRE(crash.native_frames.load() > 3);  // memset, ctypes, libffi, the interpreter
    CHECK(crash.native_stack[0] == crash.program_counter);
    const auto map = core::AddressMap::load(host.pid());
    REQUIRE(map);
    for (std::uint32_t i = 0; i < crash.native_frames.load(); ++i) {
      INFO(i);
      const core::Mapping* mapping = map->find(crash.native_stack[i]);
      REQUIRE(mapping != nullptr);
      CHECK(mapping->execute);
      if (mapping->path.find("python3") != std::string::npos) break;                // the interpreter, run by our host
      CHECK(mapping->path.find("_dlscope.abi3.so") == std::string::npos);  // the handlers are no part of the story
    }
  }
  {
    HostProcess host(python);
    CHECK(crash_of(host, "import ctypes\nctypes.string_at(32)\n") == SIGSEGV);
#if defined(__x86_64__)
    CHECK(host.region().header().crash.access == Record::read);
    HostProcess other(python);  // an address that no pointer can have: the processor does not tell it
    CHECK(crash_of(other, "import ctypes\nctypes.string_at(1 << 63)\n") == SIGSEGV);
    CHECK(other.region().header().crash.has_address == 0);
    CHECK(other.region().header().crash.fault_address == other.region().header().crash.program_counter);
#endif
  }
  {
    HostProcess host(python);
    CHECK(crash_of(host, "import os\nos.abort()\n") == SIGABRT);
    CHECK(host.region().header().crash.has_address == 0);
    CHECK(host.region().header().crash.fault_address == 0);
    CHECK(host.region().header().crash.native_frames.load() > 2);
  }
}

TEST_CASE("a crash in another thread parks the process too", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  CHECK(
      crash_of(host,
               "import ctypes, threading\nt = threading.Thread(target=lambda: ctypes.memset(8, 1, 1))\nt.start()\nt.join()\n") ==
      SIGSEGV);
  CHECK_THAT(stack_of(host), ContainsSubstring("line 2 in <lambda>"));
}

TEST_CASE("a crash is told after the script closed every descriptor", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  CHECK(crash_of(host, "import os, ctypes\nos.closerange(0, 70000)\nctypes.memset(24, 1, 1)\n") == SIGSEGV);
  CHECK_THAT(stack_of(host), ContainsSubstring("script.py\", line 3"));
}

TEST_CASE("a file the user has at the stack's descriptor number stays his", "[host]") {
  EACH_PYTHON(python);
  HostSettings settings;
  settings.environment["PYTHONFAULTHANDLER"] = "1";  // the stack goes to standard error too: this file must not
  HostProcess host(python, settings);
  CHECK(crash_of(host,
                 "import os, ctypes, resource\nfile = os.open('mine', os.O_RDWR | os.O_CREAT)\nos.write(file, b'private')\n"
                 "os.dup2(file, min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 65536) - 1)\nctypes.memset(24, 1, 1)\n") ==
        SIGSEGV);
  CHECK(stack_of(host).empty());
  CHECK(host.err() == "");
  CHECK(std::filesystem::file_size(host.folder().path() / "mine") == 7);
}

TEST_CASE("a library that takes the signals does not keep them; a handler of the user's stays", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto outcome = host.run_script(R"(
import signal, os
seen = []
signal.signal(signal.SIGABRT, lambda *a: seen.append('abrt'))
import time
time.sleep(0.3)          # longer than the host's look at the handlers
os.kill(os.getpid(), signal.SIGABRT)
print(seen)
signal.signal(signal.SIGFPE, signal.SIG_DFL)
time.sleep(0.3)
)");
  REQUIRE(outcome);
  CHECK(host.out() == "['abrt']\n");
  CHECK(crash_of(host, "import os, signal\nos.kill(os.getpid(), signal.SIGFPE)\n") == SIGFPE);
}

TEST_CASE("faulthandler of the user's still writes where he asked", "[host]") {
  EACH_PYTHON(python);
  HostSettings settings;
  settings.environment["PYTHONFAULTHANDLER"] = "1";
  HostProcess host(python, settings);
  CHECK(crash_of(host, "import ctypes\nctypes.memset(24, 1, 1)\n") == SIGSEGV);
  CHECK_THAT(stack_of(host), ContainsSubstring("line 2 in <module>"));
  CHECK_THAT(host.err(), ContainsSubstring("Fatal Python error: Segmentation fault"));

  HostProcess other(python);
  CHECK(crash_of(other, "import faulthandler, ctypes\nfaulthandler.enable()\nctypes.memset(24, 1, 1)\n") == SIGSEGV);
  CHECK_THAT(other.err(), ContainsSubstring("Fatal Python error: Segmentation fault"));
}

TEST_CASE("a forked child that crashes dies alone", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto outcome = host.run_script(R"(
import os, ctypes
pid = os.fork()
if pid == 0:
    ctypes.memset(24, 1, 1)
print(os.waitpid(pid, 0)[1] & 0x7f)
)");
  REQUIRE(outcome);
  CHECK(outcome->outcome == core::Outcome::finished);
  CHECK(host.out() == "11\n");
  CHECK(host.region().header().crash.state.load() == 0);
}
