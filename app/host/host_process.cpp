#include "app/host/host_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "app/files/file_descriptor.h"
#include "app/host/process_tree.h"

namespace dlscope::app {

using core::ErrorKind;
using core::fail;
using core::Result;

namespace {

// Everything the child needs, prepared before the fork: between fork and exec nothing may allocate.
struct Prepared {
  const HostProcessSpec* spec;
  std::vector<char*> arguments, environment;
  pid_t parent;
  int error_pipe;
};

bool same_name(const char* entry, std::string_view addition) {
  const auto equals = addition.find('=');
  return equals != std::string_view::npos && std::strncmp(entry, addition.data(), equals + 1) == 0;
}

Prepared prepare(const HostProcessSpec& spec, int error_pipe) {
  Prepared prepared{&spec, {}, {}, ::getpid(), error_pipe};
  for (const std::string& argument : spec.arguments) prepared.arguments.push_back(const_cast<char*>(argument.c_str()));
  prepared.arguments.push_back(nullptr);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    bool replaced = false;
    for (const std::string& addition : spec.extra_environment) replaced = replaced || same_name(*entry, addition);
    if (!replaced) prepared.environment.push_back(*entry);
  }
  for (const std::string& addition : spec.extra_environment) prepared.environment.push_back(const_cast<char*>(addition.c_str()));
  prepared.environment.push_back(nullptr);
  return prepared;
}

// Marks descriptors that libraries of a window left open as close-on-exec; our own already are. Not without a window: there the
// script must get what the user's shell opened for it, as in <(process substitution).
void keep_only_region(int region_fd) {
#ifdef CLOSE_RANGE_CLOEXEC
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
#endif
  ::fcntl(region_fd, F_SETFD, 0);
}

bool set_streams(const HostProcessSpec& spec) {
  if (spec.controlling_terminal) {
    if (::setsid() < 0 || ::ioctl(spec.terminal_fd, TIOCSCTTY, 0) != 0) return false;
  } else {
    ::setpgid(0, 0);
  }
  if (spec.terminal_fd >= 0) {
    int input = spec.terminal_fd;
    if (!spec.controlling_terminal) input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (::dup2(input, 0) < 0 || ::dup2(spec.terminal_fd, 1) < 0 || ::dup2(spec.terminal_fd, 2) < 0) return false;
  } else if (spec.stdout_to_stderr && ::dup2(2, 1) < 0) {
    return false;
  }
  return true;
}

// In the child: async-signal-safe calls only.
[[noreturn]] void become_host(const Prepared& prepared) {
  const HostProcessSpec& spec = *prepared.spec;
  bool good = ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
  if (::getppid() != prepared.parent) ::_exit(127);
  good = good && set_streams(spec);
  if (good && !spec.working_directory.empty()) good = ::chdir(spec.working_directory.c_str()) == 0;
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGXFSZ, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (good) {
    if (spec.terminal_fd >= 0) {
      keep_only_region(spec.region_fd);
    } else {
      ::fcntl(spec.region_fd, F_SETFD, 0);
    }
    ::fcntl(prepared.error_pipe, F_SETFD, FD_CLOEXEC);
    ::execve(prepared.arguments[0], prepared.arguments.data(), prepared.environment.data());
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(prepared.error_pipe, &error, sizeof error);
  ::_exit(127);
}

}  // namespace

Result<HostProcess> HostProcess::spawn(const HostProcessSpec& spec) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail(ErrorKind::environment, std::string{"no pipe could be made: "} + std::strerror(errno));
  FileDescriptor error_read{ends[0]}, error_write{ends[1]};
  const Prepared prepared = prepare(spec, error_write.get());

  const pid_t pid = start_own_child([&] {
    const pid_t forked = ::fork();
    if (forked == 0) become_host(prepared);
    return forked;
  });
  if (pid < 0) return fail(ErrorKind::environment, std::string{"no process could be started: "} + std::strerror(errno));
  // Parent and child both call it, because either may run first. Fails after the exec, when it is done already.
  if (!spec.controlling_terminal) ::setpgid(pid, pid);
  error_write.reset();
  int error = 0;
  ssize_t got = 0;
  while ((got = ::read(error_read.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (got != sizeof error) return HostProcess{pid};
  HostProcess{pid}.reap();
  return fail(ErrorKind::environment, spec.arguments[0] + " cannot be started: " + std::strerror(error));
}

HostChange HostProcess::wait_for_change() {
  for (;;) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WSTOPPED | WNOWAIT) != 0) {
      if (errno == EINTR) continue;
      return HostExited{};  // somebody else reaped it (SIGCHLD ignored): how it ended is not known
    }
    if (info.si_code == CLD_EXITED) return HostExited{.exit_code = info.si_status, .signal = std::nullopt};
    if (info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED)
      return HostExited{.exit_code = std::nullopt, .signal = info.si_status};
    const int signal = info.si_status;
    siginfo_t taken{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &taken, WSTOPPED | WNOHANG);
    return HostStopped{signal};
  }
}

void HostProcess::reap() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  forget_child(pid_);
}

void HostProcess::end() const {
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);  // it may have left its group
}

}  // namespace dlscope::app
