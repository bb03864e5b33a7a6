// Copies the bytes of remembered tensors at each scan of a host (a "look"), for the viewer to fetch (remembered_bytes.h).
// thread: the one that serves the viewer, GIL held; the copying itself runs without it.
#pragma once

#include "core/inventory/snapshot.h"
#include "embed/python_api.h"

namespace dlscope::embed {

// Call it before user code runs: tensors of the last scan can no longer be copied afterwards.
void note_code_runs();
// Call it before a scan: from here on it is observed whether other threads run.
void begin_remembering();
// The scan's snapshot is complete, and nothing of the user's has run on this thread since it was begun.
void remember_tensors(const core::Snapshot& snapshot);

// Whether threads beside this one run Python code, or may.
bool has_python_threads();

// host_remember([(name, hashed)], fetched): those are remembered from here on, also for the newest look where nothing has run
// since; copies up to the number `fetched` are let go. Returns what waits, as RememberedBytes::waiting().
PyObject* host_remember(PyObject*, PyObject* args);

}  // namespace dlscope::embed
