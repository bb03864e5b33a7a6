#include "app/cli/doctor.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/cli/exit_code.h"
#include "app/cli/plain_text.h"
#include "app/cli/standard_streams.h"
#include "app/files/write_all.h"
#include "app/host/captured_run.h"
#include "app/host/host_client.h"
#include "app/host/program_files.h"
#include "app/host/python_finder.h"
#include "core/base/build_id.h"
#include "core/devices/device_survey.h"
#include "core/memory/memory_reader.h"
#include "core/wire/region.h"

namespace dlscope::app {

using core::Result;
using State = Finding::State;
using std::chrono::seconds;

namespace {

constexpr seconds kHostTime{30}, kLibrariesTime{30};

// Asks for versions without importing anything: importing a library takes seconds and may start its devices.
constexpr const char* kLibrariesQuestion = R"(
import sys
if sys.path and sys.path[0] == '': del sys.path[0]
from importlib import metadata
names = ['numpy', 'torch', 'jax', 'tensorflow', 'paddlepaddle', 'dpnp', 'pyarrow', 'apache-tvm-ffi', 'array-api-strict']
names += ['cupy', 'cupy-cuda11x', 'cupy-cuda12x', 'cupy-cuda13x', 'ml-dtypes']
found = []
for name in names:
    try: found.append(name + ' ' + metadata.version(name))
    except Exception: pass
print(', '.join(found))
try:
    from importlib.util import find_spec
    print(find_spec('dlscope').origin)
except Exception: pass
)";

Finding files_finding() {
  const auto host = find_host_program();
  if (!host) return {State::bad, "program", host.error().message, {}};
  const auto package = find_package_dir();
  if (!package) return {State::bad, "program", package.error().message, {}};
  return {State::good, "program", fmt::format("build {}, host {}, package {}/dlscope", core::build_id(), *host, *package), {}};
}

// When `import dlscope` in this Python's own processes finds another copy than scripts run by dlscope get.
std::optional<Finding> other_copy_finding(const PythonChoice& python, const std::string& found) {
  const auto package = find_package_dir();
  std::error_code error;
  if (!package || found.empty() || std::filesystem::equivalent(found, *package + "/dlscope/__init__.py", error)) return {};
  return Finding{State::absent, "other copy",
                 fmt::format("`import dlscope` in this Python finds {}; scripts run by dlscope get {}/dlscope", found, *package),
                 python.executable + " -m pip uninstall dlscope, or install the same version there"};
}

Finding python_finding(const Result<PythonChoice>& python) {
  if (!python) return {State::bad, "Python", python.error().message, {}};
  std::string text = fmt::format("{}, {} ({})", python->version, python->executable, python->chosen_because);
  if (python->prefix != python->base_prefix) text += ", virtual environment of " + python->base_prefix;
  return {State::good, "Python", std::move(text), {}};
}

Finding libpython_finding(const PythonChoice& python) {
  if (python.libpython.empty()) return {State::good, "libpython", "none: a static interpreter, which is its own host", {}};
  return {State::good, "libpython", python.libpython, {}};
}

// Starts a host as the window does and waits for its greeting.
Finding host_finding(const PythonChoice& python, std::unique_ptr<HostClient>& host) {
  HostLaunch launch;
  launch.python = python;
  launch.terminal = true;
  auto started = HostClient::start(launch, {});
  if (!started) return {State::bad, "host", started.error().message, {}};
  host = std::move(*started);
  const auto deadline = std::chrono::steady_clock::now() + kHostTime;
  while (std::chrono::steady_clock::now() < deadline) {
    host->wait(std::chrono::milliseconds{100});
    for (const HostEvent& event : host->drain()) {
      if (const auto* ready = std::get_if<HostReady>(&event)) {
        return {State::good, "host",
                fmt::format("starts, of the same build: process {}, sys.prefix {}", ready->hello.pid, ready->hello.prefix), {}};
      }
      if (const auto* end = std::get_if<HostEnded>(&event)) {
        host.reset();
        return {State::bad, "host", end->why, "try another interpreter with --python"};
      }
    }
  }
  host.reset();
  return {State::bad, "host", fmt::format("did not get ready within {} s", kHostTime.count()),
          "look for a sitecustomize or .pth file that waits for something"};
}

std::vector<Finding> libraries_findings(const PythonChoice& python) {
  std::vector<std::string> command{python.executable};
  // Nothing may be imported from the current folder. Before 3.11 there is no -P: the question removes the folder from sys.path
  // itself.
  const bool knows_safe_path = !python.version.starts_with("3.9.") && !python.version.starts_with("3.10.");
  if (knows_safe_path) command.emplace_back("-P");
  command.insert(command.end(), {"-c", kLibrariesQuestion});
  const auto run = run_captured(command, kLibrariesTime);
  if (!run) return {{State::bad, "libraries", run.error().message, {}}};
  if (run->exit_code != 0)
    return {{State::bad, "libraries", "this Python cannot list its packages: " + run->errors.substr(0, 200), {}}};
  std::istringstream answer(run->output);
  std::string list, package;
  std::getline(answer, list);
  std::getline(answer, package);
  std::vector<Finding> out;
  if (list.empty()) {
    out.push_back({State::absent, "libraries", "no tensor library is installed; builtin buffers can be shown",
                   python.executable + " -m pip install numpy"});
  } else {
    out.push_back({State::good, "libraries", std::move(list), {}});
  }
  if (auto other = other_copy_finding(python, package)) out.push_back(std::move(*other));
  return out;
}

Finding gpu_finding() {
  const core::DeviceSurvey survey = core::survey_devices(core::CudaInit::initialise);
  return {survey.devices.size() > 1 ? State::good : State::absent, "GPU", survey.cuda_status, {}};
}

Finding picture_finding(const std::function<Result<std::string>()>& probe) {
  constexpr const char* kFix = "Debian: apt install libegl1 libgl1-mesa-dri";
  if (probe) {
    const auto found = probe();
    if (found) return {State::good, "OpenGL", "off screen: " + *found, {}};
    return {State::absent, "OpenGL", found.error().message, kFix};
  }
  void* egl = ::dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (egl == nullptr) return {State::absent, "OpenGL", "libEGL.so.1 is missing: no pictures", kFix};
  ::dlclose(egl);
  return {State::good, "OpenGL", "libEGL.so.1 is there", {}};
}

Finding display_finding() {
  for (const char* name : {"WAYLAND_DISPLAY", "DISPLAY"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return {State::good, "display", fmt::format("{}={}", name, value), {}};
  }
  return {State::absent, "display", "none: no window can be opened", "use --headless or --screenshot, or ssh -X"};
}

// Tests process_vm_readv, which reads the host's tensors, on a byte of this process.
Finding memory_finding(const HostClient* host) {
  constexpr const char* kFix = "see kernel.yama.ptrace_scope, or --cap-add=SYS_PTRACE in a container";
  const pid_t pid = ::getpid();
  const auto reader = core::process_reader(pid);
  const std::byte secret{0x5a};
  std::array<std::byte, 1> got{};
  if (!reader) return {State::bad, "memory", reader.error().message, kFix};
  const auto read = (*reader)->read(reinterpret_cast<core::Address>(&secret), got);
  if (read != 1 || got[0] != secret) return {State::bad, "memory", "reading this process's own memory gave wrong bytes", kFix};
  if (host == nullptr) return {State::good, "memory", "own memory can be read; the host's was not tried", {}};
  const auto other = core::process_reader(host->pid());
  if (!other)
    return {State::absent, "memory", "the host's memory cannot be read from the viewer: " + other.error().message, kFix};
  return {State::good, "memory", "the host's memory can be read", {}};
}

Finding shared_memory_finding() {
  const auto region = core::wire::Region::create();
  if (region) return {State::good, "shared memory", "a region for the host can be made", {}};
  return {State::bad, "shared memory", region.error().message,
          "allow memfd_create and mmap; raise the limits of address space (ulimit -v) and file size (ulimit -f)"};
}

}  // namespace

std::vector<Finding> examine(const std::string& asked, const std::function<Result<std::string>()>& probe_picture) {
  std::vector<Finding> findings{files_finding()};
  const bool files_good = findings.back().state == State::good;
  const auto python = find_python({asked});
  findings.push_back(python_finding(python));
  std::unique_ptr<HostClient> host;
  findings.push_back(shared_memory_finding());
  if (python) {
    findings.push_back(libpython_finding(*python));
    if (files_good) findings.push_back(host_finding(*python, host));
    for (Finding& finding : libraries_findings(*python)) findings.push_back(std::move(finding));
  }
  findings.push_back(memory_finding(host.get()));
  findings.push_back(gpu_finding());
  findings.push_back(picture_finding(probe_picture));
  findings.push_back(display_finding());
  return findings;
}

std::string finding_line(const Finding& finding) {
  const char* state = finding.state == State::good ? "ok" : finding.state == State::absent ? "--" : "BAD";
  std::string line = fmt::format("{:<3} {:<14} {}", state, finding.what, plain_text(finding.message));
  if (!finding.fix.empty() && line.ends_with('.')) line.pop_back();
  if (!finding.fix.empty()) line += "; fix: " + plain_text(finding.fix);
  return line + "\n";
}

int run_doctor(const std::string& python, const std::function<Result<std::string>()>& probe_picture) {
  int code = kExitFine;
  for (const Finding& finding : examine(python, probe_picture)) {
    if (finding.state == State::bad) code = kExitEnvironment;
    if (const auto written = write_all(STDOUT_FILENO, finding_line(finding)); !written) {
      say("standard output cannot be written: " + written.error().message);
      return kExitEnvironment;
    }
  }
  return code;
}

}  // namespace dlscope::app
