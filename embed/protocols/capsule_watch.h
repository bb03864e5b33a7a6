// Watched DLPack capsules: what became of a capsule, step by step: taken by a consumer, dropped, its struct's deleter called, when and on
// which thread. The capsule and its struct stay the producer's; its destructor and the struct's deleter are replaced by ones that note the
// call and pass it on, so that watching keeps nothing alive.
// thread: GIL held, but for the deleter, which consumers call from any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor/tensor_desc.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

enum class CapsuleStep : std::uint8_t {
  watched,    // from here on it is
  consumed,   // a consumer has taken the struct: the capsule is named used_...
  refused,    // a consumer was refused; only dlscope's own can say so
  destroyed,  // the capsule object is freed
  deleted,    // the struct's deleter: the producer gets its memory back
};
[[nodiscard]] const char* capsule_step_name(CapsuleStep step);  // "watched", ...

// Where a capsule is in its life.
enum class CapsuleState : std::uint8_t {
  waiting,   // nobody has taken it
  consumed,  // taken, and the consumer holds the memory
  returned,  // taken, and given back by its consumer
  dropped,   // nobody took it: its destructor gave the memory back
  undeleted, // nobody took it, and its destructor did not call the deleter
  unseen,    // no name that was looked through leads to it, and nothing of it was called
};
[[nodiscard]] const char* capsule_state_name(CapsuleState state);

struct CapsuleEvent {
  CapsuleStep step{};
  std::int64_t t_ns = 0;  // CLOCK_MONOTONIC
  pid_t thread = 0;       // as the system numbers them
  bool noticed = false;   // it happened before, and was seen then
  std::string detail;     // "" or more about it, in words
};

struct WatchedCapsule {
  std::uint64_t id = 0;  // counts from 1
  core::CapsuleKind kind{};
  CapsuleState state{};
  std::string name;    // what it is named now; "" where it was not found
  std::string tensor;  // "float32 (2, 3)"
  std::vector<std::string> held_by;  // names that lead to it
  std::vector<CapsuleEvent> events;  // the oldest first
};

inline constexpr std::size_t kMostWatchedCapsules = 256;  // the oldest that are over are forgotten first

// False with a Python error set: it is no DLPack capsule, it was consumed before, its struct cannot be read or written. Watching one
// again changes nothing.
[[nodiscard]] bool watch_capsule(PyObject* capsule);

// All of them as of now, the oldest first. names: a dict, whose values are looked through for the capsules; borrowed.
[[nodiscard]] std::vector<WatchedCapsule> watched_capsules(PyObject* names);

// For dlscope's own consumer. Both are a load of a flag where nothing is watched.
void note_capsule_taken(PyObject* capsule);
void note_capsule_refused(PyObject* capsule, const std::string& why);

}  // namespace dlscope::embed
