#include "app/host/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "app/files/file_descriptor.h"

namespace dlscope::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{5};
constexpr int kMaxReapedAtOnce = 256;

// A pid alone may be reused once its first owner was reaped.
struct Identity {
  pid_t pid = 0;
  std::uint64_t started = 0;  // clock ticks since boot
  friend auto operator<=>(const Identity&, const Identity&) = default;
};

struct Process {
  Identity identity;
  bool is_zombie = false;
};

using Children = std::multimap<pid_t, Process>;  // by parent

struct Entry {
  pid_t parent = 0;
  Process process;
};

// Parses /proc/PID/stat. The command's name, in parentheses, may contain anything, also spaces and parentheses.
std::optional<Entry> entry_of(pid_t pid) {
  const FileDescriptor file{::open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file) return std::nullopt;
  std::array<char, 1024> buffer;
  const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
  if (got <= 0) return std::nullopt;
  const std::string text(buffer.data(), static_cast<std::size_t>(got));
  const std::size_t behind_name = text.rfind(')');
  if (behind_name == std::string::npos) return std::nullopt;
  char state = 0;
  int parent = 0;
  unsigned long long started = 0;
  constexpr const char* kFields = " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu";
  if (std::sscanf(text.c_str() + behind_name + 1, kFields, &state, &parent, &started) != 3) return std::nullopt;
  return Entry{parent, {{pid, started}, state == 'Z' || state == 'X'}};
}

Children all_processes() {
  Children all;
  DIR* const folder = ::opendir("/proc");
  if (folder == nullptr) return all;
  while (const dirent* const entry = ::readdir(folder)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    if (const auto found = entry_of(pid)) all.emplace(found->parent, found->process);
  }
  ::closedir(folder);
  return all;
}

// The children of this process: one object, because they belong to the whole process.
class OwnChildren {
 public:
  static OwnChildren& get() {
    static OwnChildren* const children = new OwnChildren;  // never destroyed: threads may outlive main()
    return *children;
  }

  pid_t start(const std::function<pid_t()>& spawn) {
    const std::lock_guard lock{mutex_};
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t pid = spawn();
    if (pid > 0) started_.insert(pid);
    return pid;
  }
  void forget(pid_t pid) {
    const std::lock_guard lock{mutex_};
    started_.erase(pid);
  }

  void reap() {
    const std::lock_guard lock{mutex_};
    for (int count = 0; count < kMaxReapedAtOnce; ++count) {
      siginfo_t info{};
      if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
      if (started_.contains(info.si_pid)) return;  // its starter waits for it; the next call reaps those behind it
      ::waitpid(info.si_pid, nullptr, WNOHANG);
    }
  }

  // SIGKILL to each orphan and everything below it; returns how many were alive.
  std::size_t kill_once() {
    const std::lock_guard lock{mutex_};
    const Children all = all_processes();
    std::size_t alive = 0;
    for (const Process& orphan : orphans(all)) {
      if (orphan.is_zombie) {
        ::waitpid(orphan.identity.pid, nullptr, WNOHANG);
      } else {
        alive += kill_tree(orphan, all);
      }
    }
    return alive;
  }

  void leave() {
    const std::lock_guard lock{mutex_};
    std::set<Identity> still_there;
    const Children all = all_processes();
    for (const Process& orphan : orphans(all)) still_there.insert(orphan.identity);
    const auto [first, last] = all.equal_range(::getpid());
    for (auto child = first; child != last; ++child) {
      if (left_.contains(child->second.identity)) still_there.insert(child->second.identity);
    }
    left_ = std::move(still_there);
  }

 private:
  [[nodiscard]] std::vector<Process> orphans(const Children& all) const {
    std::vector<Process> found;
    const auto [first, last] = all.equal_range(::getpid());
    for (auto child = first; child != last; ++child) {
      const Identity& identity = child->second.identity;
      if (!started_.contains(identity.pid) && !left_.contains(identity)) found.push_back(child->second);
    }
    return found;
  }

  static std::size_t kill_tree(const Process& root, const Children& all) {
    std::size_t alive = 0;
    std::vector<Process> open{root};
    while (!open.empty()) {
      const Process process = open.back();
      open.pop_back();
      const auto [first, last] = all.equal_range(process.identity.pid);
      for (auto child = first; child != last; ++child) open.push_back(child->second);
      if (process.is_zombie) continue;
      ::kill(process.identity.pid, SIGKILL);
      ++alive;
    }
    return alive;
  }

  std::mutex mutex_;
  std::set<pid_t> started_;  // by us: their pids cannot be reused until they are reaped
  std::set<Identity> left_;
};

}  // namespace

pid_t start_own_child(const std::function<pid_t()>& spawn) { return OwnChildren::get().start(spawn); }

void forget_child(pid_t pid) { OwnChildren::get().forget(pid); }

void reap_orphans() { OwnChildren::get().reap(); }

std::size_t end_orphans(std::chrono::milliseconds at_most) {
  const auto give_up = Clock::now() + at_most;
  for (;;) {
    const std::size_t alive = OwnChildren::get().kill_once();
    if (alive == 0 || Clock::now() >= give_up) return alive;
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

void leave_orphans() { OwnChildren::get().leave(); }

}  // namespace dlscope::app
