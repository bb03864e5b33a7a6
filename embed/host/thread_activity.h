// Whether other threads of this process ran between two moments, as far as the system tells it: each thread's time on a processor
// and whether it runs right now. Our own threads are not counted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>

namespace dlscope::embed {

class ThreadActivity {
 public:
  // From here on. thread: the caller's own does not count.
  [[nodiscard]] static ThreadActivity now();
  // yes: one ran, began or ended. no: the scheduler's own account says that none did. unknown: the system keeps no such account, and
  // none was seen running.
  enum class Ran : std::uint8_t { no, yes, unknown };
  [[nodiscard]] Ran ran_since() const;
  [[nodiscard]] bool any() const { return !threads_.empty(); }

 private:
  struct Thread {
    bool runs = false, has_account = false;
    std::uint64_t ran = 0;  // changes when it runs
  };
  std::map<pid_t, Thread> threads_;
};

}  // namespace dlscope::embed
