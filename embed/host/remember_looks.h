// Remembered tensors at a host's looks: between the scan that describes them and what the viewer may fetch (remembered_bytes.h).
// thread: whichever serves the viewer, GIL held; the copying itself does without it.
#pragma once

#include "core/inventory/snapshot.h"
#include "embed/python_api.h"

namespace dlscope::embed {

// User code is about to run: what was described before is no longer copied.
void note_code_runs();
// Before the names are scanned: from here on it is noted whether other threads ran.
void begin_remembering();
// The scan's snapshot is complete, and nothing of the user's has run on this thread since it was begun.
void remember_tensors(const core::Snapshot& snapshot);

// Whether threads beside this one run Python code, or may.
bool has_python_threads();

// host_remember([(name, hashed)], fetched): those are remembered from here on, also for the newest look where nothing has run since;
// copies up to the number `fetched` are let go. Returns what waits, as RememberedBytes::waiting().
PyObject* host_remember(PyObject*, PyObject* args);

}  // namespace dlscope::embed
