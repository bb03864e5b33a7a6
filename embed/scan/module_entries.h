// The parts of a module of PyTorch or Paddle, under the names that a person types: net.weight, blocks[0], heads['layer-1'].
// thread: GIL held. Runs no code of the user's. Leaves no exception set unless it is KeyboardInterrupt.
#pragma once

#include "embed/scan/container_entries.h"

namespace dlscope::embed {

void collect_torch_module(PyObject* module, TypeTable& types, Entries& out);

}  // namespace dlscope::embed
