#include "tests/embed/host/host_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/wire/host_launch.h"

namespace dlscope::tests {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto kPatience = 60s;  // against hanging for ever; never what a test measures

std::string build_dir() {
  const char* folder = std::getenv("DLSCOPE_BUILD_DIR");
  return folder != nullptr ? folder : ".";
}

}  // namespace

std::string package_dir() { return build_dir() + "/python"; }

namespace {

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> command_line(const TestPython& python, const HostSettings& settings, int fd) {
  const std::string executable = settings.executable.empty() ? python.executable : settings.executable;
  const std::string package = settings.package_dir.empty() ? package_dir() : settings.package_dir;
  std::vector<std::string> arguments;
  if (python.libpython.empty()) {
    arguments = {executable, core::wire::host_boot_file(package)};
  } else {
    arguments = {build_dir() + "/dlscope-host", "--libpython", python.libpython, "--python", executable};
  }
  arguments.insert(arguments.end(), {"--package-dir", package, "--region-fd", std::to_string(fd)});
  return arguments;
}

}  // namespace

HostProcess::HostProcess(const TestPython& python, const HostSettings& settings) {
  auto region = core::wire::Region::create();
  REQUIRE(region.has_value());
  region_ = std::move(*region);
  if (settings.other_build) std::strcpy(region_->header().build_id, "another build");
  writer_ = std::make_unique<core::wire::RingWriter>(region_->to_host_writer());
  reader_ = std::make_unique<core::wire::RingReader>(region_->to_viewer_reader());

  const int fd = dup(region_->fd());  // dup() leaves it open across exec
  std::vector<std::string> arguments = command_line(python, settings, fd);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const std::string out = (folder_.path() / "stdout").string();
  const std::string err = (folder_.path() / "stderr").string();

  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    for (const auto& [name, value] : settings.environment) setenv(name.c_str(), value.c_str(), 1);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600), 1);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600), 2);
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
    if (chdir(folder_.path().c_str()) != 0) _exit(127);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(fd);
  REQUIRE(pid_ > 0);
}

HostProcess::~HostProcess() {
  if (pid_ > 0 && !status_) {
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    wait();
  }
}

void HostProcess::send(const core::wire::ToHost& message) {
  const core::wire::RawMessage raw = core::wire::encode(message);
  REQUIRE(writer_->write(raw.kind, raw.payload));
}

void HostProcess::start_script(const std::string& code, std::vector<std::string> arguments) {
  core::wire::Run request;
  request.path = folder_.write("script.py", code);
  request.arguments = std::move(arguments);
  request.run = ++runs_;
  send(request);
}

std::optional<core::RunOutcome> HostProcess::run_script(const std::string& code, std::vector<std::string> arguments) {
  start_script(code, std::move(arguments));
  auto finished = wait_for<core::wire::RunFinished>();
  if (!finished) return std::nullopt;
  return finished->outcome;
}

std::optional<core::RunOutcome> HostProcess::run(core::wire::Run request) {
  request.run = ++runs_;
  send(request);
  auto finished = wait_for<core::wire::RunFinished>();
  if (!finished) return std::nullopt;
  return finished->outcome;
}

bool HostProcess::ended() {
  if (status_) return true;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return false;
  status_ = status;
  return true;
}

std::optional<core::wire::ToViewer> HostProcess::next_message() {
  core::wire::RawMessage raw;
  const auto give_up = Clock::now() + kPatience;
  while (Clock::now() < give_up) {
    const bool last_look = ended();
    const auto got = reader_->read(raw);
    REQUIRE(got.has_value());
    if (*got) {
      auto message = core::wire::decode_to_viewer(raw);
      REQUIRE(message.has_value());
      return *message;
    }
    if (last_look) return std::nullopt;
    reader_->wait(20ms);
  }
  return std::nullopt;
}

bool HostProcess::wait_for_output(const std::string& text) {
  const auto give_up = Clock::now() + kPatience;
  while (Clock::now() < give_up) {
    const bool last_look = ended();
    if (out().find(text) != std::string::npos) return true;
    if (last_look) return false;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

bool HostProcess::wait_for_crash() {
  const auto give_up = Clock::now() + kPatience;
  while (Clock::now() < give_up && !ended()) {
    if (region_->header().crash.state.load() == 2) return true;
    reader_->wait(20ms);
  }
  return region_->header().crash.state.load() == 2;
}

int HostProcess::wait() {
  const auto give_up = Clock::now() + kPatience;
  while (!ended()) {
    if (Clock::now() > give_up) {
      kill(-pid_, SIGKILL);
      kill(pid_, SIGKILL);
    }
    std::this_thread::sleep_for(2ms);
  }
  return *status_;
}

int HostProcess::leave() {
  send(core::wire::Shutdown{});
  return wait();
}

std::string HostProcess::out() const { return file_text(folder_.path() / "stdout"); }
std::string HostProcess::err() const { return file_text(folder_.path() / "stderr"); }

}  // namespace dlscope::tests
