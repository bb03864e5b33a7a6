// The acts: what the viewer asks of Python's main thread between statements (core/wire/work.h), each carried out on the tensor of
// a snapshot that is found again by its names. Leases are another file's (leases.h).
// thread: Python's main thread, GIL held; foreign code runs inside.
#pragma once

#include <functional>
#include <string>

#include "core/inventory/snapshot.h"
#include "core/transfer/copy_in_parts.h"
#include "core/wire/work.h"
#include "embed/py_ref.h"
#include "embed/scan/scan_place.h"

namespace dlscope::embed {

struct ActRequest;
// What host_next() has taken, for host_act() to carry out.
void set_next_act(ActRequest next);

struct ActDone {
  std::string message;  // what the user should know; "" for nothing
  core::wire::WorkResult result;
};

// The arguments of every act.
struct ActContext {
  std::uint64_t id = 0;  // of the act
  const core::Snapshot& snapshot;
  ProgramNames names;             // results are bound in names.script
  PyObject* exchange = nullptr;   // python/dlscope/_host_exchange.py
  core::CopyProgress progress;    // reports to the viewer; returns false when cancelled. Called without the GIL
};

// The object of a tensor of the snapshot. Error: not_found, with a message for the user, or cancelled, with an interrupt pending.
[[nodiscard]] core::Result<PyRef> find_again(const ActContext& context, std::uint32_t tensor);

// One for every kind of ActWork on a tensor.
// Each fails in words where the tensor is gone or cannot be had. No Python error is left but KeyboardInterrupt.
[[nodiscard]] core::Result<ActDone> carry_out(const core::wire::Prove& work, const ActContext& context);
[[nodiscard]] core::Result<ActDone> carry_out(const core::wire::HandTo& work, const ActContext& context);
// Every write is an event of the report. Refused where the bytes are not the expected ones any more, and where anybody forbids
// it.
[[nodiscard]] core::Result<ActDone> carry_out(const core::wire::WriteBytes& work, const ActContext& context);
[[nodiscard]] core::Result<ActDone> carry_out(const core::wire::CopyTensor& work, const ActContext& context);

}  // namespace dlscope::embed
