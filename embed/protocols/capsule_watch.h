// Watched DLPack capsules: records what happens to a capsule (taken by a consumer, dropped, its struct's deleter called), when
// and on which thread. Capsule and struct stay the producer's; the capsule's destructor and the struct's deleter are replaced by
// functions that record the call and pass it on. So watching keeps nothing alive.
// thread: GIL held, except for the deleter, which consumers call on any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/address.h"
#include "core/tensor/device_id.h"
#include "core/tensor/dtype.h"
#include "core/tensor/tensor_desc.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

enum class CapsuleStep : std::uint8_t {
  watched,    // watching began
  consumed,   // a consumer took the struct: the capsule is named used_...
  refused,    // a consumer refused it; known only of dlscope's own
  destroyed,  // the capsule object is freed
  deleted,    // the struct's deleter was called: the producer has its memory back
};
[[nodiscard]] const char* capsule_step_name(CapsuleStep step);  // "watched", ...

// The state of a capsule.
enum class CapsuleState : std::uint8_t {
  waiting,   // not taken yet
  consumed,  // taken, and the consumer holds the memory
  returned,  // taken, and released by its consumer
  dropped,   // never taken: its destructor released the memory
  undeleted, // never taken, and its destructor did not call the deleter
  unseen,    // none of the searched names leads to it, and neither destructor nor deleter was called
};
[[nodiscard]] const char* capsule_state_name(CapsuleState state);

struct CapsuleEvent {
  CapsuleStep step{};
  std::int64_t t_ns = 0;  // CLOCK_MONOTONIC
  pid_t thread = 0;       // thread id of the system
  bool noticed = false;   // it happened earlier, and was only noticed at this time
  std::string detail;     // more about it as text, or ""
};

struct WatchedCapsule {
  std::uint64_t id = 0;  // counts from 1
  core::CapsuleKind kind{};
  CapsuleState state{};
  std::string name;    // its present name; "": not found
  std::string tensor;  // "float32 (2, 3)"
  std::uint64_t bytes = 0;  // of its elements
  core::ByteRange extent;   // from their first byte to their last
  core::DeviceId device;    // according to the struct
  std::vector<std::string> held_by;  // names whose value it is
  std::vector<CapsuleEvent> events;  // oldest first
};

inline constexpr std::size_t kMaxWatchedCapsules = 256;  // beyond that, the oldest finished ones are forgotten

// False with a Python error set: not a DLPack capsule, consumed before, or its struct cannot be read or written. Watching a
// capsule again changes nothing.
[[nodiscard]] bool watch_capsule(PyObject* capsule);

// The present state of all of them, oldest first. names: a dict whose values are searched for the capsules; borrowed.
[[nodiscard]] std::vector<WatchedCapsule> watched_capsules(PyObject* names);

// What a dlscope.Tensor hands out is watched by itself once this was called (by the host), except for our own looks. At most
// kMaxWatchedExports at a time: the others are only counted.
void watch_own_exports();
inline constexpr std::size_t kMaxWatchedExports = 128;
[[nodiscard]] std::uint64_t exports_not_watched();
// A struct that was just made. capsule: it is in; null: it was given by the exchange table, without one.
struct OwnExport {
  PyObject* capsule = nullptr;
  void* managed = nullptr;
  core::CapsuleKind kind{};
  core::DType dtype;
  std::span<const std::int64_t> shape;
  std::uint64_t bytes = 0;
  core::ByteRange extent;
  core::DeviceId device;
};
void note_own_export(const OwnExport& made);

// For dlscope's own consumer. Each costs one load of a flag when nothing is watched.
// Before it takes a capsule: whether this one is watched. Afterwards it looks like any consumed one at the address of another.
[[nodiscard]] bool is_watched(PyObject* capsule);
// After it has taken one that is.
void note_capsule_taken(PyObject* capsule);
void note_capsule_refused(PyObject* capsule, const std::string& why);

}  // namespace dlscope::embed
