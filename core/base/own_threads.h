// The names of dlscope's own threads in the host process, as /proc/PID/task/TID/comm has them. No prefix tells them from the script's:
// a thread that takes no name has its creator's, which is the program's (dlscope-host).
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace dlscope::core {

inline constexpr const char* kWireThread = "dlscope-wire";
inline constexpr const char* kTaskThread = "dlscope-task";
inline constexpr const char* kReadThread = "dlscope-read";

// comm: what was read, with its newline.
[[nodiscard]] inline bool is_own_thread(std::string_view comm) {
  if (comm.ends_with('\n')) comm.remove_suffix(1);
  const std::string_view own[] = {kWireThread, kTaskThread, kReadThread};
  return std::find(std::begin(own), std::end(own), comm) != std::end(own);
}

// Nor do these write to any tensor: jemalloc's (in Polars, PyArrow) gives memory that was freed back to the system, now and then, for as long
// as the process lives.
[[nodiscard]] inline bool touches_no_tensor(std::string_view comm) {
  if (comm.ends_with('\n')) comm.remove_suffix(1);
  return is_own_thread(comm) || comm == "jemalloc_bg_thd";
}

}  // namespace dlscope::core
