// How a host process is started: the one text both ways of starting share. The viewer builds the command line,
//   shared libpython:   dlscope-host --libpython PATH --python EXECUTABLE --package-dir DIR --region-fd N
//   static interpreter: EXECUTABLE -c <kHostBoot> --package-dir DIR --region-fd N
// with EXECUTABLE what sys.executable shall be (a venv's python, not resolved), DIR the folder that holds the package
// `dlscope`, N the inherited descriptor of the region. Both end in dlscope._host.main(N) on the process's main thread.
#pragma once

namespace dlscope::core::wire {

// Exit code of a host that cannot serve: the reason was written to its standard error in one line.
inline constexpr int kHostCannotServe = 3;

// Python code, run by the interpreter itself as with -c: sys.argv is ["-c", "--package-dir", DIR, "--region-fd", N].
// Must parse in every Python 3. The current folder leaves sys.path before anything is imported; DIR is first on it only
// while our own package is imported and last afterwards, so that neither side's modules hide the other's.
inline constexpr const char* kHostBoot = R"(import sys
if not getattr(sys.flags, 'safe_path', False) and sys.path[:1] == ['']:
    del sys.path[0]
def refuse(why):
    sys.stderr.write('dlscope-host: ' + why + '\n')
    sys.stderr.flush()
    import os
    os._exit(3)
if sys.version_info < (3, 9):
    refuse('Python %d.%d is too old: dlscope needs CPython 3.9 or newer' % sys.version_info[:2])
if 'free-threading' in sys.version:
    refuse('free-threaded builds of Python are not supported yet: choose the ordinary build with --python')
sys.path.insert(0, sys.argv[2])
try:
    from dlscope import _host
except Exception as error:
    refuse('the package in %s cannot be loaded: %s: %s' % (sys.argv[2], type(error).__name__, error))
sys.path.append(sys.path.pop(0))
_host.main(int(sys.argv[4]))
)";

}  // namespace dlscope::core::wire
