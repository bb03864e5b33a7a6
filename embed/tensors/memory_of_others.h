// Whose memory an object shows, where its library would let anybody write it although the owner need not allow that: a view of
// PyTorch's or NumPy's says that it may be written, also over a `bytes` object or an array of JAX.
// thread: GIL held. None of a user's code runs. No exception is left set except KeyboardInterrupt.
#pragma once

#include "core/inventory/never_written.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// Followed to the owner: bases, a memoryview's object, a storage, a dlscope.Tensor's source. why "": it is its own or its owner's who
// may write it (is_known), or of a library whose objects do not tell.
[[nodiscard]] core::NeverWritten::Owner owner_of_others_memory(PyObject* object);

}  // namespace dlscope::embed
