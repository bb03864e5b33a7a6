// HostProcess: the child process of a host: fork and exec, its process group, its end. Everything but end() and pid() belongs to
// one thread: the one that spawned it. It must live as long as the child, because the kernel kills the child when that thread
// ends.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"

namespace dlscope::app {

struct HostProcessSpec {
  std::vector<std::string> arguments;          // [0] is the executable's path
  std::vector<std::string> extra_environment;  // "NAME=value", added to ours
  int region_fd = -1;                          // stays open in the child under the same number
  int terminal_fd = -1;                        // >= 0: becomes descriptors 0, 1, 2
  bool controlling_terminal = false;           // terminal_fd is a terminal: give the child its own session with it
  bool stdout_to_stderr = false;
  std::string working_directory;  // "" = ours
};

struct HostStopped {
  int signal = 0;
};
struct HostExited {
  std::optional<int> exit_code, signal;
};
using HostChange = std::variant<HostStopped, HostExited>;

class HostProcess {
 public:
  // The child has its own process group, an empty signal mask, default SIGINT and SIGPIPE, and is killed when we end.
  [[nodiscard]] static core::Result<HostProcess> spawn(const HostProcessSpec& spec);

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Blocks until the child stops or has ended. After HostExited it is a zombie until reap(), so its pid cannot be reused.
  [[nodiscard]] HostChange wait_for_change();
  void reap();
  // thread: any, before reap(). SIGKILL to it and its process group. Processes that have left the group are found by their
  // parents once the host is gone (process_tree.h).
  void end() const;

 private:
  explicit HostProcess(pid_t pid) : pid_(pid) {}
  pid_t pid_;
};

}  // namespace dlscope::app
