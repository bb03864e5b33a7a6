// Walking a namespace: its tensors, then those in its containers, each described once under all its names. What is entered
// is said in docs/architecture.md, "From a tensor to the screen". Nothing is kept after a scan: no reference, no capsule, no
// memory.
// thread: GIL held, from start to end; foreign code (producers) runs inside and may do anything.
#pragma once

#include <cstdint>
#include <vector>

#include "core/inventory/snapshot_builder.h"
#include "embed/python_api.h"
#include "embed/scan/scan_place.h"

namespace dlscope::embed {

// An object dlscope holds a lease on, and the record the scan made of it (core::kNone32: it was not met). The record may be of
// other memory: the object may have been given it, or have died, its address now being that of another object.
struct HeldObject {
  PyObject* object = nullptr;  // an address to compare, never dereferenced
  std::uint32_t tensor = core::kNone32;
};

struct ScanOptions {
  std::uint64_t max_tensors = 1'000'000;
  std::uint64_t max_entries = 50'000'000;  // entries of containers looked at
  int max_depth = 64;                      // of containers in containers
  int max_paths = 8;                       // names under which one container is entered
  bool checked_only = false;               // true: no plain loads, not even of structs of known libraries
  std::vector<HeldObject>* held = nullptr;  // their records are filled in
};

// Builds the records of what the place's names lead to. Every limit is reported, reached or not. An interrupt
// (embed/interrupts.h) ends the walk: a KeyboardInterrupt is left set, and the builder holds what was found until then.
[[nodiscard]] core::SnapshotBuilder scan_names(const ScanPlace& place, const ScanOptions& options = {});

}  // namespace dlscope::embed
