// Leases: the exports dlscope itself holds so that a tensor's memory stays alive: a DLPack struct, a buffer, or, where the
// protocol has neither, the object. A lease that is not pinned is given up before user code runs and taken again after it,
// because code that is being looked at must not behave differently (a held bytearray cannot grow).
// thread: Python's main thread, GIL held. Dropping an export may run foreign code.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/inventory/snapshot.h"
#include "core/wire/messages.h"
#include "embed/host/found_tensor.h"
#include "embed/host/freed_memory.h"
#include "embed/objects/type_table.h"
#include "embed/py_ref.h"
#include "embed/scan/namespace_scan.h"

namespace dlscope::embed {

class Leases {
 public:
  using Tell = std::function<void(const core::wire::LeaseChanged&)>;
  explicit Leases(Tell tell) : tell_(std::move(tell)) {}

  // Finds the tensor of the snapshot again, by its names, and takes an export of it. Returns what holding it costs the user's
  // program; fails in words where it is gone, has become another tensor, or cannot be held. No Python error is left but
  // KeyboardInterrupt.
  [[nodiscard]] core::Result<std::string> hold(std::uint64_t lease, core::wire::TensorRef ref, const core::Snapshot& snapshot,
                                               bool pinned, const ProgramNames& names);
  // Error: there is no such lease (any more).
  [[nodiscard]] core::Result<std::string> release(std::uint64_t lease);

  // Around user code: gives up what is not pinned; finds it again, the same object over the same memory, or says that it is gone.
  // Callbacks of windows run fifty times a second: with `quietly` the viewer hears of what is gone only.
  enum class Announce : std::uint8_t { all, quietly };
  void before_user_code(Announce announce);
  void after_user_code(const ProgramNames& names);
  void release_all();

  // For a scan, in this order: the held objects, whose records the scan fills in; sets TensorRecord::held of the records that
  // describe held memory; when the snapshot is published, tells the viewer the record of each lease.
  [[nodiscard]] std::vector<HeldObject> held_objects() const;
  void mark_in(core::Snapshot& snapshot, const std::vector<HeldObject>& held) const;
  void report_new_records(const core::Snapshot& snapshot, const std::vector<HeldObject>& held);

  // Whose memory is held, and the objects that the leases refer to, one for each reference of theirs: addresses to compare.
  struct Kept {
    std::vector<core::Address> held, referred_to;
  };
  [[nodiscard]] Kept kept() const;

 private:
  struct Lease {
    std::uint64_t id = 0;
    bool pinned = false;
    std::vector<std::string> paths;  // its names, in the order in which they are tried
    TensorIdentity identity;
    core::wire::TensorRef ref;
    HeldMemory held;  // empty while user code runs
    std::optional<WatchedMemory> watched;  // set where the library can free what is held
    bool reported_waiting = false;
  };
  // One attempt to find the tensor and to take an export of it.
  struct Attempt;
  [[nodiscard]] static Attempt try_to_hold(const std::vector<std::string>& names, const TensorIdentity& identity,
                                           const ScanPlace& place);
  // "": it is held again.
  [[nodiscard]] std::string take_again(Lease& lease, const ScanPlace& place);
  // "": what is held is there, as far as can be seen. Once there is no object to ask any more, the events say that.
  [[nodiscard]] static std::string why_maybe_freed(Lease& lease, const ScanPlace& place);
  // The record of the held object, where it describes the memory that is held; core::kNone32: there is none.
  [[nodiscard]] static std::uint32_t record_of(const Lease& lease, const core::Snapshot& snapshot,
                                               const std::vector<HeldObject>& held);
  void tell(const Lease& lease, core::wire::LeaseState state, std::string message = {}) const;

  Tell tell_;
  std::vector<Lease> leases_;
};

}  // namespace dlscope::embed
