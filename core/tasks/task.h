// Task: work of any length, cut into short steps, so that whoever runs it can cancel it, let others have a turn, or take its thread
// away (before a fork) and go on later on another one. A task is pure: it reads memory through MemoryReader and keeps what it found
// to itself until it is asked for.
// thread: one at a time, not always the same one.
#pragma once

#include <cstdint>

#include "core/base/result.h"

namespace dlscope::core {

struct TaskProgress {
  std::uint64_t done = 0, total = 0;  // in the task's own unit; total 0: not known
};

class Task {
 public:
  enum class State : std::uint8_t { more, done };

  virtual ~Task() = default;
  // Works for some milliseconds. A cancelled task is not asked again. Failed: the task ends with these words.
  [[nodiscard]] virtual Result<State> step() = 0;
  [[nodiscard]] virtual TaskProgress progress() const = 0;
};

// How long a step should take at most: a cancelled task's thread is free again after it.
inline constexpr std::int64_t kStepNs = 4'000'000;

}  // namespace dlscope::core
