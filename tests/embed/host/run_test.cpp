// What Run means: the script sees what `python SCRIPT ARGS` shows it, and its end is told truthfully.
#include <sys/wait.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <filesystem>
#include <sstream>

#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using core::Outcome;

namespace {

bool left_cleanly(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

}  // namespace

TEST_CASE("a script runs, is told as finished, scanned, and the host leaves on request", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto hello = host.wait_for<core::wire::Hello>();
  REQUIRE(hello);
  CHECK(hello->python_version == python.version);
  CHECK(hello->executable == python.executable);
  CHECK(hello->pid == host.pid());

  const auto outcome = host.run_script("print('hello', 6 * 7)\n");
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::finished);
  CHECK_FALSE(outcome->exit_code);
  CHECK_FALSE(outcome->error);
  CHECK(host.out() == "hello 42\n");
  const auto snapshot = host.wait_for<core::wire::SnapshotReady>();
  REQUIRE(snapshot);
  CHECK(snapshot->run == 1);
  CHECK(snapshot->scanned == core::Scanned::end);
  CHECK(host.region().take_snapshot(snapshot->sequence));
  CHECK(left_cleanly(host.leave()));
  CHECK(host.err().empty());
}

TEST_CASE("a script sees the same process as under python itself", "[host]") {
  EACH_PYTHON(python);
  const char* const script = R"(
import sys, os
main = sys.modules['__main__']
skip = {'main', 'skip', 'sys', 'os', 'name', 'flags'}
flags = {n: getattr(sys.flags, n) for n in dir(sys.flags) if not n.startswith('_') and not callable(getattr(sys.flags, n))}
print(sys.argv, getattr(sys, 'orig_argv', 0))
print(sys.executable, sys.prefix, sys.base_prefix, sys._base_executable, sys.exec_prefix)
print([p for p in sys.path if p != os.environ['PACKAGE_DIR']])
print(flags)
print(__name__, __file__, __spec__, __package__, __doc__, __cached__, type(__loader__), __loader__.path)
print(sorted(n for n in vars(main) if n not in skip), vars() is vars(main), __builtins__)
print(sorted(n for n, m in sys.modules.items() if not n.startswith('dlscope') and str(getattr(m, '__file__', '')).endswith('.py')))
print(main.__dict__ is globals(), os.getcwd())
import signal, threading
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGPIPE))
print(threading.current_thread() is threading.main_thread(), signal.pthread_sigmask(signal.SIG_BLOCK, []))
descriptors = [fd for fd in os.listdir('/proc/self/fd') if os.path.exists('/proc/self/fd/' + fd)]  # listdir's own is closed
# One more is open, under a high number: the map of the process's memory (core/memory/kept_maps_file.h).
print(sorted(fd for fd in descriptors if os.readlink('/proc/self/fd/' + fd) != '/proc/%d/maps' % os.getpid()))
)";
  HostSettings settings;
  settings.environment["PACKAGE_DIR"] = package_dir();
  HostProcess host(python, settings);
  const auto outcome = host.run_script(script, {"one", "two words", "-x"});
  REQUIRE(outcome);
  INFO(host.err());
  CHECK(outcome->outcome == Outcome::finished);
  const std::string path = (host.folder().path() / "script.py").string();
  const std::string plain = output_of_command("cd '" + host.folder().path().string() + "' && PACKAGE_DIR='" + package_dir() +
                                              "' '" + python.executable + "' '" + path + "' one 'two words' -x </dev/null");
  CHECK(host.out() == plain);
}

TEST_CASE("an exception is printed as python prints it and told with the line in the script", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const char* const script = "import os\ndef f(n):\n    return os.path.join(n)\n\nf(\n  7)\n";
  const auto outcome = host.run_script(script);
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::raised);
  REQUIRE(outcome->error);
  CHECK(outcome->error->type == "TypeError");
  CHECK_THAT(outcome->error->message, ContainsSubstring("str, bytes or os.PathLike"));
  CHECK(outcome->error->line == 3);
  CHECK_THAT(outcome->error->traceback, !ContainsSubstring("_host"));
  const std::string path = (host.folder().path() / "script.py").string();
  CHECK(host.err() == output_of_command("'" + python.executable + "' '" + path + "' 2>&1"));
  CHECK(outcome->error->traceback == host.err());
  CHECK(left_cleanly(host.leave()));
}

TEST_CASE("syntax errors, chained errors and broken exceptions are told too", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  auto outcome = host.run_script("x = 1\ny = = 2\n");
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::raised);
  REQUIRE(outcome->error);
  CHECK(outcome->error->type == "SyntaxError");
  CHECK(outcome->error->line == 2);

  outcome = host.run_script(R"(
class Broken(Exception):
    def __str__(self): raise ValueError('no wording')
try:
    1 / 0
except ZeroDivisionError:
    raise Broken
)");
  REQUIRE(outcome);
  REQUIRE(outcome->error);
  CHECK(outcome->error->type == "Broken");
  CHECK(outcome->error->message == "<Broken str() failed>");
  CHECK(outcome->error->line == 7);
  CHECK_THAT(host.err(), ContainsSubstring("ZeroDivisionError") && ContainsSubstring("During handling"));

  outcome = host.run_script("def f(): f()\nf()\n");
  REQUIRE(outcome);
  REQUIRE(outcome->error);
  CHECK(outcome->error->type == "RecursionError");
  CHECK(outcome->error->line == 1);

  outcome = host.run_script("import sys\nsys.setrecursionlimit(60)\nclass E(BaseException): pass\nraise E('\\udcff odd')\n");
  REQUIRE(outcome);
  REQUIRE(outcome->error);
  CHECK(outcome->error->type == "E");
  CHECK(left_cleanly(host.leave()));
}

TEST_CASE("sys.exit ends the script, not the host", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  auto outcome = host.run_script("import sys\nprint('a')\nsys.exit(7)\n");
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::finished);
  CHECK(outcome->exit_code == 7);
  CHECK_FALSE(outcome->error);
  outcome = host.run_script("raise SystemExit\n");
  REQUIRE(outcome);
  CHECK(outcome->exit_code == 0);
  outcome = host.run_script("import sys\nsys.exit('went wrong')\n");
  REQUIRE(outcome);
  CHECK(outcome->exit_code == 1);
  CHECK(host.err() == "went wrong\n");
  CHECK(left_cleanly(host.leave()));
}

TEST_CASE("os._exit ends the process with its code and nothing more is told", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.start_script("import os\nos._exit(9)\n");
  CHECK_FALSE(host.wait_for<core::wire::RunFinished>());
  const int status = host.wait();
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 9);
}

TEST_CASE("a fresh run has a new namespace and path; the console shares the last one", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.run_script("import sys\nx = 41\nsys.path.insert(0, '/nowhere')\n");
  core::wire::Run console;
  console.source = "x += 1\nx";
  console.fresh_namespace = false;
  console.echo = true;
  auto outcome = host.run(console);
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::finished);
  CHECK(host.out() == "42\n");
  outcome = host.run_script("import sys\nprint('x' in globals(), '/nowhere' in sys.path)\n");
  REQUIRE(outcome);
  CHECK(host.out() == "42\nFalse False\n");

  console.source = "def g():\n    raise KeyError('k')\ng()";
  outcome = host.run(console);
  REQUIRE(outcome);
  REQUIRE(outcome->error);
  CHECK(outcome->error->line == 2);
  CHECK_THAT(host.err(), ContainsSubstring("raise KeyError('k')"));
}

TEST_CASE("code from the command line runs like python -c", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  core::wire::Run request;
  request.source = "import sys; print(sys.argv, repr(sys.path[0]), '__file__' in globals(), __name__)\n1 / 0";
  request.arguments = {"a", "b"};
  const auto outcome = host.run(request);
  REQUIRE(outcome);
  CHECK(host.out() == "['-c', 'a', 'b'] '' False __main__\n");
  CHECK(outcome->script_path == "<string>");
  REQUIRE(outcome->error);
  CHECK(outcome->error->line == 2);
}

TEST_CASE("edited text runs instead of the file and shows in the traceback", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  core::wire::Run request;
  request.path = host.folder().write("edited.py", "print('on disk')\n");
  request.source = "print('edited', __file__)\nraise ValueError  # the edited line\n";
  const auto outcome = host.run(request);
  REQUIRE(outcome);
  CHECK(host.out() == "edited " + request.path + "\n");
  CHECK_THAT(host.err(), ContainsSubstring("# the edited line"));
  REQUIRE(outcome->error);
  CHECK(outcome->error->line == 2);
}

TEST_CASE("a script begins in its working folder, the next one without where Python was before", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const std::filesystem::path folder = host.folder().path() / "data here";
  std::filesystem::create_directory(folder);
  core::wire::Run request;
  request.source = "import os, sys\nprint(os.getcwd(), sys.path[0])\n";
  request.path = host.folder().write("script.py", *request.source);
  request.working_folder = folder.string();
  const auto runs = [&] {
    const auto outcome = host.run(request);
    return outcome && outcome->outcome == Outcome::finished;
  };
  REQUIRE(runs());
  request.working_folder.clear();
  REQUIRE(runs());
  request.source = "import os\nos.chdir('/')\n";  // a script's own: stays, as everything it does to its process
  REQUIRE(runs());
  request.source = "import os, sys\nprint(os.getcwd(), sys.path[0])\n";
  REQUIRE(runs());
  const std::string beside =
      " " + std::filesystem::canonical(host.folder().path()).string() + "\n";  // sys.path[0] is the script's
  const std::string start = std::filesystem::canonical(host.folder().path()).string();
  CHECK(host.out() == std::filesystem::canonical(folder).string() + beside + start + beside + "/" + beside);
  request.working_folder = (folder / "not there").string();
  const auto outcome = host.run(request);
  REQUIRE(outcome);
  REQUIRE(outcome->error);
  CHECK_THAT(outcome->error->message, ContainsSubstring("not there cannot be entered: No such file or directory"));
}

namespace {

// A package of three files, and a request to run one of them as `python -m` does, from the folder it lies in.
core::wire::Run request_of_module(HostProcess& host, const std::string& module) {
  for (const auto* init : {"pkg/__init__.py", "pkg/tool/__init__.py", "pkg/bare/__init__.py"}) host.folder().write(init, "");
  host.folder().write("pkg/model.py", "weight = 7\n");
  host.folder().write("pkg/train.py",
                      "from .model import weight\nimport sys\n"
                      "print(__name__, __package__, __spec__.name, __file__ == sys.argv[0], sys.argv[1:], weight)\n");
  host.folder().write("pkg/tool/__main__.py", "from ..model import weight\nprint(__package__, __spec__.name, weight)\n");
  core::wire::Run request;
  request.module = module;
  request.working_folder = host.folder().path().string();
  return request;
}

}  // namespace

TEST_CASE("a module runs as python -m runs it: in its package, from the working folder", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  core::wire::Run request = request_of_module(host, "pkg.train");
  request.arguments = {"--lr", "1"};
  REQUIRE(host.run(request)->outcome == Outcome::finished);
  request = request_of_module(host, "pkg.tool");  // a package stands for its __main__
  REQUIRE(host.run(request)->outcome == Outcome::finished);
  request = request_of_module(host, "this");  // of the standard library
  REQUIRE(host.run(request)->outcome == Outcome::finished);
  CHECK_THAT(host.out(), Catch::Matchers::StartsWith(
                             "__main__ pkg pkg.train True ['--lr', '1'] 7\npkg.tool pkg.tool.__main__ 7\nThe Zen of Python"));
}

TEST_CASE("an editor's text runs as the module whose file is open, and not as another one", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  core::wire::Run request = request_of_module(host, "pkg.train");
  request.path = (host.folder().path() / "pkg" / "train.py").string();
  request.source = "from .model import weight\nprint('edited', weight, __package__)\nraise ValueError  # the edited line\n";
  const auto outcome = host.run(request);
  REQUIRE(outcome);
  CHECK(host.out() == "edited 7 pkg\n");
  CHECK_THAT(host.err(), ContainsSubstring("# the edited line"));
  REQUIRE(outcome->error);
  CHECK(outcome->error->line == 3);
  request.module = "pkg.model";
  const auto other = host.run(request);
  REQUIRE(other);
  REQUIRE(other->error);
  CHECK_THAT(other->error->message, ContainsSubstring("model.py, not the script"));
}

TEST_CASE("a module that is not there is refused in the words of python -m", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  for (const auto& [module, wording] :
       {std::pair{"nothing", "No module named nothing"},
        {"pkg.nothing", "No module named pkg.nothing"},
        {"pkg.train.deeper", "No module named pkg.train.deeper: pkg.train is not a package"},
        {"pkg.bare", "No module named pkg.bare.__main__; 'pkg.bare' is a package and cannot be directly executed"},
        {".train", "Relative module names not supported"}}) {
    const auto outcome = host.run(request_of_module(host, module));
    REQUIRE(outcome);
    REQUIRE(outcome->error);
    CHECK(outcome->error->type == "ImportError");
    CHECK(outcome->error->message == wording);
  }
}

TEST_CASE("a file of a package that is run as a script is told how to run", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  core::wire::Run request = request_of_module(host, "");
  request.path = (host.folder().path() / "pkg" / "tool" / "__main__.py").string();
  const auto outcome = host.run(request);
  REQUIRE(outcome);
  REQUIRE(outcome->error);
  CHECK_THAT(host.err(), ContainsSubstring("runs as a module of it: dlscope -m pkg.tool in the folder " +
                                           std::filesystem::canonical(host.folder().path()).string()));
}

TEST_CASE("what a script breaks does not break the host", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const char* const names = "json re traceback signal linecache types tokenize threading atexit ast enum";
  std::istringstream each(names);
  for (std::string name; each >> name;) host.folder().write(name + ".py", "mine = True\n");
  auto outcome =
      host.run_script("for name in '" + std::string(names) + "'.split():\n    print(name, hasattr(__import__(name), 'mine'))\n");
  INFO(host.err());
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::finished);
  CHECK_THAT(host.out(), ContainsSubstring("json True"));
  CHECK(host.out() ==
        output_of_command("'" + python.executable + "' '" + (host.folder().path() / "script.py").string() + "' 2>/dev/null"));

  outcome = host.run_script(R"(
import builtins, os, sys
builtins.open = None
builtins.print = builtins.len = builtins.str = builtins.isinstance = None
del sys.excepthook, sys.argv
os.getcwd = os.path = None
raise ValueError('after the flood')
)");
  REQUIRE(outcome);
  REQUIRE(outcome->error);
  CHECK(outcome->error->message == "after the flood");
  outcome = host.run_script("x = 1\n");
  REQUIRE(outcome);
  INFO((outcome->error ? outcome->error->traceback : ""));
  CHECK(outcome->outcome == Outcome::finished);
  CHECK(left_cleanly(host.leave()));
}

TEST_CASE("closed and replaced streams and closed descriptors lose nothing", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  auto outcome = host.run_script("import sys\nsys.stdout.close()\nsys.stderr = None\n");
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::finished);
  outcome = host.run_script("import os\nos.closerange(0, 70000)\nraise ValueError('unseen')\n");
  REQUIRE(outcome);
  REQUIRE(outcome->error);
  CHECK(outcome->error->message == "unseen");
  CHECK(host.wait_for<core::wire::SnapshotReady>());
  CHECK(left_cleanly(host.leave()));
}

TEST_CASE("text that is in no file yet runs, and a console works before the first run", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  core::wire::Run console;
  console.source = "import sys; sorted(n for n in globals() if n[0] != '_'), sys.argv, sys.path[0], __name__";
  console.fresh_namespace = false;
  console.echo = true;
  auto outcome = host.run(console);
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::finished);
  CHECK(host.out() == "(['sys'], [''], '', '__main__')\n");

  core::wire::Run unsaved;
  unsaved.path = (host.folder().path() / "unsaved.py").string();
  unsaved.source = "1 / 0  # never saved\n";
  outcome = host.run(unsaved);
  REQUIRE(outcome);
  REQUIRE(outcome->error);
  CHECK(outcome->error->type == "ZeroDivisionError");
  CHECK_THAT(host.err(), ContainsSubstring("# never saved"));
}

TEST_CASE("a script that is not there is told as an error", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  core::wire::Run request;
  request.path = (host.folder().path() / "missing.py").string();
  const auto outcome = host.run(request);
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::raised);
  REQUIRE(outcome->error);
  CHECK(outcome->error->type == "FileNotFoundError");
}

TEST_CASE("what was local to a failed script is looked at, and gone when the next run begins", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto outcome = host.run_script(R"(
class Big:
    def __del__(self): print('freed', flush=True)
def f():
    big = Big()
    1 / 0
f()
)");
  REQUIRE(outcome);
  REQUIRE(host.wait_for<core::wire::ScanFinished>());
  CHECK(host.out() == "");
  REQUIRE(host.run_script("print('next', flush=True)\n"));
  CHECK(host.out() == "freed\nnext\n");
}

TEST_CASE("what a script leaves for its exit runs when the host leaves", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto outcome = host.run_script(R"(
import atexit, threading, time
atexit.register(print, 'at exit')
threading.Thread(target=lambda: (time.sleep(0.2), print('thread done'))).start()
)");
  REQUIRE(outcome);
  CHECK(left_cleanly(host.leave()));
  CHECK(host.out() == "thread done\nat exit\n");
  CHECK(host.err().empty());
}

// A C function as deleter that leaves an exception behind is an event of the report, each time.
TEST_CASE("events of a run are not told again after the next one, nor how many were left out", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  auto outcome = host.run_script(R"(
import ctypes, dlscope
python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
raises = ctypes.cast(python.PyErr_NoMemory, ctypes.c_void_p).value
shape = (ctypes.c_int64 * 1)(1)
# DLManagedTensor: data, device, ndim and dtype (one int32), shape, strides, byte_offset, manager, deleter
struct = (ctypes.c_int64 * 8)(ctypes.addressof(shape), 1, 1 | 0 << 32 | 64 << 40 | 1 << 48, ctypes.addressof(shape), 0, 0, 0, raises)
name = b'dltensor'
class Noisy:
    def __dlpack__(self, **keywords): return python.PyCapsule_New(ctypes.addressof(struct), name, None)
noisy = [Noisy() for _ in range(10010)]  # over one struct: all but the first are asked twice
events = dlscope.report({'noisy': noisy})['events']
print(len(events), events[0]['text'], events[-1]['text'], sep=', ')
del noisy
)");
  REQUIRE(outcome);
  INFO(host.err());
  CHECK_THAT(host.out(), StartsWith("5001, ") && ContainsSubstring("MemoryError") && EndsWith(", 15019 more events were not kept\n"));
  std::filesystem::resize_file(host.folder().path() / "stdout", 0);
  outcome = host.run_script("import dlscope\nprint(dlscope.report({})['events'])\n");
  REQUIRE(outcome);
  CHECK(host.out() == "[]\n");
}
