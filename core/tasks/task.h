// Task: long work divided into short steps, so that its runner can cancel it, give other tasks
// a turn, or end its thread (before a fork) and continue on another. A task is pure: it reads
// memory through MemoryReader, writes nothing, and keeps its results until they are asked for.
// thread: one at a time, not always the same one.
#pragma once

#include <cstdint>

#include "core/base/result.h"

namespace dlscope::core {

struct TaskProgress {
  std::uint64_t done = 0, total = 0;  // in the task's own unit; total 0: unknown
};

class Task {
 public:
  enum class State : std::uint8_t { more, done };

  virtual ~Task() = default;
  // Works for some milliseconds (kStepNs). Not called again after done, an error or a cancellation. An error ends the task; what
  // it found before is still asked for.
  [[nodiscard]] virtual Result<State> step() = 0;
  [[nodiscard]] virtual TaskProgress progress() const = 0;
};

// The longest a step should take: the thread of a cancelled task is free again after its current step.
inline constexpr std::int64_t kStepNs = 4'000'000;

}  // namespace dlscope::core
