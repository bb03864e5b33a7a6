// The buffer protocol (PEP 3118): bytes, bytearray, array, mmap, memoryview, ctypes arrays, and any other exporter. The buffer is
// held only while it is described, unless the description keeps it: a held one makes bytearray.append, mmap.close and others raise.
// thread: GIL held. No exception is left set except KeyboardInterrupt.
#pragma once

#include "embed/description.h"
#include "embed/protocols/raw_copy.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// Fills description.desc and returns true, or adds a refusal and returns false.
// raw: gets the bytes of the Py_buffer; may be null.
[[nodiscard]] bool describe_buffer(PyObject* object, const core::MemoryReader& reader, RawCopy* raw, Elements elements,
                                   Description& description);

}  // namespace dlscope::embed
