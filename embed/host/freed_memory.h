// Memory that a library frees although an export of it is held: PyTorch's set_() and resize_(), and NumPy's
// resize(refcheck=False), do so, whatever was exported. Whoever holds such an export asks here whether its bytes are still those
// of the object.
// thread: Python's main thread, GIL held; the producers' code runs inside.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/address.h"
#include "embed/host/found_tensor.h"
#include "embed/py_ref.h"
#include "embed/scan/scan_place.h"

namespace dlscope::embed {

struct WatchedMemory {
  PyRef object;  // empty: it can be found by its names only. An array itself, else a weak reference to it
  core::ByteRange extent;      // what is held
  core::ByteRange allocation;  // the memory that the library said it is a part of; empty: it did not say
  bool object_is_gone = false;
};

// found: what was just described, and is held. nullopt: its library cannot free it while an export is held.
[[nodiscard]] std::optional<WatchedMemory> watch_memory(const FoundTensor& found);

// Why what is held may have been freed; "": it is there. Sets object_is_gone where there is no object to ask any more. An
// interrupt is left pending as a Python error.
[[nodiscard]] std::string why_maybe_freed(WatchedMemory& watched, const std::vector<std::string>& names,
                                          const TensorIdentity& identity, const ScanPlace& place);

}  // namespace dlscope::embed
