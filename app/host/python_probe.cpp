#include "app/host/python_probe.h"

#include <array>
#include <chrono>

#include "app/host/captured_run.h"

namespace dlscope::app {

using core::ErrorKind;
using core::fail;
using core::Result;

namespace {

constexpr std::chrono::seconds kTimeLimit{20};

// Old syntax on purpose, so that any Python 3 answers. Fields end with NUL bytes, because paths cannot contain them.
constexpr const char* kQuestion = R"(
import os, sys
from sysconfig import get_config_var as var
mapped = b''
try:
    with open('/proc/self/maps', 'rb') as maps:
        for line in maps:
            path = line.rstrip(b'\n').partition(b'/')[2]
            if os.path.basename(path).startswith(b'libpython') and not path.endswith(b' (deleted)'):
                mapped = b'/' + path
                break
except OSError:
    pass
facts = [sys.executable, sys.implementation.name, '%d.%d.%d' % sys.version_info[:3], sys.base_prefix, mapped,
         var('INSTSONAME'), var('LDLIBRARY'), var('LIBDIR'), var('MULTIARCH'), var('LIBPL'), var('Py_GIL_DISABLED')]
sys.stdout.buffer.write(b'dlscope\0' + b''.join(
    (fact if isinstance(fact, bytes) else os.fsencode(str(fact or ''))) + b'\0' for fact in facts))
)";

std::string first_line(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return std::string{text.substr(begin, std::min(text.find('\n', begin), begin + 300) - begin)};
}

std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  const auto begin = text.rfind('\n');
  return first_line(begin == std::string_view::npos ? text : text.substr(begin + 1));
}

// An interpreter that does not understand the question (Python 2 has no -I) can still tell its version.
std::string version_text(const std::string& executable) {
  const auto run = run_captured({executable, "--version"}, kTimeLimit);
  if (!run || run->exit_code != 0) return {};
  return first_line(run->output.empty() ? run->errors : run->output);
}

}  // namespace

Result<InterpreterFacts> parse_interpreter_facts(std::string_view answer) {
  constexpr std::string_view kMark{"dlscope\0", 8};
  const auto begin = answer.find(kMark);
  if (begin == std::string_view::npos) return fail(ErrorKind::invalid, "it did not answer like a Python");
  answer.remove_prefix(begin + kMark.size());
  std::array<std::string, 11> fields;
  for (std::string& field : fields) {
    const auto end = answer.find('\0');
    if (end == std::string_view::npos) return fail(ErrorKind::invalid, "its answer was cut short");
    field = answer.substr(0, end);
    answer.remove_prefix(end + 1);
  }
  return InterpreterFacts{fields[0], fields[1], fields[2], fields[3], fields[4],        fields[5],
                          fields[6], fields[7], fields[8], fields[9], fields[10] == "1"};
}

Result<InterpreterFacts> ask_python(const std::string& executable, const std::stop_token& stop) {
  const auto run = run_captured({executable, "-I", "-S", "-c", kQuestion}, kTimeLimit, stop);
  if (!run) return std::unexpected(run.error());
  if (run->exit_code == 0) {
    auto facts = parse_interpreter_facts(run->output);
    if (facts) return facts;
    return fail(ErrorKind::invalid, executable + " is not a Python interpreter: " + facts.error().message);
  }
  const std::string version = version_text(executable);
  // Any other program may have printed anything, for instance the question itself.
  if (!version.empty() && !version.starts_with("Python "))
    return fail(ErrorKind::invalid, executable + " is not a Python interpreter");
  if (version.starts_with("Python 2")) {
    return fail(ErrorKind::unsupported, executable + " is " + version + "; dlscope needs CPython 3.9 or newer");
  }
  const std::string said = last_line(run->errors);
  return fail(ErrorKind::environment,
              executable + " cannot start: " + (said.empty() ? "exit code " + std::to_string(run->exit_code) : said));
}

std::vector<std::string> libpython_candidates(const InterpreterFacts& facts) {
  std::vector<std::string> found;
  if (!facts.mapped_library.empty()) found.push_back(facts.mapped_library);
  for (const std::string* name : {&facts.library_name, &facts.link_name}) {
    // A static build names an archive here.
    if (name->find(".so") == std::string::npos) continue;
    // Relocated trees (conda, uv) still have the build machine's folders in LIBDIR: try the prefix first.
    if (!facts.base_prefix.empty()) found.push_back(facts.base_prefix + "/lib/" + *name);
    if (!facts.library_dir.empty()) {
      found.push_back(facts.library_dir + "/" + *name);
      if (!facts.multiarch.empty()) found.push_back(facts.library_dir + "/" + facts.multiarch + "/" + *name);
    }
    if (!facts.config_dir.empty()) found.push_back(facts.config_dir + "/" + *name);
  }
  return found;
}

}  // namespace dlscope::app
