// What the kernel tells of a process: whether it was stopped, and what it does with signals.
// thread: any.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace dlscope::app {

struct ProcessStatus {
  bool stopped = false;                   // by SIGSTOP or the like: it does nothing until SIGCONT comes
  pid_t parent = 0;                       // 0: not known, or in another namespace
  std::uint64_t caught = 0, ignored = 0;  // a bit for each signal, that of signal 1 first

  [[nodiscard]] bool catches(int signal) const { return (caught >> (signal - 1) & 1) != 0; }
  [[nodiscard]] bool ignores(int signal) const { return (ignored >> (signal - 1) & 1) != 0; }
};

[[nodiscard]] std::optional<ProcessStatus> process_status(pid_t pid);  // nullopt: there is no such process
// Whether the process is this one, or was started by it or by one below it that lives. False where that cannot be told.
[[nodiscard]] bool is_below(pid_t pid, pid_t ancestor);
[[nodiscard]] ProcessStatus parse_status(std::string_view status);    // of /proc/PID/status

}  // namespace dlscope::app
