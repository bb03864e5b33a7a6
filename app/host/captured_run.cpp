#include "app/host/captured_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "app/files/file_descriptor.h"
#include "app/host/process_tree.h"

namespace dlscope::app {

using core::ErrorKind;
using core::fail;
using core::Result;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t kMaxBytes = std::size_t{256} << 10;
constexpr std::chrono::milliseconds kStopIsSeen{20};

// The end of a wait; a stop request moves it to now.
class Deadline {
 public:
  Deadline(Clock::time_point end, std::stop_token stop) : end_(end), stop_(std::move(stop)) {}
  [[nodiscard]] bool over() const { return stop_.stop_requested() || Clock::now() >= end_; }
  // For poll(): short enough that a stop is noticed in time.
  [[nodiscard]] int milliseconds() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now());
    return static_cast<int>((stop_.stop_possible() ? std::min(left, kStopIsSeen) : left).count());
  }

 private:
  Clock::time_point end_;
  std::stop_token stop_;
};

struct Pipe {
  FileDescriptor read, write;
};

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{FileDescriptor{ends[0]}, FileDescriptor{ends[1]}};
}

// Starts the command; returns its pid or an errno value as a negative number.
pid_t spawn(const std::vector<std::string>& arguments, int output, int errors) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGXFSZ}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<char*> message;
  for (const std::string& word : arguments) message.push_back(const_cast<char*>(word.c_str()));
  message.push_back(nullptr);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, message[0], &actions, &attributes, message.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? pid : -error;
}

// Reads what is available; false when the stream has ended.
bool take_some(const FileDescriptor& from, std::string& into) {
  std::array<char, 16384> buffer;
  const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  const std::size_t room = kMaxBytes - std::min(kMaxBytes, into.size());
  into.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
  return got > 0;
}

// Reads both streams until they end or the time is over; true when they ended.
bool collect(const FileDescriptor& output, const FileDescriptor& errors, CapturedRun& run, const Deadline& deadline) {
  std::array<pollfd, 2> streams{{{output.get(), POLLIN, 0}, {errors.get(), POLLIN, 0}}};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    if (deadline.over()) return false;
    if (::poll(streams.data(), streams.size(), std::max(1, deadline.milliseconds())) < 0 && errno != EINTR) return false;
    if (streams[0].fd >= 0 && streams[0].revents != 0 && !take_some(output, run.output)) streams[0].fd = -1;
    if (streams[1].fd >= 0 && streams[1].revents != 0 && !take_some(errors, run.errors)) streams[1].fd = -1;
  }
  return true;
}

// Whether the process ends before the deadline. It stays a zombie, so its process group's number cannot be reused.
bool ends_before(pid_t pid, const Deadline& deadline) {
  for (;;) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR) return true;
    if (info.si_pid == pid) return true;
    if (deadline.over()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
}

}  // namespace

Result<CapturedRun> run_captured(const std::vector<std::string>& arguments, std::chrono::milliseconds at_most,
                                 const std::stop_token& stop) {
  auto output = make_pipe();
  auto errors = make_pipe();
  if (!output || !errors) return fail(ErrorKind::environment, std::string{"no pipe could be made: "} + std::strerror(errno));
  const pid_t pid = start_own_child([&] { return spawn(arguments, output->write.get(), errors->write.get()); });
  if (pid < 0) return fail(ErrorKind::environment, arguments[0] + " cannot be started: " + std::strerror(-pid));
  output->write.reset();
  errors->write.reset();

  CapturedRun run;
  const Deadline deadline{Clock::now() + at_most, stop};
  const bool streams_ended = collect(output->read, errors->read, run, deadline);
  // A grandchild may keep the streams open; only the process itself counts.
  const bool in_time = ends_before(pid, streams_ended ? deadline : Deadline{Clock::now(), stop});
  ::kill(-pid, SIGKILL);
  ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  forget_child(pid);
  if (!in_time && stop.stop_requested()) return fail(ErrorKind::cancelled, arguments[0] + " was not waited for");
  if (!in_time) {
    return fail(ErrorKind::cancelled, arguments[0] + " did not answer within " +
                                          std::to_string(std::chrono::duration_cast<std::chrono::seconds>(at_most).count()) +
                                          " s");
  }
  run.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return run;
}

}  // namespace dlscope::app
