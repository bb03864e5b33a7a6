// The fields of a NumPy structured dtype whose `descr` cannot name them: fields that overlap, or are not in the order of their
// offsets. thread: Python's main thread, with the GIL.
#pragma once

#include <cstdint>
#include <optional>

#include "core/tensor/item_type.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// From the dtype of a NumPy array whose items have so many bytes. Reads attributes of NumPy's own types only. nullopt: the dtype is
// of another kind, has no fields, has other bytes, or has a field that is not known. May leave KeyboardInterrupt set.
[[nodiscard]] std::optional<core::ItemType> record_of_numpy(PyObject* array, std::uint32_t bytes);

}  // namespace dlscope::embed
