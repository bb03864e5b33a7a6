// The fields of a NumPy structured dtype whose `descr` cannot name them: fields that overlap, or are not in the order of their
// offsets. thread: Python's main thread, with the GIL.
#pragma once

#include <cstdint>
#include <optional>

#include "core/tensor/item_type.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// From the dtype of a NumPy array whose items have so many bytes. Of a dtype only NumPy's own attributes are read; `dtype` of a
// subclass may be a property of the user's. nullopt: the dtype is of another kind, has no fields or other bytes, or has a field
// that is not known. May leave KeyboardInterrupt set.
[[nodiscard]] std::optional<core::ItemType> record_of_numpy(PyObject* array, std::uint32_t bytes);

}  // namespace dlscope::embed
