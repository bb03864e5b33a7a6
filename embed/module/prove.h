// dlscope.prove(): judges a chain of tensors, each hand-over to the next.
#pragma once

#include <span>

#include "core/inventory/proof.h"
#include "embed/python_api.h"

namespace dlscope::embed {

PyObject* prove(PyObject* module, PyObject* args, PyObject* keywords);
extern const char* const kProveDoc;

// Before core::prove() with the write probe: waits, with the GIL held, for the pages that the probe would use with plain loads.
// What does not come in time the probe leaves alone, and says so.
void wait_for_probed_pages(const core::Snapshot& snapshot, std::span<const core::ProofPair> pairs);

}  // namespace dlscope::embed
